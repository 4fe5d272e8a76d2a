//! Histograms beside NumPy's results (`tests/data/numpy_histogram.py`): edges bit for bit, and every count.

use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::{Binned, Bins};

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

/// Judges all that is said of some values. Returns of how many bins.
fn check<T: Binned>(rig: &Rig, values: &[T], lines: &[&str]) -> Result<usize, Failed> {
    let input = rig.reducer.upload(values)?;
    for case in lines.chunks(3) {
        let [bins, edges, counts] = case else { return Err(in_line(case[0], "cut off")) };
        let (name, rest) = bins.split_once(' ').unwrap_or_default();
        let histogram = rig.reducer.histogram(&input, &parse_bins(name, rest)?)?;
        let (found, expected): (Vec<_>, Vec<_>) = {
            let expected = numbers(edges.trim_start_matches("edges "))?;
            let words = |edges: &[f64]| edges.iter().map(|edge| edge.to_bits()).collect();
            (words(&histogram.edges), words(&expected))
        };
        ensure!(found == expected, "{bins} of {}: edges {:?}", T::KIND, histogram.edges);
        let counts = counts.trim_start_matches("counts ").split_whitespace().map(str::parse);
        let counts: Vec<u64> = counts.collect::<Result<_, _>>()?;
        ensure!(histogram.counts == counts, "{bins} of {}: {:?}", T::KIND, histogram.counts);
        ensure!(histogram.total() == values.len() as u64, "{bins}: {}", histogram.total());
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
        checked += if kind == "f32" {
            let words = values.split_whitespace().map(|word| u32::from_str_radix(word, 16));
            let words: Vec<_> = words.collect::<Result<_, _>>()?;
            let floats: Vec<_> = words.into_iter().map(f32::from_bits).collect();
            check(rig, &floats, of_values)?
        } else {
            check_integers!(rig, kind, values, of_values, [u8, i8, u16, i16, u32, i32])?
        };
        rest = others;
    }
    ensure!(checked > 70, "only {checked} bins");
    Ok(())
}
