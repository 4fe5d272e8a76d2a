//! Studies of made-up times.

use super::results::Results;
use super::{catalogue, finish, sheet};
use crate::args::{Arguments, Command, StudyName};
use crate::chart::Shape;
use crate::failure::{Failure, tests::Closed};
use crate::measure::{Best, Case, Measured, Outcome, Row, Setup, Timer, Times};
use crate::rows::Rows;
use clap::Parser as _;
use serde_json::{Value, json};
use wgpu_reduce::ladder::{Form, Level};
use wgpu_reduce::{Caps, ElementKind};

/// Every case takes 1 µs for each of its elements, times its level's number and 1.
fn measured(cases: &[Case], outcome: impl Fn(&Case, Times) -> Outcome) -> Measured {
    let row = |case: &Case| {
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let time_us = case.elements as f64 * f64::from(case.level.number() + 1);
        let times = Times { median_us: time_us, min_us: time_us / 2.0 };
        Row { case: *case, outcome: outcome(case, times) }
    };
    let setup = Setup {
        adapter: "An adapter (Vulkan)".into(),
        driver: String::new(),
        element: ElementKind::F32,
        elements: cases.iter().map(|case| case.elements).max().unwrap(),
        rows: Some(1),
        runs: 3,
        timer: Timer::Call,
        best: Some(Best { gb_per_s: 0.004, by: "nothing".into() }),
    };
    Measured { setup, rows: cases.iter().map(row).collect(), wrong_sums: Vec::new() }
}

fn right(_: &Case, times: Times) -> Outcome {
    Outcome::Ran { passes: 2, workgroup_size: 256, times: Some(times), ok: true }
}

fn text(print: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    print(&mut out);
    String::from_utf8(out).unwrap()
}

fn table(results: &Results<'_>) -> String {
    text(|out| sheet::print(results, out).unwrap())
}

#[test]
fn a_table_by_step() {
    let design =
        catalogue::design(StudyName::Steps, 1000, Rows::Count(1), &Caps::baseline()).unwrap();
    let measured = measured(&design.cases(), |case, times| match case.options.form {
        Form::WithinSubgroup => Outcome::Skipped { reason: "it cannot run" },
        _ if case.level == Level::GridStride => {
            Outcome::Ran { passes: 2, workgroup_size: 256, times: Some(times), ok: false }
        }
        _ => right(case, times),
    });
    let expected = "\
steps: Read bandwidth of seven steps
An adapter (Vulkan), driver unknown
1000 f32 elements
timed runs: 3, after 2 to warm up; wall-clock time of each call, because the device has no timestamps
best read bandwidth: 0.004 GB/s, by nothing

                                                                        E
                                GB/s  speed-up  in total  % of best  GB/s
step 0: 01 interleaved_modulo  0.002         -      1.00       50.0     -
step 1: 02 interleaved_packed  0.001      0.67      0.67       33.3     -
step 2: 03 sequential          0.001      0.75      0.50       25.0     -
step 3: 05 first_add           0.001      0.67      0.33       16.7    41
step 4: 07 unroll_last             -         -         -          -     -
step 5: 08 unroll_full         0.000      0.67      0.22       11.1     -
step 6: 09 grid_stride         WRONG     WRONG     WRONG      WRONG     -

E: Tesla T4, i32
steps 3 to 5 load two elements per invocation
07 unroll_last (within_subgroup): skipped, it cannot run
";
    let results = design.with("steps".into(), &measured);
    assert_eq!(table(&results), expected);
    assert!(measured.verdict().is_err());
    for option in ["--no-subgroups", "--csv", "--json"] {
        let arguments = ["wgpu-reduce", "study", "steps", option];
        let Command::Study(arguments) = Arguments::parse_from(arguments).command else { panic!() };
        let outcome = finish(&results, &measured, &arguments.measuring, None, &mut Closed);
        assert!(matches!(outcome, Err(Failure::Failed(_))), "{option}: {outcome:?}");
    }
    let Shape::Bars(bars) = results.chart().shape else { panic!("no bars") };
    assert_eq!((bars.len(), bars[4].value), (7, None));
}

#[test]
fn a_table_by_size_has_what_was_reported_beside_it() {
    let mut caps = Caps::baseline();
    caps.max_workgroup_size = 1024;
    let design = catalogue::design(StudyName::OneRound, 1 << 12, Rows::Count(1), &caps).unwrap();
    let measured = measured(&design.cases(), right);
    let results = design.with("one-round".into(), &measured);
    let table = table(&results);
    let lines: Vec<_> = table.lines().collect();
    let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(6), "2^10 2^12 D, 2^30");
    assert_eq!(words(7), "us per 2^20 elements");
    assert_eq!(words(8), "01 mod, workgroups of 256 ms 2.048 8.192");
    assert_eq!(words(9), "us per 2^20 elements 2097152.0 2097152.0 72.5");
    assert_eq!(words(26), "07 warp, workgroups of 1024 ms 8.192 32.768");
    assert_eq!(words(27), "us per 2^20 elements 8388608.0 8388608.0 40.0");
    let csv = text(|out| results.print_csv(out).unwrap());
    let lines: Vec<_> = csv.lines().collect();
    assert!(
        lines[0].ends_with(",us_per_mi,reported,reported_unit,reported_x,reported_by"),
        "{csv}"
    );
    assert!(lines[1].ends_with(",2097152.0,,,,"), "{csv}");
    let end = ",2097152.0,72.5,us per 2^20 elements,1073741824,D";
    assert!(lines[2].ends_with(end), "{csv}");
    let Shape::Graph(graph) = results.chart().shape else { panic!("no curves") };
    assert_eq!(graph.ticks, [(1 << 10, "2^10".into()), (1 << 12, "2^12".into())]);
    assert_eq!(graph.curves[0].points, [(1 << 10, 2.048), (1 << 12, 8.192)]);
    assert_eq!(results.chart().values, "time (ms)");
    // 4 bytes a microsecond.
    let best = results.chart().best.unwrap();
    assert_eq!(best.points, [(1 << 10, 1.024), (1 << 12, 4.096)]);
}

#[test]
fn a_table_by_another_number_has_lines_of_what_was_reported() {
    let design =
        catalogue::design(StudyName::WorkgroupSize, 1000, Rows::Count(1), &Caps::baseline())
            .unwrap();
    let measured = measured(&design.cases(), right);
    let results = design.with("workgroup-size".into(), &measured);
    let table = table(&results);
    let lines: Vec<_> = table.lines().skip(6).take(7).collect();
    let expected = [
        "                                       64    128    256",
        "01 interleaved_modulo  GB/s         0.002  0.002  0.002",
        "                       % of best     50.0   50.0   50.0",
        "                       A % of peak      -   48.1   47.2",
        "08 unroll_full         GB/s         0.000  0.000  0.000",
        "                       % of best     11.1   11.1   11.1",
        "                       A % of peak      -   94.0      -",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn object_and_lines_have_the_same_figures() {
    let design =
        catalogue::design(StudyName::ItemsPerThread, 1000, Rows::Count(1), &Caps::baseline())
            .unwrap();
    let measured = measured(&design.cases(), right);
    let results = design.with("items-per-thread".into(), &measured);
    let json = text(|out| results.print_json(out).unwrap());
    let csv = text(|out| results.print_csv(out).unwrap());
    let lines: Vec<_> = csv.lines().collect();
    let names = lines[0].split(',');
    let cells: Vec<_> = names.zip(lines[6].split(',')).collect();
    assert_eq!(
        cells[..3].iter().map(|(_, cell)| *cell).collect::<Vec<_>>(),
        ["items-per-thread", "06 coarsened", "items_per_thread"]
    );
    let end = [
        ("reported", "94.0"),
        ("reported_unit", "% of peak"),
        ("reported_x", "32"),
        ("reported_by", "A"),
    ];
    assert!(cells.ends_with(&end), "{csv}");
    for (name, cell) in &cells[3..cells.len() - end.len()] {
        let [plain, quoted] = [cell.to_string(), format!("\"{cell}\"")];
        let value = if cell.is_empty() { "null" } else { &plain };
        let field = [value, &quoted].map(|value| format!("\"{name}\":{value}"));
        assert!(field.iter().any(|field| json.contains(field)), "no {field:?} in {json}");
    }
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["timer"], &json["adapter"]), (&json!("call"), &json!("An adapter (Vulkan)")));
    assert_eq!(json["series"][0]["points"][5]["gpu_us"], 7000.0);
}
