//! Tables for people.

use crate::failure::Failure;
use crate::measure::{Setup, Timer, WARM_UP_RUNS};
use std::io::Write;

/// Where a cell is in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Prints lines of cells in columns as wide as they need to be, aligned as `columns` says and to the
/// right beyond.
pub(crate) fn print(
    lines: &[Vec<String>],
    columns: &[Align],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let count = lines.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..count)
        .map(|index| {
            let cells = lines.iter().filter_map(|line| line.get(index));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        })
        .collect();
    for line in lines {
        let columns = columns.iter().copied().chain(std::iter::repeat(Align::Right));
        let cells =
            line.iter().zip(&widths).zip(columns).map(|((cell, &width), align)| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

/// Prints on what and how it was measured.
pub(crate) fn print_setup(setup: &Setup, out: &mut impl Write) -> Result<(), Failure> {
    let Setup { adapter, driver, runs, timer, best, .. } = setup;
    let driver = if driver.is_empty() { "unknown" } else { driver };
    writeln!(out, "{adapter}, driver {driver}")?;
    writeln!(out, "{}", setup.subject())?;
    let in_flight = if *timer == Timer::Gpu { ", several runs in flight" } else { "" };
    writeln!(out, "timed runs: {runs}, after {WARM_UP_RUNS} to warm up; {timer}{in_flight}")?;
    if let Some(best) = best {
        let rate = format_rate(best.gb_per_s);
        writeln!(out, "best read bandwidth: {rate} GB/s, by {}", best.by)?;
    }
    Ok(writeln!(out)?)
}

/// What stands where there is no number.
pub(crate) const NOTHING: &str = "-";

/// A number in `format`, if there is one.
pub(crate) fn or_nothing(number: Option<f64>, format: impl Fn(f64) -> String) -> String {
    number.filter(|number| number.is_finite()).map_or(NOTHING.into(), format)
}

/// About three digits, and none behind the point that nobody can rely on.
pub(crate) fn format_rate(rate: f64) -> String {
    let digits = match rate {
        0.0..10.0 => 3,
        10.0..100.0 => 2,
        _ => 1,
    };
    format!("{rate:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::{Align, format_rate, or_nothing, print};

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let lines = [["level", "GB/s", "answer"], ["00 µ", "1", "ok"]];
        let lines = lines.map(|line| line.map(String::from).to_vec());
        let mut out = Vec::new();
        print(&lines, &[Align::Left, Align::Right, Align::Left], &mut out).unwrap();
        let expected = "level  GB/s  answer\n00 µ      1  ok\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn rates_have_as_many_digits_as_matter() {
        assert_eq!(
            [0.0567, 9.99, 12.345, 4321.98].map(format_rate),
            ["0.057", "9.990", "12.35", "4322.0"]
        );
        assert_eq!(or_nothing(Some(f64::NAN), format_rate), "-");
    }
}
