//! `ladder`: every level, run and timed.

use crate::args;
use crate::chart::{Bar, Chart, Shape};
use crate::failure::Failure;
use crate::fields::{Fields, print_csv};
use crate::measure::{Bench, Case, Measured, Row, form_name, percent};
use crate::partial::Partial;
use crate::table::{self, Align, format_rate, or_nothing};
use serde::Serialize;
use std::io::Write;
use wgpu_reduce::ladder::{Level, RunOptions};

pub(crate) fn run(arguments: &args::Ladder, out: &mut impl Write) -> Result<(), Failure> {
    let measuring = &arguments.measuring;
    let image = measuring.svg.as_deref().map(Partial::for_text).transpose()?;
    let bench = Bench::open(measuring, arguments.dtype)?;
    let measured = bench.measure(&cases(arguments))?;
    let rungs = rungs(&measured);
    if measuring.json {
        print_json(&measured, &rungs, out)?;
    } else if measuring.csv {
        let fields: Vec<_> = rungs.iter().map(|rung| rung.fields(&measured)).collect();
        print_csv(&fields, out)?;
    } else {
        print_table(&measured, &rungs, out)?;
    }
    if let Some(image) = image {
        image.write(&chart(&measured).svg()?)?;
    }
    measured.verdict()
}

/// Every level in its default form, and then the others.
fn cases(arguments: &args::Ladder) -> Vec<Case> {
    let case = |level, form| {
        let workgroup_size = arguments.workgroup_size;
        let options = RunOptions { form, workgroup_size, ..RunOptions::default() };
        Case::new(level, options, arguments.elements)
    };
    let default_forms =
        Level::ALL.into_iter().filter_map(|level| Some(case(level, *level.forms().first()?)));
    let other_forms = Level::ALL
        .into_iter()
        .flat_map(|level| level.forms().iter().skip(1).map(move |&form| case(level, form)));
    let others = if arguments.forms { usize::MAX } else { 0 };
    default_forms.chain(other_forms.take(others)).collect()
}

/// A level beside the ones below it.
struct Rung<'a> {
    row: &'a Row,
    /// Over the default form of the level before, of those that ran.
    speed_up: Option<f64>,
    /// Over the first level.
    speed_up_in_total: Option<f64>,
}

fn rungs<'m>(measured: &'m Measured) -> Vec<Rung<'m>> {
    let rate_of = |level: Level| {
        measured.rows.iter().find(|row| row.case.level == level).and_then(Row::gb_per_s)
    };
    let rung = |row: &'m Row| {
        let rate = row.gb_per_s();
        let before = Level::ALL.into_iter().filter(|level| *level < row.case.level);
        let before = before.rev().find_map(rate_of);
        let ratio = |over: Option<f64>| Some(rate? / over?);
        let first = Level::ALL.into_iter().find_map(rate_of);
        Rung { row, speed_up: ratio(before), speed_up_in_total: ratio(first) }
    };
    measured.rows.iter().map(rung).collect()
}

impl Rung<'_> {
    fn fields(&self, measured: &Measured) -> Fields {
        let mut fields = self.row.fields(measured.setup.best_gb_per_s());
        fields.push("speed_up", self.speed_up);
        fields.push("speed_up_in_total", self.speed_up_in_total);
        fields
    }

    fn cells(&self, measured: &Measured) -> Vec<String> {
        let Row { case, .. } = self.row;
        let times = self.row.times();
        let microseconds = |time| or_nothing(time, |time| format!("{time:.1}"));
        let ratio = |ratio| or_nothing(ratio, |ratio| format!("{ratio:.2}"));
        let rate = self.row.gb_per_s();
        vec![
            case.level.to_string(),
            form_name(case.options.form),
            case.elements.to_string(),
            self.row.passes().map_or(table::NOTHING.into(), |passes| passes.to_string()),
            microseconds(times.map(|times| times.median_us)),
            microseconds(times.map(|times| times.min_us)),
            or_nothing(rate, format_rate),
            or_nothing(percent(rate, measured.setup.best_gb_per_s()), |p| format!("{p:.1}")),
            ratio(self.speed_up),
            ratio(self.speed_up_in_total),
            self.row.answer().into(),
        ]
    }
}

fn print_table(
    measured: &Measured,
    rungs: &[Rung<'_>],
    out: &mut impl Write,
) -> Result<(), Failure> {
    table::print_setup(&measured.setup, out)?;
    let heads = [
        "level",
        "form",
        "elements",
        "passes",
        "median us",
        "min us",
        "GB/s",
        "% of best",
        "speed-up",
        "in total",
        "answer",
    ];
    let mut lines = vec![heads.map(String::from).to_vec()];
    let (levels, other_forms) = rungs.split_at(rungs.len().min(Level::ALL.len()));
    lines.extend(levels.iter().map(|rung| rung.cells(measured)));
    if !other_forms.is_empty() {
        lines.push(Vec::new());
    }
    lines.extend(other_forms.iter().map(|rung| rung.cells(measured)));
    table::print(&lines, &[Align::Left, Align::Left], out)?;
    writeln!(out)?;
    writeln!(out, "speed-up: of GB/s, over the level before and over level 00")?;
    let small = |row: &&Row| row.case.elements < measured.setup.elements;
    for row in measured.rows.iter().filter(small) {
        let Case { level, elements, .. } = row.case;
        writeln!(out, "{level}: on {elements} elements only, because it is so slow")?;
    }
    measured.print_skipped(out)
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    setup: &'a Fields,
    levels: Vec<Fields>,
}

fn print_json(
    measured: &Measured,
    rungs: &[Rung<'_>],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let levels = rungs.iter().map(|rung| rung.fields(measured)).collect();
    let report = Report { setup: &measured.setup.fields(), levels };
    Ok(writeln!(out, "{}", serde_json::to_string(&report)?)?)
}

fn chart(measured: &Measured) -> Chart {
    let setup = &measured.setup;
    let bars = measured.rows.iter().map(|row| {
        let is_default = row.case.level.forms().first() == Some(&row.case.options.form);
        let mut label = row.case.level.to_string();
        if !is_default {
            label = format!("{label}, {}", form_name(row.case.options.form));
        }
        Bar { label, value: row.gb_per_s() }
    });
    Chart {
        title: format!("The ladder: sum of {} {} elements", setup.elements, setup.element),
        subtitle: setup.caption(),
        values: "read bandwidth (GB/s)",
        best: setup.best_gb_per_s(),
        shape: Shape::Bars(bars.collect()),
    }
}
