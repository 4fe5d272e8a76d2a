//! The planner of many inputs, by its promises: every input has one step, in order, and one place for its
//! result; shared dispatches read every element of their inputs and nothing else; and how an input is
//! reduced does not depend on its neighbours.

use proptest::prelude::*;
use wgpu_reduce::planners::{
    BatchRequest, Dispatch, Place, SharedInput, WholePass, WholePlan, WholeRequest, shared,
};
use wgpu_reduce::{Caps, ElementKind, Error, OpRecord, Part, Plan, Problem, Tuning};

const SMALL_BYTES: u64 = 32 << 10;

fn request(element: ElementKind, inputs: Vec<Vec<Part>>) -> BatchRequest {
    let (operation, mut caps) = (OpRecord::ALL[0], Caps::baseline());
    caps.f64 = true;
    BatchRequest { operation, element, inputs, caps }
}

fn plan(request: &BatchRequest) -> Result<Plan, Error> {
    request.plan(|len| Tuning::for_len(&request.caps, request.element, len))
}

fn part(offset: u64, len: u64) -> Vec<Part> {
    vec![Part { offset_bytes: offset * 4, len }]
}

/// Whether an input is one that shares, if there are others.
fn is_small(input: &[Part], element: ElementKind) -> bool {
    matches!(input, [part] if part.len * element.size_bytes() <= SMALL_BYTES)
}

/// The inputs are those of the request from one on, whose first buffer has a number.
fn check_shared(inputs: &[SharedInput], request: &BatchRequest, first: usize, mut buffer: usize) {
    assert!((1..=7).contains(&inputs.len()), "{inputs:?}");
    let size = request.element.size_bytes();
    for (read, input) in inputs.iter().zip(&request.inputs[first..]) {
        assert!(is_small(input, request.element), "{inputs:?}");
        assert_eq!((read.source, u64::from(read.len)), (Place::Input(buffer), input[0].len));
        buffer += 1;
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

/// How many inputs share each step, in order; 0 of one on its own.
fn steps(request: &BatchRequest, plan: &Plan) -> Vec<usize> {
    let (mut passes, mut steps, mut next) = (plan.passes(), Vec::new(), 0);
    while let Some(first) = passes.first() {
        let (of_step, count) = match shared(first) {
            Some((first_slot, inputs)) => {
                assert_eq!(first_slot as usize, next, "{plan}");
                (1, inputs.len())
            }
            None => (alone(request, next).passes().len(), 0),
        };
        passes = &passes[of_step..];
        next += count.max(1);
        steps.push(count);
    }
    assert_eq!(next, request.inputs.len(), "{plan}");
    steps
}

/// The plan of an input on its own.
fn alone(request: &BatchRequest, number: usize) -> WholePlan {
    let input = request.inputs[number].clone();
    let len = input.iter().map(|part| part.len).sum();
    let whole = WholeRequest {
        operation: request.operation,
        element: request.element,
        input,
        output_offset_bytes: 0,
        in_place: false,
        tuning: Tuning::for_len(&request.caps, request.element, len),
        caps: request.caps,
    };
    WholePlan::new(&whole).expect("it has a plan in the batch")
}

fn check(request: &BatchRequest, plan: &Plan) {
    assert_eq!(plan.inputs, request.inputs.len());
    let (mut passes, mut next, mut buffers) = (plan.passes(), 0, 0);
    for count in steps(request, plan) {
        let of_step = if let Some((_, inputs)) = shared(&passes[0]) {
            check_shared(&inputs, request, next, buffers);
            1
        } else {
            let is_only = request.inputs.len() == 1;
            assert!(is_only || !is_small(&request.inputs[next], request.element), "{plan}");
            let own = alone(request, next);
            for (pass, other) in passes.iter().zip(own.passes()) {
                assert_eq!((pass.to_string(), pass.grids()), (other.to_string(), other.grids()));
                let sources = |pass| Dispatch::all(pass, 6).into_iter().map(|it| it.source);
                for (source, of_own) in sources(pass).zip(sources(other)) {
                    let Place::Input(number) = of_own else { continue };
                    assert_eq!(source, Place::Input(buffers + number), "{plan}");
                }
            }
            own.passes().len()
        };
        passes = &passes[of_step..];
        let inputs = &request.inputs[next..next + count.max(1)];
        buffers += inputs.iter().map(Vec::len).sum::<usize>();
        next += count.max(1);
    }
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
        let request = request(ElementKind::F32, inputs);
        steps(&request, &plan(&request).unwrap())
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
    // Results have 8 bytes each: the third of three large ones ends at byte 24.
    let request = request(ElementKind::U32, vec![part(0, 100_000); 3]);
    let plan = plan(&request).unwrap();
    let ends = WholePass::all(&plan).into_iter().filter(|pass| pass.target == Place::Output);
    let ends = ends.map(|pass| pass.target_bytes.end);
    assert_eq!(ends.collect::<Vec<_>>(), [8, 16, 24]);
}

/// As soon as there are too many: a plan of them all would take more memory than there is.
#[test]
fn batches_of_far_too_many_dispatches_take_no_time() {
    let caps = Caps::baseline();
    let parts = vec![Part { offset_bytes: 0, len: 64 }; 60_000];
    let problem = Problem::by(OpRecord::ALL[0], ElementKind::F32, 0).parts(vec![parts]);
    let tuning = |len| Tuning::for_len(&caps, ElementKind::F32, len);
    let refused = problem.plan_batch(1 << 20, tuning, &caps);
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
}

#[test]
fn the_first_input_that_has_an_error_decides() {
    let max = crate::named("max");
    let inputs = vec![part(0, 5), part(0, 0), part(0, 1)];
    let empty = BatchRequest { operation: max, ..request(ElementKind::F32, inputs) };
    assert!(matches!(plan(&empty), Err(Error::Empty { .. })));
    let odd = vec![Part { offset_bytes: 2, len: 5 }];
    let odd = request(ElementKind::F32, vec![part(0, 5), odd]);
    assert!(matches!(plan(&odd), Err(Error::InvalidBuffer { .. })));
    let unfit = request(ElementKind::F32, vec![part(0, 5); 2]);
    let tuning =
        |len| Tuning { workgroup_size: 3, ..Tuning::for_len(&unfit.caps, ElementKind::F32, len) };
    assert!(matches!(unfit.plan(tuning), Err(Error::InvalidTuning { .. })));
}
