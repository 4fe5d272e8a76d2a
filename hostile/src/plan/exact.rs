//! Exact sums of elements, and of products.

use super::caps::caps;
use super::cover::{Cursor, check_quads, spans};
use super::limits::{check_binding, check_grid};
use super::parts::{partner, parts};
use super::tuning::workgroup_size;
use super::{Made, made};
use crate::take::Bytes;
use wgpu_reduce::planners::{Dispatch, ExactPlan, Place};
use wgpu_reduce::{Caps, ElementKind, ExactTerms, ExactTuning};

/// A sum of the elements of one input.
pub(super) fn elements(bytes: &mut Bytes<'_>) -> Option<Made> {
    let caps = caps(bytes);
    let defaults: [Default; 2] = [ExactTuning::for_len, ExactTuning::for_doubles];
    let (element, tuning) = of_either(bytes, defaults, &caps);
    let size = element.size_bytes();
    let input = parts(bytes, size);
    let plan = ExactPlan::of(element, &input, &tuning, &caps).ok()?;
    check(&plan, &caps);
    let mut cursor = Cursor::new(&input, size);
    for dispatch in &plan.dispatches {
        let bytes = dispatch.source_bytes.clone().unwrap_or(0..0);
        for (first, count) in spans(&dispatch.parameters, size) {
            cursor.read(part(dispatch), &bytes, first, count);
        }
    }
    cursor.end();
    Some(made(&plan, caps))
}

/// A sum of the products of two.
pub(super) fn products(bytes: &mut Bytes<'_>) -> Option<Made> {
    let caps = caps(bytes);
    let defaults: [Default; 2] = [ExactTuning::for_pairs, ExactTuning::for_double_pairs];
    let (element, tuning) = of_either(bytes, defaults, &caps);
    let size = element.size_bytes();
    let left = parts(bytes, size);
    let right = partner(bytes, &left, size);
    let plan = ExactPlan::of_pairs(element, [&left, &right], &tuning, &caps).ok()?;
    check(&plan, &caps);
    let mut cursors = [Cursor::new(&left, size), Cursor::new(&right, size)];
    for dispatch in plan.dispatches.iter().filter(|_| plan.len > 0) {
        let (Some(bytes), Some(partner)) = (&dispatch.source_bytes, &dispatch.partner) else {
            panic!("{dispatch:?}")
        };
        let Place::Input(other) = partner.source else { panic!("{dispatch:?}") };
        let other = other.checked_sub(left.len()).expect("one of the second input");
        check_binding(&partner.source_bytes, &caps);
        partner.quad_bytes.iter().for_each(|bytes| check_binding(bytes, &caps));
        for (first, count) in spans(&dispatch.parameters, size) {
            let partner_first = first.wrapping_add(dispatch.parameters[8]);
            cursors[0].read(part(dispatch), bytes, first, count);
            cursors[1].read(other, &partner.source_bytes, partner_first, count);
        }
    }
    cursors.into_iter().for_each(Cursor::end);
    Some(made(&plan, caps))
}

/// What makes the default tuning of a length.
type Default = fn(&Caps, u64) -> ExactTuning;

/// `f32` or `f64`, and a tuning: the default of the type or any.
fn of_either(
    bytes: &mut Bytes<'_>,
    [single, double]: [Default; 2],
    caps: &Caps,
) -> (ElementKind, ExactTuning) {
    let choice = bytes.byte();
    let (element, default) = match choice & 2 {
        0 => (ElementKind::F32, single),
        _ => (ElementKind::F64, double),
    };
    if choice.is_multiple_of(2) {
        return (element, default(caps, bytes.scaled()));
    }
    let tuning = ExactTuning {
        workgroup_size: workgroup_size(bytes),
        max_workgroups: bytes.small_limit(&[1, 7, 300, 1000]),
        loads_in_flight: bytes.small_limit(&[1, 2, 4, 8, 16]),
        min_quads_per_invocation: bytes.small_limit(&[1, 4, 8, 1 << 10]),
        margin: bytes.small_limit(&[0, 2, 24]),
    };
    (element, tuning)
}

/// The part of the first input that is read.
fn part(dispatch: &Dispatch) -> usize {
    let Place::Input(part) = dispatch.source else { panic!("{dispatch:?}") };
    part
}

/// Dispatches are within limits, and no invocation of one has more terms than fit its window, or more turns than its
/// loops may take.
fn check(plan: &ExactPlan, caps: &Caps) {
    let ExactTuning { workgroup_size, loads_in_flight, .. } = plan.tuning;
    let size = plan.element.size_bytes();
    let most_terms = match plan.shader.terms {
        ExactTerms::Elements => 1 << 15,
        ExactTerms::Products => 1 << 14,
    };
    for (slot, dispatch) in plan.dispatches.iter().enumerate() {
        check_grid(dispatch.grid, dispatch.workgroups, caps);
        let [_, heads, body, body_end, _, tails, workgroups, place, ..] = dispatch.parameters;
        assert_eq!((workgroups, place as usize), (dispatch.workgroups, slot));
        assert!(workgroups <= plan.tuning.max_workgroups, "{plan}");
        if let Some(bytes) = &dispatch.source_bytes {
            check_binding(bytes, caps);
            check_quads(&dispatch.parameters, bytes, dispatch.quad_bytes.as_ref());
        }
        let tile = u64::from(workgroup_size) * u64::from(loads_in_flight);
        let tiles = u64::from(body_end - body).div_ceil(tile * u64::from(workgroups));
        let of_ends = u64::from(heads + tails).div_ceil(workgroup_size.into());
        let terms = tiles * u64::from(loads_in_flight) * (16 / size) + of_ends;
        assert!(terms <= most_terms, "{terms} terms in {plan}");
        let turns = tiles * u64::from(1 + 2 * loads_in_flight) + 200;
        assert!(turns <= caps.max_loop_turns.into(), "{turns} turns in {plan}");
    }
    let inputs = if plan.shader.terms == ExactTerms::Products { 2 } else { 1 };
    assert_eq!(plan.input_bytes(), inputs * size * plan.len, "{plan}");
}
