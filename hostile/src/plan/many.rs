//! Many inputs at once.

use super::caps::caps;
use super::limits::check_binding;
use super::parts::{part, parts};
use super::tuning::tuning;
use super::{Made, made};
use crate::promises::check_plan;
use crate::take::Bytes;
use wgpu_reduce::planners::{
    AlonePlan, Collective, ManyPlan, ManyRequest, ManyStep, SharedDispatch, WholeRequest,
};
use wgpu_reduce::{ElementKind, OpRecord, Part, Tuning};

/// A reduction of each of several inputs.
pub(super) fn many(bytes: &mut Bytes<'_>) -> Option<Made> {
    let caps = caps(bytes);
    let (operation, element) = (bytes.pick(&OpRecord::ALL), bytes.pick(&ElementKind::ALL));
    let inputs = (0..bytes.byte() % 20).map(|_| input(bytes, element.size_bytes())).collect();
    let tuning = tuning(bytes, &caps, operation, element);
    let collective = bytes.pick(&[Collective::Workgroup, Collective::Subgroup]);
    let request = ManyRequest { operation, element, inputs, partners: None, collective, caps };
    let plan = ManyPlan::new(&request, |_| tuning).ok()?;
    let mut next = (0, 0);
    for step in &plan.steps {
        let (input, buffer, count) = match step {
            ManyStep::Shared(shared) => {
                check_shared(shared, &request);
                (shared.first_input, shared.first_buffer, shared.inputs.len())
            }
            ManyStep::Alone(alone) => {
                check_alone(alone, &request, tuning);
                (alone.input, alone.first_buffer, 1)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!((input, buffer), next, "{plan}");
        let buffers: usize = request.inputs[input..input + count].iter().map(Vec::len).sum();
        next = (input + count, buffer + buffers);
    }
    assert_eq!(next.0, request.inputs.len(), "{plan}");
    assert!(plan.shaders().count() >= plan.steps.len());
    Some(made(plan, request.caps))
}

/// Mostly one part, and mostly a small one.
fn input(bytes: &mut Bytes<'_>, size: u64) -> Vec<Part> {
    let kind = bytes.byte();
    match kind % 8 {
        0 => parts(bytes, size),
        1 => vec![part(bytes, size)],
        _ => vec![Part { offset_bytes: size * u64::from(kind), len: bytes.byte().into() }],
    }
}

/// Each input is whole behind a binding of its own.
fn check_shared(shared: &SharedDispatch, request: &ManyRequest) {
    assert!((1..=7).contains(&shared.inputs.len()));
    assert!((1..=request.caps.max_workgroup_size).contains(&shared.workgroup_size));
    let most = u64::from(request.caps.max_workgroups_per_dimension).pow(2);
    assert!(most >= shared.inputs.len() as u64, "{most} workgroups for {shared:?}");
    let size = request.element.size_bytes();
    for (input, parts) in shared.inputs.iter().zip(&request.inputs[shared.first_input..]) {
        let &[Part { offset_bytes, len }] = &parts[..] else { panic!("{shared:?}") };
        assert_eq!(u64::from(input.len), len);
        let Some(bytes) = &input.bytes else {
            assert_eq!(len, 0);
            continue;
        };
        check_binding(bytes, &request.caps);
        assert_eq!(bytes.start + u64::from(input.first) * size, offset_bytes);
        assert!(offset_bytes + len * size <= bytes.end);
    }
}

/// An input on its own has a plan like any other.
fn check_alone(alone: &AlonePlan, request: &ManyRequest, tuning: Tuning) {
    let &ManyRequest { operation, element, collective, caps, .. } = request;
    let request = WholeRequest {
        operation,
        element,
        input: request.inputs[alone.input].clone(),
        output_offset_bytes: 0,
        in_place: false,
        collective,
        tuning,
        caps,
    };
    check_plan(&request, &alone.plan);
}
