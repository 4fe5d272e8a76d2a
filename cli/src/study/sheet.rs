//! A study as a table, with the write-ups' figures beside what was measured.

use super::design::Figure;
use super::reported::{Reported, Unit, WriteUp};
use super::results::{Results, Series};
use crate::failure::Failure;
use crate::measure::{Measurand, Row, print_skipped};
use crate::table::{self, Align, NOTHING, format_rate, or_nothing};
use std::io::Write;

pub(super) fn print<C: Measurand>(
    results: &Results<'_, C>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    writeln!(out, "{}: {}", results.name, results.title)?;
    table::print_setup(results.setup, out)?;
    match results.measured_at().as_slice() {
        [x] => table::print(&a_line_each(results, *x), &[Align::Left], out)?,
        _ => table::print(&a_block_each(results), &[Align::Left, Align::Left], out)?,
    }
    writeln!(out)?;
    print_notes(results, out)
}

fn print_notes<C: Measurand>(
    results: &Results<'_, C>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut printed = Vec::new();
    for (write_up, _) in results.reported_kinds() {
        if !printed.contains(&write_up) {
            printed.push(write_up);
            writeln!(out, "{write_up:?}: {}", write_up.hardware())?;
        }
    }
    for note in &results.notes {
        writeln!(out, "{note}")?;
    }
    let rows = results.series.iter().flat_map(|series| series.points.iter().map(|p| p.row));
    print_skipped(rows, out)
}

/// For a study with one place on its axis: a line for each series, a column for each figure.
fn a_line_each<C: Measurand>(results: &Results<'_, C>, x: u64) -> Vec<Vec<String>> {
    let asides = asides(results, |_| true);
    let names = results.figures.iter().map(|figure| figure.name().to_owned());
    let blanks = vec![String::new(); results.figures.len() + 1];
    let asides_above = asides.iter().map(|aside| aside.place(results));
    let asides_below = asides.iter().map(|aside| aside.unit.name().to_owned());
    let mut lines: Vec<Vec<_>> = vec![
        blanks.into_iter().chain(asides_above).collect(),
        std::iter::once(String::new()).chain(names).chain(asides_below).collect(),
    ];
    for (index, series) in results.series.iter().enumerate() {
        let mut line = vec![series.name.clone()];
        line.extend(results.figures.iter().map(|&figure| cell(results, index, x, figure)));
        line.extend(asides.iter().map(|aside| aside.cell(series)));
        lines.push(line);
    }
    lines
}

/// For other studies: a column for each place, and a line for each figure of each series.
fn a_block_each<C: Measurand>(results: &Results<'_, C>) -> Vec<Vec<String>> {
    let places = results.measured_at();
    let is_line = |kind| is_line(results, &places, kind);
    let asides = asides(results, |kind| !is_line(kind));
    let mut above = vec![String::new(); 2];
    above.extend(places.iter().map(|&x| results.axis.label(x)));
    let mut below = vec![String::new(); above.len()];
    above.extend(asides.iter().map(|aside| aside.place(results)));
    below.extend(asides.iter().map(|aside| aside.unit.name().to_owned()));
    let mut lines = if asides.is_empty() { vec![above] } else { vec![above, below] };
    for (index, series) in results.series.iter().enumerate() {
        for (number, &figure) in results.figures.iter().enumerate() {
            let is_first = number == 0;
            let name = if is_first { series.name.clone() } else { String::new() };
            let mut line = vec![name, figure.name().to_owned()];
            line.extend(places.iter().map(|&x| cell(results, index, x, figure)));
            line.extend(asides.iter().map(|aside| {
                if aside.line(results) == number { aside.cell(series) } else { String::new() }
            }));
            lines.push(line);
        }
        for kind in results.reported_kinds().into_iter().filter(|&kind| is_line(kind)) {
            let reported = |x| reported_cell(series, |r| r.kind() == kind && r.x == Some(x));
            if series.reported.iter().any(|reported| reported.kind() == kind) {
                let (write_up, unit) = kind;
                let mut line = vec![String::new(), format!("{write_up:?} {}", unit.name())];
                line.extend(places.iter().map(|&x| reported(x)));
                lines.push(line);
            }
        }
    }
    lines
}

/// Whether figures of this kind make a line below those that were measured in the same places,
/// rather than a column of their own.
fn is_line<C: Measurand>(results: &Results<'_, C>, places: &[u64], kind: (WriteUp, Unit)) -> bool {
    let reported = results.series.iter().flat_map(|series| &series.reported);
    let mut of_kind: Vec<_> = reported.filter(|r| r.kind() == kind).map(|r| r.x).collect();
    of_kind.dedup();
    of_kind.len() > 1 && of_kind.iter().any(|x| x.is_some_and(|x| places.contains(&x)))
}

/// A column of figures that were reported for one place.
struct Aside {
    write_up: WriteUp,
    unit: Unit,
    x: Option<u64>,
}

impl Aside {
    fn is_meant(&self, reported: &Reported) -> bool {
        reported.kind() == (self.write_up, self.unit) && reported.x == self.x
    }

    fn place<C: Measurand>(&self, results: &Results<'_, C>) -> String {
        let Self { write_up, x, .. } = self;
        match x {
            Some(x) => format!("{write_up:?}, {}", results.axis.label(*x)),
            None => format!("{write_up:?}"),
        }
    }

    /// Which of a series' lines it belongs to: that of the same figure, if there is one.
    fn line<C: Measurand>(&self, results: &Results<'_, C>) -> usize {
        let is_same = |figure: &Figure| figure.name() == self.unit.name();
        results.figures.iter().position(is_same).unwrap_or_default()
    }

    fn cell<C: Measurand>(&self, series: &Series<'_, C>) -> String {
        reported_cell(series, |reported| self.is_meant(reported))
    }
}

/// The columns for the kinds that `is_column` says are ones.
fn asides<C: Measurand>(
    results: &Results<'_, C>,
    is_column: impl Fn((WriteUp, Unit)) -> bool,
) -> Vec<Aside> {
    let mut asides: Vec<Aside> = Vec::new();
    for reported in results.series.iter().flat_map(|series| &series.reported) {
        let is_new = !asides.iter().any(|aside| aside.is_meant(reported));
        if is_new && is_column(reported.kind()) {
            let Reported { write_up, unit, x, .. } = *reported;
            asides.push(Aside { write_up, unit, x });
        }
    }
    asides
}

fn cell<C: Measurand>(results: &Results<'_, C>, index: usize, x: u64, figure: Figure) -> String {
    let row = results.series.get(index).and_then(|series| series.at(x));
    if row.and_then(Row::ok) == Some(false) {
        return "WRONG".into();
    }
    let number = results.figure(index, x, figure);
    or_nothing(number, |number| match figure {
        Figure::GbPerS | Figure::MicrosecondsPerMi => format_rate(number),
        Figure::Milliseconds => format!("{number:.3}"),
        Figure::PercentOfBest => format!("{number:.1}"),
        Figure::SpeedUp | Figure::SpeedUpInTotal => format!("{number:.2}"),
    })
}

fn reported_cell<C: Measurand>(
    series: &Series<'_, C>,
    is_meant: impl Fn(&Reported) -> bool,
) -> String {
    let mut reported = series.reported.iter();
    reported.find(|reported| is_meant(reported)).map_or(NOTHING.into(), Reported::figure)
}
