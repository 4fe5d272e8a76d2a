//! What plans tell of themselves, in figures and as text.

use crate::named;
use wgpu_reduce::planners::Shape;
use wgpu_reduce::{Bins, Caps, ElementKind, Matrix, Part, Problem};

fn part(len: u64) -> Part {
    Part { offset_bytes: 0, len }
}

/// The last line of a text, and all but it.
fn last_line(text: &str) -> (&str, &str) {
    let text = text.strip_suffix('\n').expect("lines end");
    text.rsplit_once('\n').map_or(("", text), |(before, last)| (before, last))
}

#[test]
fn a_plan_along_an_axis() {
    let plan = |name, element| {
        let problem = Problem::by(named(name), element, 200_000);
        let problem = problem.along(Matrix { rows: 1000, columns: 200 }, 1);
        problem.plan(&Caps::baseline()).expect("it is valid")
    };
    let sum = plan("sum", ElementKind::F32);
    let text = sum.to_string();
    let (before, roundings) = last_line(&text);
    let head = "sum of 1000 x 200 f32 elements\n  reads 800000 bytes of elements; ";
    assert!(text.starts_with(head), "{text}");
    assert!(before.contains("\n  pass 1: ") && before.contains("LANES = "), "{text}");
    assert!(sum.roundings > 0);
    assert_eq!(roundings, format!("  at most {} roundings per element", sum.roundings));
    assert_eq!(sum.least_bytes(), 4 * 200_000 + 4 * 1000);
    let max = plan("max", ElementKind::U8);
    assert!(max.roundings == 0 && !max.to_string().contains("roundings"), "{max}");
    assert_eq!(max.least_bytes(), 200_000 + 4 * 1000);
    assert_eq!(plan("sum", ElementKind::I32).least_bytes(), 4 * 200_000 + 8 * 1000);
}

#[test]
fn a_plan_of_segments() {
    let plan = |name, len, segments: u64| {
        let problem = Problem::by(named(name), ElementKind::F32, len).segments(segments);
        problem.plan(&Caps::baseline()).expect("it is valid")
    };
    let sum = plan("sum", 1 << 20, 3000);
    let text = sum.to_string();
    assert_eq!((sum.len, sum.results), (1 << 20, 3000));
    assert!(text.starts_with("sum of 3000 segments of 1048576 f32 elements\n"), "{text}");
    let (_, roundings) = last_line(&text);
    let of_segment = sum.accuracy_of(100).roundings;
    assert!(of_segment > 0);
    assert_eq!(roundings, format!("  at most {of_segment} roundings per element"));
    // Elements, results, and an offset of each.
    assert_eq!(sum.least_bytes(), 4 * (1 << 20) + (4 + 4) * 3000);
    let max = plan("max", 1 << 20, 3000).to_string();
    assert!(!max.contains("roundings"), "{max}");
    let empty = plan("sum", 0, 5);
    assert_eq!((empty.len, empty.results), (0, 5));
}

#[test]
fn a_plan_by_key() {
    let plan = |name, len| {
        let problem = Problem::by(named(name), ElementKind::F32, len).runs::<u32>();
        problem.plan(&Caps::baseline()).expect("it is valid")
    };
    let sum = plan("sum", 5000);
    assert_eq!(sum.len, 5000);
    let text = sum.to_string();
    let (head, passes) = text.split_once('\n').expect("lines");
    assert_eq!(head, "sum of runs of 5000 equal keys, in one pass over both");
    assert!(passes.contains("\n  pass 1: ") && passes.contains(" workgroups over "), "{text}");
    // A value of several words is found by its segment.
    let stats = plan("stats", 5000).to_string();
    let head = "stats of runs of 5000 equal keys, found first\n";
    assert!(stats.starts_with(head), "{stats}");
    let empty = plan("sum", 0);
    assert_eq!(empty.len, 0);
}

#[test]
fn a_plan_of_a_histogram() {
    let plan = |bins: u32| {
        let bins = Bins::even(0..65_536, bins).expect("they are bins");
        let problem = Problem::in_bins(ElementKind::U16, Shape::Bins(&bins, 2));
        problem.parts(vec![vec![part(100_000)]]).plan(&Caps::baseline()).expect("it is valid")
    };
    let few = plan(16);
    assert_eq!((few.input_bytes(), few.results), (200_000, 2 * (16 + 3)));
    let text = few.to_string();
    assert!(
        text.contains(
            "100000 u16 elements, 16 bins, 2 channels\n  reads 200000 bytes of elements; "
        ),
        "{text}"
    );
    assert!(text.contains(", COPIES = "), "{text}");
    // So many have no room in a workgroup.
    let many = plan(65_536);
    assert!(!many.to_string().contains(", COPIES = "), "{many}");
}
