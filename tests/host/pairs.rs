//! Plans of two inputs: every pair is read once, and nothing exceeds the device.

use proptest::prelude::*;
use wgpu_reduce::planners::{Dispatch, Kernel, Place, Sink, WholePlan, WholeRequest};
use wgpu_reduce::{
    Caps, CustomOp, DotExact, ElementKind, Error, Matrix, MeanExact, OpRecord, Part, Problem,
    SumExact, Tuning,
};

fn request(input: Vec<Part>, caps: Caps) -> WholeRequest {
    let len = input.iter().map(|part| part.len).sum();
    WholeRequest {
        operation: OpRecord::PAIRS[0],
        element: ElementKind::I32,
        input,
        output_offset_bytes: 0,
        in_place: false,
        tuning: Tuning::for_len(&caps, ElementKind::I32, len),
        caps,
    }
}

fn part(offset: u64, len: u64) -> Part {
    Part { offset_bytes: 4 * offset, len }
}

/// The pairs that a dispatch reads, as ranges of elements of both buffers.
fn ranges(dispatch: &Dispatch) -> Vec<(u64, u64, u64)> {
    let partner = dispatch.partner.as_ref().expect("a dispatch over pairs has both");
    let bytes = dispatch.source_bytes.clone().expect("a dispatch over pairs reads some");
    let [head, heads, body, body_end, tail, tails, .., delta, last] = dispatch.parameters;
    assert_eq!(last, 0);
    if delta.is_multiple_of(4) && body < body_end {
        let quads = partner.quad_bytes.clone().expect("quads are bound");
        assert_eq!(quads.start, partner.source_bytes.start);
        assert!(quads.end <= partner.source_bytes.end);
        assert_eq!(quads.end - quads.start, 4 * u64::from((4 * body_end).wrapping_add(delta)));
    }
    let range = |first: u32, count: u32| {
        let partner_first = partner.source_bytes.start / 4 + u64::from(first.wrapping_add(delta));
        let partner_end = 4 * (partner_first + u64::from(count));
        assert!(count == 0 || partner_end <= partner.source_bytes.end);
        (bytes.start / 4 + u64::from(first), partner_first, u64::from(count))
    };
    let all = [range(head, heads), range(4 * body, 4 * (body_end - body)), range(tail, tails)];
    all.into_iter().filter(|(_, _, count)| *count > 0).collect()
}

/// Checks the plan of two inputs in one buffer each.
fn check(plan: &WholePlan, a: Part, b: Part, caps: &Caps) {
    let pass = &plan.passes[0];
    assert_eq!(pass.variant.kernel, Kernel::Pairs);
    let mut done = 0;
    for dispatch in &pass.dispatches {
        let partner = dispatch.partner.as_ref().expect("a dispatch over pairs has both");
        assert_eq!((dispatch.source, partner.source), (Place::Input(0), Place::Input(1)));
        for bytes in dispatch.source_bytes.iter().chain([&partner.source_bytes]) {
            assert!(bytes.end - bytes.start <= caps.max_binding_bytes);
            assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes));
        }
        assert!(dispatch.grid.iter().product::<u32>() >= dispatch.workgroups);
        for (first, partner_first, count) in ranges(dispatch) {
            assert_eq!(
                (first, partner_first),
                (a.offset_bytes / 4 + done, b.offset_bytes / 4 + done)
            );
            done += count;
        }
    }
    assert_eq!(done, a.len, "{plan}");
}

#[test]
fn a_plan_of_pairs_tells_what_it_reads() {
    let caps = Caps::baseline();
    let plan = WholePlan::of_pairs(&request(vec![part(1, 1000)], caps), &[part(2, 1000)]).unwrap();
    assert_eq!((plan.len, plan.inputs, plan.input_bytes()), (1000, 2, 8000));
    let text = plan.to_string();
    assert!(text.contains("dot of 1000 i32 pairs\n"), "{text}");
    assert!(text.contains("over bytes 0..4004 of Input(0) and 0..4008 of Input(1)"), "{text}");
    let of_one = WholePlan::new(&WholeRequest {
        operation: OpRecord::ALL[0],
        ..request(vec![part(1, 1000)], caps)
    });
    assert_eq!(of_one.unwrap().inputs, 1);
}

#[test]
fn parts_of_both_inputs_are_numbered_one_after_another() {
    let caps = Caps::baseline();
    let a = vec![part(0, 100), part(3, 0), part(1, 200)];
    let plan = WholePlan::of_pairs(&request(a, caps), &[part(5, 250), part(0, 50)]).unwrap();
    let sources: Vec<_> = plan.passes[0]
        .dispatches
        .iter()
        .map(|dispatch| (dispatch.source, dispatch.partner.as_ref().unwrap().source))
        .collect();
    let input = Place::Input;
    assert_eq!(sources, [(input(0), input(3)), (input(2), input(3)), (input(2), input(4))]);
}

#[test]
fn what_does_not_pair_is_refused() {
    let caps = Caps::baseline();
    for (a, b) in [(3, 4), (0, 1), (1, 0)] {
        let refused = WholePlan::of_pairs(&request(vec![part(0, a)], caps), &[part(0, b)]);
        assert_eq!(refused, Err(Error::LengthMismatch { left: a, right: b }));
    }
    let one = request(vec![part(0, 3)], caps);
    let refused = WholePlan::new(&one).unwrap_err();
    assert_eq!(refused, Error::WrongInputs { operation: "dot", inputs: 1 });
    assert_eq!(refused.to_string(), "dot needs two inputs, whose elements it pairs");
    let sum = WholeRequest { operation: OpRecord::ALL[0], ..one };
    let refused = WholePlan::of_pairs(&sum, &[part(0, 3)]).unwrap_err();
    assert_eq!(refused.to_string(), "sum takes one input and not 2");
}

#[test]
fn no_pairs_need_no_elements() {
    let caps = Caps::baseline();
    let plan = WholePlan::of_pairs(&request(vec![], caps), &[part(3, 0)]).unwrap();
    assert_eq!((plan.len, plan.passes.len()), (0, 1));
    assert_eq!(plan.passes[0].variant.kernel, Kernel::Partials);
}

#[test]
fn a_result_in_place_takes_a_pass_of_its_own() {
    let caps = Caps::baseline();
    let in_place = WholeRequest { in_place: true, ..request(vec![part(0, 100)], caps) };
    let plan = WholePlan::of_pairs(&in_place, &[part(1, 100)]).unwrap();
    let sinks: Vec<_> = plan.passes.iter().map(|pass| pass.variant.sink).collect();
    assert_eq!(sinks, [Sink::Partials, Sink::Result]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_pair_is_read_once(
        len in (0_u32..24, 0_u64..100).prop_map(|(log, more)| (1 << log) + more),
        offsets in (0_u64..300, 0_u64..300),
        binding in (12_u32..28).prop_map(|log| 1_u64 << log),
        alignment in prop::sample::select(vec![4_u64, 16, 64, 256]),
        per_dimension in 1_u32..400,
        turns in prop::sample::select(vec![65_000, u32::MAX]),
    ) {
        let mut caps = Caps::baseline();
        caps.max_binding_bytes = binding;
        caps.storage_alignment_bytes = alignment;
        caps.max_workgroups_per_dimension = per_dimension;
        caps.max_loop_turns = turns;
        let (a, b) = (part(offsets.0, len), part(offsets.1, len));
        match WholePlan::of_pairs(&request(vec![a], caps), &[b]) {
            Ok(plan) => check(&plan, a, b, &caps),
            Err(error) => prop_assert!(
                matches!(error, Error::InvalidTuning { .. }) && binding < 1 << 20, "{error}"
            ),
        }
    }
}

/// Pairs are whole inputs or have a view: nothing has another shape, exact sums have none, and nothing is left unread.
#[test]
fn problems_take_the_inputs_of_their_fold() {
    let caps = Caps::baseline();
    let map = "fn map(a: f32, b: f32, index: u32) -> f32 { return a * b; }
        fn combine(left: f32, right: f32) -> f32 { return left + right; }
        fn finish(total: f32) -> f32 { return total; }";
    let operator = CustomOp::<(f32, f32), f32, f32>::new(map, 0.0).unwrap();
    let by_reference = &operator;
    let of = |element| Problem::new::<(f32, f32), _>(&by_reference, element, 100);
    assert_eq!(of(ElementKind::F32).plan(&caps).unwrap().inputs, 2);
    let matrix = Matrix { rows: 10, columns: 10 };
    assert_eq!(of(ElementKind::F32).along(matrix, 1).plan(&caps).unwrap().inputs, 2);
    let refused = of(ElementKind::F32).segments(3).plan(&caps);
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
    let exact = Problem::new::<(f32, f32), _>(&DotExact, ElementKind::F32, 100).along(matrix, 1);
    assert!(matches!(exact.plan(&caps), Err(Error::Unsupported { .. })));
    assert!(matches!(of(ElementKind::U8).plan(&caps), Err(Error::NotDefined { .. })));

    let part = vec![Part { offset_bytes: 0, len: 100 }];
    let sum = Problem::new::<f32, _>(&SumExact, ElementKind::F32, 100);
    let dot = Problem::new::<(f32, f32), _>(&DotExact, ElementKind::F32, 100);
    assert_eq!(dot.plan(&caps).unwrap().inputs, 2);
    let wrong = [sum.clone().parts(vec![part.clone(); 2]), dot.parts(vec![part])];
    for (problem, inputs) in wrong.into_iter().zip([2, 1]) {
        let refused = problem.plan(&caps).unwrap_err();
        assert!(
            matches!(refused, Error::WrongInputs { inputs: found, .. } if found == inputs),
            "{refused}"
        );
    }

    // A mean whose sum the host can put together has every shape.
    let of_bytes = Problem::new::<f32, _>(&MeanExact, ElementKind::U8, 100).plan(&caps);
    assert!(matches!(of_bytes, Err(Error::NotDefined { .. })), "{of_bytes:?}");
    let mean = || Problem::new::<f32, _>(&MeanExact, ElementKind::F32, 100);
    assert_eq!(mean().plan(&caps).map(|plan| plan.len), Ok(100));
    for shaped in [mean().along(matrix, 1), mean().segments(3), mean().runs::<u32>()] {
        assert_eq!(shaped.plan(&caps).map(|plan| plan.passes().is_empty()), Ok(false));
    }

    let tuning = |len| Tuning::for_len(&caps, ElementKind::F32, len);
    assert!(matches!(
        sum.clone().plan_batch(usize::MAX, tuning, &caps),
        Err(Error::Unsupported { .. })
    ));
    let tuned = sum.tuned(tuning(100)).plan_batch(2, tuning, &caps);
    assert!(matches!(tuned, Err(Error::InvalidTuning { .. })), "{tuned:?}");
}
