//! Histograms in a terminal: a line for each bin, or for several where there are many.

use super::{Channel, Report, in_digits_of};
use crate::number::Number;
use crate::stream::Passage;
use std::fmt::{Display, LowerExp};
use std::io::{self, Write};
use wgpu_reduce::{ElementKind, Histogram};

/// Most lines of a channel.
const LINES: usize = 32;

/// Characters of the longest bar.
const WIDTH: f64 = 48.0;

/// From an eighth of a character to a whole one.
const EIGHTHS: [&str; 8] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

pub(super) fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let Report { name, adapter, dtype, elements, channels, passage, converted_from } = report;
    writeln!(out, "{name}: {elements} elements of {dtype}, on {adapter}")?;
    if let Some(Passage { seconds, gb_per_s }) = passage {
        writeln!(out, "passed through in {seconds:.3} s, {gb_per_s:.3} GB/s")?;
    }
    if let Some(colours) = converted_from {
        writeln!(out, "{colours} are converted to red, green and blue")?;
    }
    for Channel { name, histogram } in channels {
        writeln!(out)?;
        if let Some(name) = name {
            writeln!(out, "{name}")?;
        }
        print_bins(histogram, *dtype, out)?;
        print_outside(histogram, out)?;
    }
    Ok(())
}

fn print_bins(histogram: &Histogram, dtype: ElementKind, out: &mut impl Write) -> io::Result<()> {
    let together = histogram.counts.len().div_ceil(LINES).max(1);
    let sums: Vec<u64> = histogram.counts.chunks(together).map(|bins| bins.iter().sum()).collect();
    let most = sums.iter().copied().max().unwrap_or_default();
    let edges: Vec<_> =
        histogram.edges.iter().step_by(together).map(|&e| shown(e, dtype)).collect();
    let edge_width = edges.iter().map(String::len).max().unwrap_or_default();
    let count_width = most.to_string().len();
    for (edge, count) in edges.iter().zip(&sums) {
        let line = format!("{edge:>edge_width$}  {count:>count_width$}  {}", bar(*count, most));
        writeln!(out, "{}", line.trim_end())?;
    }
    let end = histogram.edges.last().copied().unwrap_or_default();
    writeln!(out, "{:>edge_width$}", shown(end, dtype))
}

/// An edge with at most twelve significant digits, as in `0.3`, `-1` and `1e300`; of elements that are floats with as few
/// as their type needs.
pub(super) fn shown(edge: f64, dtype: ElementKind) -> String {
    if let Number::F32(edge) = in_digits_of(edge, dtype) {
        return plain_or_scientific(edge, edge.into());
    }
    let rounded: f64 = format!("{edge:.11e}").parse().unwrap_or(edge);
    plain_or_scientific(rounded, rounded)
}

fn plain_or_scientific(number: impl Display + LowerExp, size: f64) -> String {
    let is_short = size == 0.0 || (1e-5..1e12).contains(&size.abs());
    if is_short { number.to_string() } else { format!("{number:e}") }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "short bars")]
#[expect(clippy::cast_precision_loss, reason = "an eighth of a character")]
fn bar(count: u64, most: u64) -> String {
    let eighths = (count as f64 / most.max(1) as f64 * WIDTH * 8.0).round() as usize;
    // What is there is seen.
    let eighths = if count > 0 { eighths.max(1) } else { 0 };
    let rest = (eighths % 8).checked_sub(1).and_then(|part| EIGHTHS.get(part));
    "█".repeat(eighths / 8) + rest.copied().unwrap_or_default()
}

fn print_outside(histogram: &Histogram, out: &mut impl Write) -> io::Result<()> {
    let Histogram { below, above, nan, .. } = histogram;
    for (what, count) in [("below", below), ("above", above), ("NaN", nan)] {
        if *count > 0 {
            writeln!(out, "{what}: {count}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{bar, shown};
    use wgpu_reduce::ElementKind;

    #[test]
    fn edges_have_twelve_digits_at_most() {
        for (edge, text) in [
            (0.0, "0"),
            (-1.0, "-1"),
            (0.300_000_000_000_000_04, "0.3"),
            (-1.0 / 3.0, "-0.333333333333"),
            (2_147_483_647.5, "2147483647.5"),
            (999_999_999_999.9, "1e12"),
            (123_456_789_012_345.0, "1.23456789012e14"),
            (0.000_01, "0.00001"),
            (1e-9, "1e-9"),
            (1e300, "1e300"),
            (f64::MIN, "-1.79769313486e308"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(shown(edge, ElementKind::I32), text);
        }
    }

    #[test]
    fn edges_of_floats_have_the_digits_of_their_type() {
        for (edge, text) in [
            (f64::from(1.0_f32 / 3.0), "0.33333334"),
            (f64::from(1e-3_f32), "0.001"),
            (f64::from(-1e20_f32), "-1e20"),
            (-0.5, "-0.5"),
            // No f32, as one of --edges.
            (0.1, "0.1"),
            (1e300, "1e300"),
        ] {
            assert_eq!(shown(edge, ElementKind::F32), text);
        }
    }

    #[test]
    fn bars_are_as_long_as_counts_are_large() {
        assert_eq!(bar(0, 0), "");
        assert_eq!(bar(0, 9), "");
        assert_eq!(bar(9, 9), "█".repeat(48));
        assert_eq!(bar(1, 1 << 40), "▏");
        assert_eq!(bar(1, 96), "▌");
        assert_eq!(bar(3, 96), "█▌");
    }
}
