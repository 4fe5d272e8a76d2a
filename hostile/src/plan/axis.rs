//! Views along an axis.

use super::Made;
use super::caps::caps;
use super::parts::{offset, partner, parts};
use super::text::{check_bounds, check_text};
use super::tuning::workgroup_size;
use crate::take::Bytes;
use wgpu_reduce::{
    AxisTuning, Caps, ElementKind, Matrix, OpRecord, Part, Plan, Problem, View, followed,
};

/// Elements of views and results that are followed one by one: of more that would take long.
const MOST_FOLLOWED: u64 = 1 << 14;

/// Rows or columns of a matrix without gaps.
pub(super) fn matrix(bytes: &mut Bytes<'_>) -> Option<Made> {
    let (rows, columns) = (extent(bytes), extent(bytes));
    let of_shape = View::new(&[rows, columns]);
    let view = View::from(Matrix { rows, columns });
    assert!(of_shape.is_err() || of_shape == Ok(view));
    along(bytes, view)
}

/// Any view.
pub(super) fn strided(bytes: &mut Bytes<'_>) -> Option<Made> {
    let dimensions = usize::from(bytes.byte() % 8);
    let shape: Vec<_> = (0..dimensions).map(|_| extent(bytes)).collect();
    let kind = bytes.byte();
    let stride = |bytes: &mut Bytes<'_>| {
        let stride = extent(bytes).cast_signed();
        if bytes.byte() % 4 == 3 { stride.wrapping_neg() } else { stride }
    };
    let view = if kind.is_multiple_of(4) {
        View::new(&shape)
    } else {
        let strides: Vec<_> = (0..dimensions).map(|_| stride(bytes)).collect();
        View::strided(&shape, &strides, bytes.scaled())
    };
    along(bytes, view.ok()?)
}

/// Mostly a small one, so that several multiply to what a device may have.
fn extent(bytes: &mut Bytes<'_>) -> u64 {
    bytes.scaled() >> (bytes.byte() % 64)
}

fn along(bytes: &mut Bytes<'_>, view: View) -> Option<Made> {
    let caps = caps(bytes);
    let (operation, element) = (bytes.pick(&OpRecord::ALL), bytes.pick(&ElementKind::ALL));
    let input = if bytes.byte().is_multiple_of(4) {
        parts(bytes, element.size_bytes())
    } else {
        let offset_bytes = offset(bytes, element.size_bytes());
        vec![Part { offset_bytes, len: u64::MAX >> (bytes.byte() % 4) }]
    };
    let byte = bytes.byte();
    let (output_offset_bytes, in_place) = (offset(bytes, 64), bytes.byte().is_multiple_of(8));
    let problem = with_beside(bytes, operation, element, input)
        .left((byte % 4 != 3).then_some([output_offset_bytes, 0, 0]), in_place && byte % 4 != 3)
        .tuned(tuning(bytes, &caps));
    // Several axes are planned beside the one.
    let several: Vec<_> = (0..8).filter(|axis| byte >> axis & 1 == 1).collect();
    let _checked = planned(&problem, view, &several, &caps);
    planned(&problem, view, &[usize::from(byte % 7)], &caps).map(|plan| (plan, caps))
}

/// A problem of an input, alone, with a mask, or with partners.
fn with_beside(
    bytes: &mut Bytes<'_>,
    operation: &'static OpRecord,
    element: ElementKind,
    input: Vec<Part>,
) -> Problem<'static> {
    match bytes.byte() % 4 {
        0 => {
            let mask = partner(bytes, &input, 1);
            Problem::by(operation, element, 0).parts(vec![input]).masked(mask)
        }
        1 => {
            let second = partner(bytes, &input, element.size_bytes());
            Problem::by(OpRecord::PAIRS[0], element, 0).parts(vec![input, second])
        }
        _ => Problem::by(operation, element, 0).parts(vec![input]),
    }
}

/// The plan along axes, if there is one, and its problem.
pub(super) fn planned_along<'p>(
    problem: &Problem<'p>,
    (view, axes): (View, &[usize]),
    caps: &Caps,
) -> Option<(Problem<'p>, Plan)> {
    let problem = problem.clone().along(view, axes);
    let plan = problem.plan(caps).ok()?;
    let outputs: u64 = view.without(axes).expect("they are there").iter().product();
    let elements: u64 = axes.iter().map(|&axis| view.shape()[axis]).product();
    assert_eq!((plan.results, plan.len), (outputs, elements), "{plan}");
    assert_eq!(plan.passes().is_empty(), outputs == 0, "{plan}");
    check_text(&plan, caps, plan.passes().len());
    Some((problem, plan))
}

fn planned(problem: &Problem<'_>, view: View, axes: &[usize], caps: &Caps) -> Option<Plan> {
    let (problem, plan) = planned_along(problem, (view, axes), caps)?;
    let tuning = plan.tuning.axis().expect("it is that of an axis");
    assert!(tuning.workgroup_size <= caps.max_workgroup_size, "{plan}");
    check_bounds(&plan.accuracy());
    assert!(plan.least_bytes() >= plan.results, "{}", plan.results);
    if plan.results.saturating_mul(plan.len.max(1)) <= MOST_FOLLOWED {
        followed::view(&problem, &plan, caps);
    }
    Some(plan)
}

fn tuning(bytes: &mut Bytes<'_>, caps: &Caps) -> AxisTuning {
    if bytes.byte().is_multiple_of(2) {
        return AxisTuning::for_caps(caps);
    }
    AxisTuning {
        workgroup_size: workgroup_size(bytes),
        invocations: bytes.small_limit(&[1, 1 << 10, 1 << 18, 1 << 31]),
        max_workgroups: bytes.small_limit(&[1, 64, 8448, 1 << 20]),
        loads_in_flight: bytes.small_limit(&[1, 2, 4, 8, 16]),
        rows_in_flight: bytes.small_limit(&[1, 2, 3, 4]),
        short_team: bytes.small_limit(&[1, 8, 32, 1 << 31]),
        min_unaligned: bytes.small_limit(&[64, 256, 1000]),
        shortest_team: bytes.small_limit(&[1, 8, 32, 1 << 31]),
        widest_block: bytes.small_limit(&[1, 8, 32, 1 << 31]),
        max_partial_bytes: bytes.small_limit(&[0, 64, 4096, 1 << 28]).into(),
    }
}
