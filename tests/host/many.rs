//! The planner of many inputs, by its promises: every input has one step, in order, and one place for its
//! result; shared dispatches read every element of their inputs and nothing else; and how an input is
//! reduced does not depend on its neighbours.

use proptest::prelude::*;
use wgpu_reduce::planners::{
    Collective, Kernel, ManyPlan, ManyRequest, ManyStep, Place, SharedDispatch,
};
use wgpu_reduce::{Caps, ElementKind, Error, OpRecord, Part, Tuning};

const SMALL_BYTES: u64 = 32 << 10;

fn request(element: ElementKind, inputs: Vec<Vec<Part>>) -> ManyRequest {
    let (operation, mut caps) = (OpRecord::ALL[0], Caps::baseline());
    caps.f64 = true;
    ManyRequest {
        operation,
        element,
        inputs,
        partners: None,
        collective: Collective::Workgroup,
        caps,
    }
}

fn plan(request: &ManyRequest) -> Result<ManyPlan, Error> {
    ManyPlan::new(request, |len| Tuning::for_len(&request.caps, request.element, len))
}

fn part(offset: u64, len: u64) -> Vec<Part> {
    vec![Part { offset_bytes: offset * 4, len }]
}

/// Whether an input is one that shares, if there are others.
fn is_small(input: &[Part], element: ElementKind) -> bool {
    matches!(input, [part] if part.len * element.size_bytes() <= SMALL_BYTES)
}

fn check_shared(shared: &SharedDispatch, request: &ManyRequest) {
    assert_eq!(shared.variant.kernel, Kernel::Inputs);
    assert!((1..=7).contains(&shared.inputs.len()), "{shared:?}");
    let size = request.element.size_bytes();
    for (read, input) in shared.inputs.iter().zip(&request.inputs[shared.first_input..]) {
        assert!(is_small(input, request.element), "{shared:?}");
        assert_eq!(u64::from(read.len), input[0].len);
        let Some(bytes) = &read.bytes else {
            assert_eq!(read.len, 0, "elements without a binding");
            continue;
        };
        assert!(bytes.start.is_multiple_of(request.caps.storage_alignment_bytes));
        assert_eq!(bytes.start + u64::from(read.first) * size, input[0].offset_bytes);
        let end = input[0].offset_bytes + input[0].len * size;
        assert_eq!(bytes.end, end.next_multiple_of(4), "what is bound ends with the input's words");
    }
}

fn check(request: &ManyRequest, plan: &ManyPlan) {
    assert_eq!(plan.inputs, request.inputs.len());
    let (mut next, mut buffers) = (0, 0);
    for step in &plan.steps {
        let (first, first_buffer, count) = match step {
            ManyStep::Shared(shared) => {
                check_shared(shared, request);
                (shared.first_input, shared.first_buffer, shared.inputs.len())
            }
            ManyStep::Alone(alone) => {
                let input = &request.inputs[alone.input];
                assert_eq!(alone.plan.len, input.iter().map(|part| part.len).sum::<u64>());
                let is_only = request.inputs.len() == 1;
                assert!(is_only || !is_small(input, request.element), "{plan}");
                let last = alone.plan.passes.last().unwrap();
                assert_eq!(last.target, Place::Output, "{plan}");
                (alone.input, alone.first_buffer, 1)
            }
            _ => unreachable!("a step that this test does not know"),
        };
        assert_eq!((first, first_buffer), (next, buffers), "{plan}");
        buffers += request.inputs[next..next + count].iter().map(Vec::len).sum::<usize>();
        next += count;
    }
    assert_eq!(next, request.inputs.len(), "{plan}");
}

fn any_input() -> impl Strategy<Value = Vec<Part>> {
    let len = prop_oneof![0_u64..100, 8_000_u64..8_400, 16_000_u64..33_000, 0_u64..3_000_000];
    let part = (0_u64..1000, len).prop_map(|(words, len)| Part { offset_bytes: words * 8, len });
    prop_oneof![
        4 => part.clone().prop_map(|part| vec![part]),
        1 => prop::collection::vec(part, 0..4),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn plans_keep_their_promises(
        inputs in prop::collection::vec(any_input(), 0..30),
        element in prop::sample::select(ElementKind::ALL.to_vec()),
    ) {
        let request = request(element, inputs);
        if request.operation.takes(element) {
            check(&request, &plan(&request).unwrap());
        }
    }
}

#[test]
fn small_inputs_share_and_a_single_one_does_not() {
    let steps = |inputs: Vec<Vec<Part>>| {
        let plan = plan(&request(ElementKind::F32, inputs)).unwrap();
        let count = |step: &ManyStep| match step {
            ManyStep::Shared(shared) => shared.inputs.len(),
            _ => 0,
        };
        plan.steps.iter().map(count).collect::<Vec<_>>()
    };
    assert!(steps(vec![]).is_empty());
    assert_eq!(steps(vec![part(0, 9)]), [0]);
    assert_eq!(steps(vec![part(0, 9); 20]), [7, 7, 6]);
    assert_eq!(steps(vec![part(0, 8192), part(3, 8193), part(1, 0)]), [1, 0, 1]);
    let halves = vec![Part { offset_bytes: 0, len: 4 }; 2];
    assert_eq!(steps(vec![part(0, 1), halves, vec![], part(0, 1), part(0, 2)]), [1, 0, 0, 2]);
}

#[test]
fn results_lie_side_by_side() {
    // Of 8 bytes each: the third of three large ones ends at byte 24.
    let request = request(ElementKind::U32, vec![part(0, 100_000); 3]);
    let plan = plan(&request).unwrap();
    let ends = plan.steps.iter().map(|step| match step {
        ManyStep::Alone(alone) => alone.plan.passes.last().unwrap().target_bytes.end,
        _ => 0,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [8, 16, 24]);
}

#[test]
fn the_first_input_that_has_an_error_decides() {
    let max = crate::named("max");
    let inputs = vec![part(0, 5), part(0, 0), part(0, 1)];
    let empty = ManyRequest { operation: max, ..request(ElementKind::F32, inputs) };
    assert!(matches!(plan(&empty), Err(Error::Empty { .. })));
    let mut without = request(ElementKind::F64, vec![vec![Part { offset_bytes: 0, len: 5 }]; 2]);
    without.caps.f64 = false;
    assert!(matches!(plan(&without), Err(Error::Unsupported { .. })));
    let odd = vec![Part { offset_bytes: 2, len: 5 }];
    let odd = request(ElementKind::F32, vec![part(0, 5), odd]);
    assert!(matches!(plan(&odd), Err(Error::InvalidBuffer { .. })));
    let unfit = request(ElementKind::F32, vec![part(0, 5); 2]);
    let tuning =
        |len| Tuning { workgroup_size: 3, ..Tuning::for_len(&unfit.caps, ElementKind::F32, len) };
    assert!(matches!(ManyPlan::new(&unfit, tuning), Err(Error::InvalidTuning { .. })));
}
