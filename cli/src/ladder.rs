//! `ladder`: every level, run and timed.

use crate::args;
use crate::chart::{Bar, Best, Chart, Shape};
use crate::failure::Failure;
use crate::fields::{Fields, print_csv};
use crate::measure::{Bench, Case, Measured, Row, SpeedUps, form_name, percent, print_skipped};
use crate::output::{self, Output};
use crate::table::{self, Align, format_rate, or_nothing};
use serde::Serialize;
use std::io::Write;
use wgpu_reduce::ladder::{Level, RunOptions};
use wgpu_reduce::{AdapterClass, Caps};

pub(crate) fn run(arguments: &args::Ladder, out: &mut impl Write) -> Result<(), Failure> {
    let measuring = &arguments.measuring;
    arguments.elements.map_or(Ok(()), |elements| arguments.rows.check(elements))?;
    let image = output::open_one("--svg", measuring.svg.as_deref(), &[])?;
    let bench = Bench::open(measuring, arguments.dtype)?;
    let elements = arguments.elements.unwrap_or(default_elements(bench.reducer.caps().class));
    arguments.rows.check(elements)?;
    let measured = bench.measure(&cases(arguments, elements, &bench.reducer.caps()))?;
    finish(&measured, measuring, image, out)
}

/// Fewer on a CPU, which takes seconds for more.
const fn default_elements(class: AdapterClass) -> u64 {
    match class {
        AdapterClass::Cpu => 1 << 20,
        _ => 16 << 20,
    }
}

/// Every level that is asked for in its default form, and then the others.
fn cases(arguments: &args::Ladder, elements: u64, caps: &Caps) -> Vec<Case> {
    let case = |level, form| {
        let workgroup_size = arguments.workgroup_size;
        let options = RunOptions { form, workgroup_size, ..RunOptions::default() };
        arguments.rows.case(level, options, elements, caps)
    };
    let is_asked_for =
        |level: &Level| arguments.levels.is_empty() || arguments.levels.contains(level);
    let levels = || Level::ALL.into_iter().filter(is_asked_for);
    let default_forms = levels().filter_map(|level| Some(case(level, *level.forms().first()?)));
    let other_forms =
        levels().flat_map(|level| level.forms().iter().skip(1).map(move |&form| case(level, form)));
    let others = if arguments.forms { usize::MAX } else { 0 };
    default_forms.chain(other_forms.take(others)).collect()
}

/// Prints and draws, and fails if an answer was wrong, whether or not anybody reads on.
fn finish(
    measured: &Measured,
    measuring: &args::Measuring,
    image: Option<Output>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut out = output::beside(image.as_ref(), out);
    let printed = print(measured, measuring, &mut out);
    let drawn = image.map_or(Ok(()), |image| image.write(&chart(measured).svg()?));
    measured.verdict().and(drawn).and(printed)
}

fn print(
    measured: &Measured,
    measuring: &args::Measuring,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let rungs = rungs(measured);
    if measuring.json {
        print_json(measured, &rungs, out)
    } else if measuring.csv {
        let fields: Vec<_> = rungs.iter().map(|rung| rung.fields(measured)).collect();
        print_csv(&fields, out)
    } else {
        print_table(measured, &rungs, out)
    }
}

/// Whether the level ran in its default form.
fn is_default(row: &Row) -> bool {
    row.case.level.forms().first() == Some(&row.case.options.form)
}

/// A level beside the ones below it.
struct Rung<'a> {
    row: &'a Row,
    /// Over default forms.
    speed_ups: SpeedUps,
}

fn rungs<'m>(measured: &'m Measured) -> Vec<Rung<'m>> {
    let rate_of = |level: Level| {
        measured.rows.iter().find(|row| row.case.level == level).and_then(Row::gb_per_s)
    };
    let rates = Level::ALL.map(rate_of);
    let rung = |row: &'m Row| {
        let place = row.case.level.number().into();
        Rung { row, speed_ups: SpeedUps::new(row.gb_per_s(), place, &rates) }
    };
    measured.rows.iter().map(rung).collect()
}

impl Rung<'_> {
    fn fields(&self, measured: &Measured) -> Fields {
        let mut fields = self.row.fields(measured.setup.best_gb_per_s());
        fields.push("speed_up", self.speed_ups.step);
        fields.push("speed_up_in_total", self.speed_ups.in_total);
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
            ratio(self.speed_ups.step),
            ratio(self.speed_ups.in_total),
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
    let (levels, other_forms): (Vec<_>, Vec<_>) =
        rungs.iter().partition(|rung| is_default(rung.row));
    lines.extend(levels.iter().map(|rung| rung.cells(measured)));
    if !other_forms.is_empty() {
        lines.push(Vec::new());
    }
    lines.extend(other_forms.iter().map(|rung| rung.cells(measured)));
    table::print(&lines, &[Align::Left, Align::Left], out)?;
    writeln!(out)?;
    writeln!(out, "speed-up: of GB/s, over the level before and over level 00")?;
    // Other forms have as many as the default one.
    let small = |row: &&Row| row.case.is_cut() && row.case.elements < measured.setup.elements;
    for row in measured.rows.iter().filter(|row| is_default(row)).filter(small) {
        let Case { level, elements, .. } = row.case;
        writeln!(out, "{level}: on {elements} elements only, because it is so slow")?;
    }
    print_skipped(&measured.rows, out)
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
        let mut label = row.case.level.to_string();
        if !is_default(row) {
            label = format!("{label}, {}", form_name(row.case.options.form));
        }
        Bar { label, value: row.gb_per_s(), mark: None }
    });
    Chart {
        title: format!("The ladder: sum of {}", setup.subject()),
        subtitle: setup.caption(),
        values: "read bandwidth (GB/s)",
        best: setup
            .best_gb_per_s()
            .map(|best| Best { gb_per_s: best, points: vec![(setup.elements, best)] }),
        shape: Shape::Bars(bars.collect()),
        marks: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{cases, default_elements, finish};
    use crate::args::{self, Arguments, Command};
    use crate::failure::{Failure, tests::Closed};
    use crate::measure::{Measured, Outcome, Row, Setup, Timer};
    use clap::Parser as _;
    use wgpu_reduce::{AdapterClass, Caps, ElementKind};

    fn arguments(options: &[&str]) -> args::Ladder {
        let arguments = ["wgpu-reduce", "ladder"].iter().chain(options);
        let Command::Ladder(arguments) = Arguments::parse_from(arguments).command else { panic!() };
        arguments
    }

    /// Levels of which the first may have been wrong.
    fn measured(first_is_right: bool, wrong_sums: &[&str]) -> Measured {
        let cases = cases(&arguments(&[]), 1000, &Caps::baseline());
        let rows = cases.into_iter().enumerate().map(|(index, case)| {
            let ok = index > 0 || first_is_right;
            Row { case, outcome: Outcome::Ran { passes: 1, workgroup_size: 64, times: None, ok } }
        });
        let setup = Setup {
            adapter: "An adapter (Vulkan)".into(),
            driver: String::new(),
            element: ElementKind::F32,
            elements: 1000,
            rows: Some(1),
            runs: 3,
            timer: Timer::Call,
            best: None,
        };
        let wrong_sums = wrong_sums.iter().map(ToString::to_string).collect();
        Measured { setup, rows: rows.collect(), wrong_sums }
    }

    #[test]
    fn wrong_answers_fail_even_if_nobody_reads_on() {
        for options in [&[][..], &["--csv"], &["--json"]] {
            let measuring = arguments(options).measuring;
            let fault = |measured: &Measured| {
                let closed = finish(measured, &measuring, None, &mut Closed);
                let open = finish(measured, &measuring, None, &mut Vec::new());
                match (closed, open) {
                    (Err(Failure::Failed(closed)), Err(Failure::Failed(open))) => {
                        assert_eq!(closed, open);
                        closed
                    }
                    outcomes => panic!("{outcomes:?}"),
                }
            };
            let first = fault(&measured(false, &[]));
            assert_eq!(first, "1 of 17 sums are wrong; please report this");
            let own = fault(&measured(true, &["sum, 4 workgroups"]));
            assert_eq!(own, "the answer of sum, 4 workgroups is wrong; please report this");
            let both = fault(&measured(false, &["sum"]));
            assert!(both.starts_with("1 of 17 sums are wrong; the answer of sum is"), "{both}");
            let outcome = finish(&measured(true, &[]), &measuring, None, &mut Closed);
            assert!(matches!(outcome, Err(Failure::Output(_))), "{outcome:?}");
        }
    }

    #[test]
    fn a_cpu_gets_fewer_elements() {
        assert_eq!(arguments(&[]).elements, None);
        assert_eq!(default_elements(AdapterClass::Gpu), 1 << 24);
        assert_eq!(default_elements(AdapterClass::Cpu), 1 << 20);
    }
}
