//! Reductions of one input, and of pairs.

use super::caps::caps;
use super::cover::{Cursor, check_quads, spans};
use super::limits::{check_binding, check_grid};
use super::parts::{offset, partner, parts};
use super::text::{check_input_bytes, check_text};
use super::tuning::tuning;
use super::{Made, made};
use crate::promises::{check_limits, check_plan, check_slots, check_turns};
use crate::take::Bytes;
use wgpu_reduce::planners::{Kernel, Place, WholePlan, WholeRequest};
use wgpu_reduce::{ElementKind, OpRecord, Part};

/// A reduction of one input.
pub(super) fn of_one(bytes: &mut Bytes<'_>) -> Option<Made> {
    let operation = bytes.pick(&OpRecord::ALL);
    let request = request(bytes, operation);
    let plan = WholePlan::new(&request).ok()?;
    check_plan(&request, &plan);
    check_bindings(&request, &plan);
    Some(made(&plan, request.caps))
}

/// A reduction of two inputs, element by element.
pub(super) fn of_pairs(bytes: &mut Bytes<'_>) -> Option<Made> {
    let operation = bytes.pick(&OpRecord::PAIRS);
    let request = request(bytes, operation);
    let second = partner(bytes, &request.input, request.element.size_bytes());
    let plan = WholePlan::of_pairs(&request, &second).ok()?;
    check_pairs(&request, &second, &plan);
    check_slots(&plan);
    check_limits(&request, &plan);
    check_turns(&request, &plan);
    check_bindings(&request, &plan);
    Some(made(&plan, request.caps))
}

fn request(bytes: &mut Bytes<'_>, operation: &'static OpRecord) -> WholeRequest {
    let caps = caps(bytes);
    let element = bytes.pick(&ElementKind::ALL);
    let input = parts(bytes, element.size_bytes());
    let (output_offset_bytes, in_place) = (offset(bytes, 64), bytes.byte() % 2 == 1);
    let caps = bytes.pick(&[caps.without_subgroups(), caps]);
    let tuning = tuning(bytes, &caps, operation, element);
    WholeRequest { operation, element, input, output_offset_bytes, in_place, tuning, caps }
}

/// Each pair is read exactly once, in order.
fn check_pairs(request: &WholeRequest, second: &[Part], plan: &WholePlan) {
    let size = request.element.size_bytes();
    let (mut left, mut right) = (Cursor::new(&request.input, size), Cursor::new(second, size));
    let pairs = plan.passes.iter().filter(|pass| pass.variant.kernel == Kernel::Pairs);
    for dispatch in pairs.flat_map(|pass| &pass.dispatches) {
        let (Place::Input(part), Some(bytes), Some(partner)) =
            (dispatch.source, &dispatch.source_bytes, &dispatch.partner)
        else {
            panic!("{dispatch:?}");
        };
        let Place::Input(other) = partner.source else { panic!("{dispatch:?}") };
        let other = other.checked_sub(request.input.len()).expect("one of the second input");
        let delta = dispatch.parameters[10];
        check_quads(&dispatch.parameters, bytes, dispatch.quad_bytes.as_ref());
        for (first, count) in spans(&dispatch.parameters, size) {
            left.read(part, bytes, first, count);
            right.read(other, &partner.source_bytes, first.wrapping_add(delta), count);
        }
    }
    left.end();
    right.end();
}

/// All that is bound is within limits.
fn check_bindings(request: &WholeRequest, plan: &WholePlan) {
    let caps = &request.caps;
    for pass in &plan.passes {
        check_binding(&pass.target_bytes, caps);
        for dispatch in &pass.dispatches {
            check_grid(dispatch.grid, dispatch.workgroups, caps);
            let of_one = dispatch.source_bytes.iter().chain(&dispatch.quad_bytes);
            of_one.for_each(|bytes| check_binding(bytes, caps));
            if let Some(partner) = &dispatch.partner {
                let of_other = [&partner.source_bytes].into_iter().chain(&partner.quad_bytes);
                of_other.for_each(|bytes| check_binding(bytes, caps));
            }
        }
        if let Some(handover) = &pass.handover {
            check_binding(&(0..handover.bytes), caps);
        }
    }
    assert!(plan.scratch.iter().all(|scratch| scratch.bytes <= caps.max_buffer_bytes), "{plan}");
    assert!(plan.accuracy().error_bound(1.0) >= 0.0);
    check_input_bytes(plan);
    check_text(plan, caps, plan.passes.iter().map(|pass| pass.dispatches.len()).sum());
}
