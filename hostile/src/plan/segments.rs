//! Segments.

use super::Made;
use super::caps::caps;
use super::parts::{offset, part, parts};
use super::text::{check_bounds, check_text};
use super::tuning::workgroup_size;
use crate::take::Bytes;
use wgpu_reduce::planners::Shape;
use wgpu_reduce::{Caps, ElementKind, OpRecord, Plan, Problem, SegmentsTuning, followed};

/// A reduction of segments.
pub(super) fn segments(bytes: &mut Bytes<'_>) -> Option<Made> {
    let caps = caps(bytes);
    let (operation, element) = (bytes.pick(&OpRecord::ALL), bytes.pick(&ElementKind::ALL));
    let kind = bytes.byte();
    let input = parts(bytes, element.size_bytes());
    let len = input.iter().fold(0_u64, |sum, part| sum.saturating_add(part.len));
    let offsets = part(bytes, 4);
    let count_offset_bytes = (kind & 1 == 1).then(|| offset(bytes, 4));
    let output_offset_bytes = (kind & 2 == 2).then(|| offset(bytes, 64));
    let problem = Problem::by(operation, element, 0)
        .parts(vec![input])
        .shaped(Shape::Segments(offsets, count_offset_bytes))
        .left(output_offset_bytes.map(|results| [results, 0, 0]), false)
        .tuned(tuning(bytes, &caps, element));
    let plan = problem.plan(&caps).ok()?;
    assert_eq!((plan.len, plan.results + 1), (len, offsets.len), "{plan}");
    // Without segments there is at most a word of the only offset to the host.
    let passes = if plan.results == 0 { 0..=1 } else { 2..=3 };
    assert!(passes.contains(&plan.passes().len()), "{plan}");
    check_tuning(&plan, &caps);
    assert!(plan.least_bytes() >= len * element.size_bytes());
    for len in [bytes.scaled(), u64::MAX] {
        check_bounds(&plan.accuracy_of(len));
    }
    check_text(&plan, &caps, 0);
    followed::segments(&problem, &plan, &caps);
    // What has a plan has one of its offsets alone, which the same binding covers.
    assert!(followed::first_wrong(&problem, &caps), "{plan}");
    // Where no binding covers the count, there is no plan.
    let _ = followed::counted_input(&problem, offset(bytes, 4), &caps);
    Some((plan, caps))
}

/// A tuning of segments.
pub(super) fn tuning(bytes: &mut Bytes<'_>, caps: &Caps, element: ElementKind) -> SegmentsTuning {
    if bytes.byte().is_multiple_of(2) {
        return SegmentsTuning::for_element(caps, element);
    }
    SegmentsTuning {
        workgroup_size: workgroup_size(bytes),
        quads: bytes.small_limit(&[1, 2, 3, 4, 5, 8]),
        max_workgroups: bytes.small_limit(&[1, 5, 2112, 1 << 16]),
        split_workgroup_size: bytes.small_limit(&[1, 64, 1000, u32::MAX]),
        close_workgroup_size: workgroup_size(bytes),
        ..SegmentsTuning::for_element(caps, element)
    }
}

fn check_tuning(plan: &Plan, caps: &Caps) {
    let SegmentsTuning { workgroup_size, quads, max_workgroups, .. } =
        plan.tuning.segments().expect("it is that of segments");
    assert!((1..=caps.max_workgroup_size).contains(&workgroup_size), "{plan}");
    assert!(quads >= 1 && max_workgroups >= 1, "{plan}");
    assert!(
        16 * u64::from(workgroup_size) * u64::from(quads) <= caps.workgroup_storage_bytes.into()
    );
}
