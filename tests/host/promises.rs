//! What every plan promises: each element is read exactly once, each slot written exactly once, and nothing exceeds
//! the device.

use crate::documented::accumulator_words;
use std::ops::Range;
use wgpu_reduce::planners::{
    Dispatch, Handover, Kernel, Place, Sink, WholePass, WholePlan, WholeRequest,
};
use wgpu_reduce::{Contents, ElementKind, Part, Scratch};

/// A dispatch counts its elements' indices from where they stand in the input.
fn check_base(part: &Part, before: u64, dispatch: &Dispatch, element: ElementKind) {
    let bytes = dispatch.source_bytes.clone().expect("a dispatch over elements reads some");
    let [.., low, high] = dispatch.parameters.map(u64::from);
    let size = element.size_bytes();
    let first_index = (before + bytes.start / size).wrapping_sub(part.offset_bytes / size);
    assert_eq!(high << 32 | low, first_index);
}

/// Elements of the input that a dispatch of `kernels/elements.wgsl` reads, in elements of the
/// buffer.
fn elements_read(dispatch: &Dispatch, element: ElementKind) -> [Range<u64>; 3] {
    let bytes = dispatch.source_bytes.clone().expect("a dispatch over elements reads some");
    let [head, heads, body, body_end, tail, tails, ..] = dispatch.parameters.map(u64::from);
    assert!(bytes.end.is_multiple_of(4), "part of a word");
    let (size, per_quad) = (element.size_bytes(), 16 / element.size_bytes());
    let (base, most) = (bytes.start / size, (bytes.end - bytes.start) / size);
    assert!(head + heads <= most, "head past the binding");
    assert!(tail + tails <= most, "tail past the binding");
    match &dispatch.quad_bytes {
        Some(quads) => {
            assert_eq!(quads.start, bytes.start);
            assert!(quads.end <= bytes.end && (quads.end - quads.start).is_multiple_of(16));
            assert!(body_end * 16 <= quads.end - quads.start, "body past the binding");
        }
        None => assert_eq!(body, body_end, "quads without a binding"),
    }
    [
        base + head..base + head + heads,
        base + body * per_quad..base + body_end * per_quad,
        base + tail..base + tail + tails,
    ]
}

fn check_coverage(request: &WholeRequest, plan: &WholePlan) {
    let elements = plan.passes.iter().filter(|pass| pass.variant.kernel == Kernel::Elements);
    let dispatches: Vec<_> = elements.flat_map(|pass| &pass.dispatches).collect();
    let mut before = 0;
    for (number, part) in request.input.iter().enumerate() {
        let first = part.offset_bytes / plan.element.size_bytes();
        let mut next = first;
        let of_part: Vec<_> =
            dispatches.iter().filter(|d| d.source == Place::Input(number)).copied().collect();
        for dispatch in &of_part {
            check_base(part, before, dispatch, plan.element);
        }
        before += part.len;
        let ranges = of_part.iter().flat_map(|d| elements_read(d, plan.element));
        for range in ranges.filter(|range| !range.is_empty()) {
            assert_eq!(range.start, next, "a gap or an overlap in {plan}");
            next = range.end;
        }
        assert_eq!(next, first + part.len, "the end of part {number} of {plan}");
    }
    let known = |source| matches!(source, Place::Input(number) if number < request.input.len());
    assert!(dispatches.iter().all(|d| known(d.source)), "{plan}");
}

/// Loops end before a device that limits their turns makes them.
pub(crate) fn check_turns(request: &WholeRequest, plan: &WholePlan) {
    let size = u64::from(plan.tuning.workgroup_size);
    for pass in &plan.passes {
        for dispatch in &pass.dispatches {
            let [head, heads, body, body_end, _, tails, ..] = dispatch.parameters.map(u64::from);
            let invocations = u64::from(dispatch.workgroups) * size;
            let turns = match pass.variant.kernel {
                Kernel::Elements | Kernel::Pairs => {
                    let loads = u64::from(plan.tuning.loads_in_flight);
                    let tiles = (body_end - body).div_ceil(invocations * loads);
                    // An exact sum may append the elements of a quad one by one.
                    let one_by_one = plan.operation.name().ends_with("_exact");
                    let per_quad = 16 / plan.element.size_bytes();
                    let of_load = if one_by_one { 1 + per_quad } else { 1 };
                    tiles * (1 + loads * of_load) + heads.div_ceil(size) + tails.div_ceil(size)
                }
                Kernel::Inputs | Kernel::Masked => panic!("in a plan: {plan}"),
                // Its first parameter is the number of partials.
                Kernel::Partials => head.div_ceil(invocations),
            };
            let of_last = if pass.handover.is_some() {
                // Loops over words, and those that wait.
                let words = accumulator_bytes(plan) / 4;
                6 * words * u64::from(dispatch.parameters[9]).div_ceil(size)
            } else {
                0
            };
            let turns = turns + of_last;
            assert!(turns <= u64::from(request.caps.max_loop_turns), "{turns} turns in {plan}");
        }
    }
}

/// Each pass leaves as many partials as the next one reads, side by side from slot 0.
pub(crate) fn check_slots(plan: &WholePlan) {
    let mut left: Option<(usize, u32)> = None;
    for pass in &plan.passes {
        match (pass.dispatches[0].source, left) {
            (Place::Scratch(index), Some((written, count))) => {
                assert_eq!(index, written, "{plan}");
                assert_eq!(pass.dispatches[0].parameters[0], count, "{plan}");
            }
            (Place::Input(_), None) => {}
            other => panic!("{other:?} in {plan}"),
        }
        left = match pass.target {
            Place::Scratch(index) => Some((index, check_targets(pass, plan))),
            _ => None,
        };
        assert!(left.is_none() || pass.handover.is_none(), "{plan}");
    }
    let last = plan.passes.last().expect("a plan has a pass");
    assert_eq!(last.target, Place::Output, "{plan}");
    let workgroups: u32 = last.dispatches.iter().map(|d| d.workgroups).sum();
    match &last.handover {
        None => assert_eq!((last.variant.sink, workgroups), (Sink::Result, 1), "{plan}"),
        Some(handover) => check_handover(last, handover, workgroups, plan),
    }
}

/// By what the operations are documented to keep of so many elements.
pub(crate) fn accumulator_bytes(plan: &WholePlan) -> u64 {
    4 * accumulator_words(plan.operation.name(), plan.element)
}

/// One dispatch whose last workgroup has room for what all of them leave, and a counter.
fn check_handover(pass: &WholePass, handover: &Handover, workgroups: u32, plan: &WholePlan) {
    assert_eq!(pass.variant.sink, Sink::Last, "{plan}");
    assert!(workgroups > 1, "{plan}");
    let mut next = 0;
    for dispatch in &pass.dispatches {
        let [.., first_partial, partials, _, _] = dispatch.parameters;
        assert_eq!((first_partial, partials), (next, workgroups), "{plan}");
        next += dispatch.workgroups;
    }
    let bytes = 256 + u64::from(workgroups) * (accumulator_bytes(plan) + 4);
    let Place::Scratch(index) = handover.place else {
        panic!("{handover:?} in {plan}");
    };
    let Scratch { bytes: allotted, contents, .. } = plan.scratch[index];
    assert_eq!((handover.bytes, allotted), (bytes, bytes), "{plan}");
    assert_eq!(contents, Contents::Counters, "{plan}");
}

fn check_targets(pass: &WholePass, plan: &WholePlan) -> u32 {
    assert_eq!(pass.variant.sink, Sink::Partials);
    let mut next = 0;
    for dispatch in &pass.dispatches {
        let (workgroups, first_slot) = match pass.variant.kernel {
            Kernel::Elements | Kernel::Pairs => (dispatch.parameters[6], dispatch.parameters[7]),
            Kernel::Inputs | Kernel::Masked => panic!("in a plan: {plan}"),
            Kernel::Partials => (dispatch.parameters[1], dispatch.parameters[2]),
        };
        assert_eq!((workgroups, first_slot), (dispatch.workgroups, next), "{plan}");
        next += workgroups;
    }
    let accumulator_bytes = accumulator_bytes(plan);
    assert_eq!(pass.target_bytes, 0..u64::from(next) * accumulator_bytes, "{plan}");
    next
}

pub(crate) fn check_limits(request: &WholeRequest, plan: &WholePlan) {
    let caps = &request.caps;
    for dispatch in plan.passes.iter().flat_map(|pass| &pass.dispatches) {
        let [x, y] = dispatch.grid;
        assert!(x >= 1 && y >= 1, "an empty grid in {plan}");
        assert!(x.max(y) <= caps.max_workgroups_per_dimension, "{plan}");
        assert!(u64::from(x) * u64::from(y) >= u64::from(dispatch.workgroups), "{plan}");
        assert!(u64::from(x) * (u64::from(y) - 1) < u64::from(dispatch.workgroups), "{plan}");
        if let Some(bytes) = &dispatch.source_bytes {
            assert!(bytes.end - bytes.start <= caps.max_binding_bytes, "{plan}");
            assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes), "{plan}");
            let invocations = u64::from(x) * u64::from(y) * u64::from(plan.tuning.workgroup_size);
            let most = (bytes.end - bytes.start) / plan.element.size_bytes().min(4);
            assert!(most + 4 * invocations < 1 << 32, "32-bit indices: {plan}");
        }
    }
}

/// Panics unless the plan keeps its promises.
pub(crate) fn check_plan(request: &WholeRequest, plan: &WholePlan) {
    if plan.len == 0 {
        assert_eq!(plan.passes.len(), 1, "{plan}");
    } else {
        check_coverage(request, plan);
    }
    check_slots(plan);
    check_limits(request, plan);
    check_turns(request, plan);
}
