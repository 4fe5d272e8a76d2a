//! Many inputs at once.

use super::Made;
use super::caps::caps;
use super::limits::check_binding;
use super::parts::{part, parts};
use super::tuning::tuning;
use crate::promises::check_plan;
use crate::take::Bytes;
use wgpu_reduce::planners::{
    BatchRequest, Place, SharedInput, WholePlan, WholeRequest, constant, shared,
};
use wgpu_reduce::{ElementKind, OpRecord, Part, PlannedPass};

/// A reduction of each of several inputs.
pub(super) fn many(bytes: &mut Bytes<'_>) -> Option<Made> {
    let caps = caps(bytes);
    let (operation, element) = (bytes.pick(&OpRecord::ALL), bytes.pick(&ElementKind::ALL));
    let inputs = (0..bytes.byte() % 20).map(|_| input(bytes, element.size_bytes())).collect();
    let tuning = tuning(bytes, &caps, operation, element);
    let caps = bytes.pick(&[caps.without_subgroups(), caps]);
    let request = BatchRequest { operation, element, inputs, caps };
    let plan = request.plan(|_| tuning).ok()?;
    let mut passes = plan.passes();
    let (mut input, mut buffer) = (0, 0);
    while let [pass, rest @ ..] = passes {
        let count = if let Some((first, of_pass)) = shared(pass) {
            assert_eq!(first as usize, input, "{plan}");
            check_shared(pass, &of_pass, &request, (input, buffer));
            passes = rest;
            of_pass.len()
        } else {
            // An input on its own has the passes of any other.
            let alone = WholeRequest {
                operation,
                element,
                input: request.inputs[input].clone(),
                output_offset_bytes: 0,
                in_place: false,
                tuning,
                caps,
            };
            let planned = WholePlan::new(&alone).expect("it has a plan in the batch");
            check_plan(&alone, &planned);
            let (own, rest) = passes.split_at(planned.passes().len());
            for (own, other) in own.iter().zip(planned.passes()) {
                assert_eq!((own.wgsl(), own.grids()), (other.wgsl(), other.grids()), "{plan}");
            }
            passes = rest;
            1
        };
        buffer += request.inputs[input..input + count].iter().map(Vec::len).sum::<usize>();
        input += count;
    }
    assert_eq!(input, request.inputs.len(), "{plan}");
    Some((plan, request.caps))
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

/// Each input is whole behind a binding of its own, in order from a buffer on.
fn check_shared(
    pass: &PlannedPass,
    inputs: &[SharedInput],
    request: &BatchRequest,
    (first, mut buffer): (usize, usize),
) {
    assert!((1..=7).contains(&inputs.len()));
    let size_of = constant(pass, "WORKGROUP_SIZE").expect("it is told");
    assert!((1..=request.caps.max_workgroup_size).contains(&size_of));
    let most = u64::from(request.caps.max_workgroups_per_dimension).pow(2);
    assert!(most >= inputs.len() as u64, "{most} workgroups for {inputs:?}");
    let size = request.element.size_bytes();
    for (input, parts) in inputs.iter().zip(&request.inputs[first..]) {
        let &[Part { offset_bytes, len }] = &parts[..] else { panic!("{inputs:?}") };
        assert_eq!((input.source, u64::from(input.len)), (Place::Input(buffer), len));
        buffer += 1;
        let Some(bytes) = &input.bytes else {
            assert_eq!(len, 0);
            continue;
        };
        check_binding(bytes, &request.caps);
        assert_eq!(bytes.start + u64::from(input.first) * size, offset_bytes);
        assert!(offset_bytes + len * size <= bytes.end);
    }
}
