//! Histograms beside NumPy's results (`tests/data/numpy_histogram.py`): edges bit for bit, and every count.

use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use crate::histogram::tunings_of;
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::{Bins, Element, ElementKind, Error, Histogram};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    on_every_rig(rigs, "numpy_histogram::every_case", every_case)
}

fn number(text: &str) -> Result<f64, Failed> {
    u64::from_str_radix(text, 16).map(f64::from_bits).map_err(|error| in_line(text, error))
}

fn numbers(line: &str) -> Result<Vec<f64>, Failed> {
    line.split_whitespace().map(number).collect()
}

fn in_line(line: &str, what: impl std::fmt::Display) -> Failed {
    Failed::from(format!("{line}: {what}"))
}

fn parse_bins(name: &str, rest: &str) -> Result<Bins, Failed> {
    if name == "uneven" {
        return Ok(Bins::edges(&numbers(rest)?)?);
    }
    let (ends, count) = rest.rsplit_once(' ').ok_or_else(|| in_line(rest, "too short"))?;
    let ends = numbers(ends)?;
    let count = count.parse().map_err(|error| in_line(count, error))?;
    Ok(Bins::even(ends[0]..ends[1], count)?)
}

/// One number made of those of edges, as the script makes it of many.
fn digest(edges: &[u64]) -> u64 {
    let mix = |mixed: u64, word: &u64| (mixed ^ word).wrapping_mul(0x0100_0000_01B3);
    edges.iter().fold(0xCBF2_9CE4_8422_2325, mix)
}

fn have_edges(histogram: &Histogram, line: &str) -> Result<bool, Failed> {
    let expected: Vec<_> = numbers(line.trim_start_matches("edges "))?;
    let expected: Vec<_> = expected.into_iter().map(f64::to_bits).collect();
    let found: Vec<_> = histogram.edges.iter().map(|edge| edge.to_bits()).collect();
    Ok(found == expected || expected == [digest(&found)])
}

/// The counts of all bins, or as bin:count of those that have any.
fn counts_of(line: &str, bins: usize) -> Result<Vec<u64>, Failed> {
    let mut counts = vec![0; bins];
    let mut seen = 0;
    for (place, text) in line.split_whitespace().skip(1).enumerate() {
        let (place, count) = match text.split_once(':') {
            Some((place, count)) => (place.parse()?, count),
            None => (place, text),
        };
        *counts.get_mut(place).ok_or_else(|| in_line(line, "more than bins"))? = count.parse()?;
        seen = place + 1;
    }
    ensure!(line.contains(':') || seen == bins, "{line}: of {seen} bins, not {bins}");
    Ok(counts)
}

/// Judges all that is said of some values. Returns of how many bins.
fn check<T: Element>(rig: &Rig, values: &[T], lines: &[&str]) -> Result<usize, Failed> {
    let input = rig.reducer.upload(values)?;
    for case in lines.chunks(3) {
        let [bins, edges, counts] = case else { return Err(in_line(case[0], "cut off")) };
        let (name, rest) = bins.split_once(' ').unwrap_or_default();
        let parsed = parse_bins(name, rest)?;
        // Compilers on CPUs take long for four loads: other types are counted so in `histogram_edges`.
        for tuning in &tunings_of(rig)[..if T::KIND == ElementKind::F32 { 2 } else { 1 }] {
            let pending =
                rig.reducer.bin(&input, &parsed).channels(1).tuned(*tuning).timed().start();
            if 8 * parsed.output_len() > rig.reducer.caps().max_binding_bytes {
                ensure!(matches!(pending, Err(Error::Unsupported { .. })), "{bins}: too many");
                continue;
            }
            let histogram = &pending?.wait()?.value[0];
            let what = format!("{bins} of {}, {tuning}", T::KIND);
            ensure!(have_edges(histogram, edges)?, "{what}: edges {:?}", histogram.edges);
            let counts = counts_of(counts, histogram.counts.len())?;
            ensure!(histogram.counts == counts, "{what}: {:?}", histogram.counts);
            ensure!(histogram.total() == values.len() as u64, "{what}: {}", histogram.total());
        }
    }
    Ok(lines.len() / 3)
}

macro_rules! check_integers {
    ($rig:expr, $kind:expr, $text:expr, $lines:expr, [$($element:ident),*]) => {
        match $kind {
            $(stringify!($element) => {
                let values = $text.split_whitespace().map(str::parse);
                check::<$element>($rig, &values.collect::<Result<Vec<_>, _>>()?, $lines)
            })*
            kind => Err(in_line(kind, "what is that?")),
        }
    };
}

fn every_case(rig: &Rig) -> Outcome {
    let text = include_str!("../data/numpy_histogram.txt");
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let mut checked = 0;
    let mut rest = &lines[..];
    while let [first, behind @ ..] = rest {
        let end = behind.iter().position(|line| line.starts_with("values")).unwrap_or(behind.len());
        let (of_values, others) = behind.split_at(end);
        let values = first.trim_start_matches("values ").split_once(' ');
        let (kind, values) = values.ok_or_else(|| in_line(first, "too short"))?;
        let words = values.split_whitespace();
        checked += match kind {
            "f32" => {
                let bits = words.map(|word| u32::from_str_radix(word, 16).map(f32::from_bits));
                check(rig, &bits.collect::<Result<Vec<_>, _>>()?, of_values)?
            }
            "f64" => {
                let bits = words.map(|word| u64::from_str_radix(word, 16).map(f64::from_bits));
                check(rig, &bits.collect::<Result<Vec<_>, _>>()?, of_values)?
            }
            "f16" => {
                let bits = words.map(|word| u16::from_str_radix(word, 16).map(f16::from_bits));
                check(rig, &bits.collect::<Result<Vec<_>, _>>()?, of_values)?
            }
            "bf16" => {
                let bits = words.map(|word| u16::from_str_radix(word, 16).map(bf16::from_bits));
                check(rig, &bits.collect::<Result<Vec<_>, _>>()?, of_values)?
            }
            _ => check_integers!(
                rig,
                kind,
                values,
                of_values,
                [u8, i8, u16, i16, u32, i32, u64, i64]
            )?,
        };
        rest = others;
    }
    ensure!(checked == 149, "{checked} bins");
    Ok(())
}
