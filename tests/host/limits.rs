//! Requests that no device can serve: fixed cases of what fuzzers have found. Each once overflowed, ran out of memory, or gave a plan
//! that no device could run.

use wgpu_reduce::planners::{BatchRequest, ExactPlan, KeyPart, Shape, WholePlan, WholeRequest};
use wgpu_reduce::{
    Bins, Caps, ElementKind, Error, ExactTuning, OpRecord, Part, Plan, Problem, SegmentsTuning,
    SubgroupSizes, Tuning, View,
};

const ELEMENT: ElementKind = ElementKind::I32;

fn part(offset_bytes: u64, len: u64) -> Part {
    Part { offset_bytes, len }
}

fn reduction(caps: Caps) -> WholeRequest {
    WholeRequest {
        operation: OpRecord::ALL[0],
        element: ELEMENT,
        input: vec![part(0, 1 << 20)],
        output_offset_bytes: 0,
        in_place: false,
        tuning: Tuning::for_len(&caps, ELEMENT, 1 << 20),
        caps,
    }
}

fn segments(count_offset_bytes: Option<u64>) -> Problem<'static> {
    let shape = Shape::Segments(part(0, 1000), count_offset_bytes);
    sum(1 << 20).shaped(shape).left(Some([0; 3]), false)
}

fn by_key(key_offset_bytes: u64, output_offsets_bytes: [u64; 3]) -> Result<Plan, Error> {
    let place = part(key_offset_bytes, 1000);
    let keys = Shape::Runs(KeyPart { place, bytes: 4, are_floats: false });
    let problem = sum(1000).shaped(keys).left(Some(output_offsets_bytes), false);
    problem.plan(&Caps::baseline())
}

fn histogram(output_offset_bytes: u64) -> Result<Plan, Error> {
    let bins = Bins::even(0..10, 10).expect("they are bins");
    let problem = Problem::in_bins(ELEMENT, Shape::Bins(&bins, 1)).parts(vec![vec![part(0, 1000)]]);
    problem.left(Some([output_offset_bytes, 0, 0]), false).plan(&Caps::baseline())
}

fn sum(len: u64) -> Problem<'static> {
    Problem::by(OpRecord::ALL[0], ELEMENT, len)
}

fn axis(view: View, output_offset_bytes: u64) -> Result<Plan, Error> {
    let problem = sum(1 << 61).along(view, 1).left(Some([output_offset_bytes, 0, 0]), false);
    problem.plan(&Caps::baseline())
}

/// Devices that there cannot be, by what is wrong with them.
fn impossible() -> Vec<Caps> {
    let change = |change: fn(&mut Caps)| {
        let mut caps = Caps::baseline();
        change(&mut caps);
        caps
    };
    vec![
        change(|caps| caps.max_workgroups_per_dimension = 0),
        change(|caps| caps.max_workgroup_size = 0),
        change(|caps| caps.storage_alignment_bytes = 0),
        change(|caps| caps.storage_alignment_bytes = 1 << 63),
        change(|caps| caps.storage_alignment_bytes = u64::MAX),
        change(|caps| caps.subgroups = Some(SubgroupSizes { min: 4, max: u32::MAX })),
    ]
}

#[test]
fn devices_that_there_cannot_be_have_no_plans() {
    for caps in impossible() {
        let refused = WholePlan::new(&reduction(caps));
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
        let refused = segments(None).plan(&caps);
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
        let parts = [part(0, 1000)];
        let tuning = ExactTuning::for_len(&caps, 1000);
        assert!(ExactPlan::of(ElementKind::F32, &parts, &tuning, &caps).is_err());
        assert!(ExactPlan::of_pairs(ElementKind::F32, [&parts, &parts], &tuning, &caps).is_err());
    }
    let mut hasty = Caps::baseline();
    hasty.max_loop_turns = 0;
    assert!(matches!(WholePlan::new(&reduction(hasty)), Err(Error::Unsupported { .. })));
    let tuning = ExactTuning::for_len(&hasty, 1000);
    let refused = ExactPlan::of(ElementKind::F32, &[part(0, 1000)], &tuning, &hasty);
    assert!(matches!(refused, Err(Error::InvalidTuning { .. })), "{refused:?}");
}

#[test]
fn offsets_of_results_do_not_overflow() {
    let far = u64::MAX - 63;
    let invalid = |error: Error| assert!(matches!(error, Error::InvalidBuffer { .. }), "{error}");
    invalid(histogram(far).expect_err("it is too far"));
    let view = View::new(&[10, 10]).expect("it is one");
    invalid(axis(view, far).expect_err("it is too far"));
    for far in [[far, 0, 0], [0, far, 0], [0, 0, far]] {
        invalid(by_key(0, far).expect_err("it is too far"));
    }
    let far = segments(Some(u64::MAX - 3)).plan(&Caps::baseline());
    invalid(far.expect_err("it is too far"));
}

fn many(inputs: usize, caps: Caps) -> Result<Plan, Error> {
    let request = BatchRequest {
        operation: OpRecord::ALL[0],
        element: ELEMENT,
        inputs: vec![vec![part(0, 100)]; inputs],
        caps,
    };
    request.plan(|len| Tuning::for_len(&caps, ELEMENT, len))
}

/// Many small inputs have a workgroup each, and a result of 8 bytes.
#[test]
fn dispatches_that_inputs_share_are_within_limits() {
    let mut narrow = Caps::baseline();
    narrow.max_workgroups_per_dimension = 2;
    assert!(many(4, narrow).is_ok());
    let refused = many(7, narrow);
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
    let mut tight = Caps::baseline();
    tight.max_binding_bytes = 512;
    assert!(many(64, tight).is_ok());
    let refused = many(65, tight);
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
}

/// Seven small inputs share one.
#[test]
fn more_dispatches_than_fit_a_submission_are_refused() {
    let most = 7 << 17;
    let refused = many(most + 1, Caps::baseline());
    let error = refused.expect_err("there are too many").to_string();
    assert!(error.contains("more than 131072 dispatches at once"), "{error}");
}

/// Keys at odd bytes would have words read that begin elsewhere.
#[test]
fn keys_and_what_is_found_of_them_begin_with_words() {
    assert!(by_key(0, [0, 0, 0]).is_ok());
    for refused in [by_key(2, [0, 0, 0]), by_key(0, [0, 1, 0]), by_key(0, [0, 0, 6])] {
        assert!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");
    }
}

/// As many bindings as a plan may have are far fewer than rows.
#[test]
fn views_of_far_too_many_pieces_take_no_time() {
    for (shape, strides) in [([1 << 30, 1], [1 << 30, 1]), ([1, 1 << 30], [1, 1 << 30])] {
        let view = View::strided(&shape, &strides, 0).expect("it is one");
        let refused = axis(view, 0);
        assert!(matches!(refused, Err(Error::InvalidView { .. })), "{refused:?}");
    }
}

#[test]
fn workgroups_as_large_as_numbers_go_are_refused() {
    let mut caps = Caps::baseline();
    (caps.max_workgroup_size, caps.workgroup_storage_bytes) = (u32::MAX, u32::MAX);
    let workgroup_size = 1 << 31;
    let tuning = Tuning { workgroup_size, ..reduction(caps).tuning };
    let refused = WholePlan::new(&WholeRequest { tuning, ..reduction(caps) });
    assert!(matches!(refused, Err(Error::InvalidTuning { .. })), "{refused:?}");
    let default = SegmentsTuning::for_element(&caps, ELEMENT);
    let tuning = SegmentsTuning { workgroup_size, quads: u32::MAX, max_workgroups: 1, ..default };
    let refused = segments(None).tuned(tuning).plan(&caps);
    assert!(matches!(refused, Err(Error::InvalidTuning { .. })), "{refused:?}");
}

/// Partials of several words are counted by 32 bits, whatever a device has room for.
#[test]
fn partials_end_before_their_indices_do() {
    let mut caps = Caps::baseline();
    (caps.max_binding_bytes, caps.max_buffer_bytes) = (1 << 40, 1 << 40);
    let tuning = Tuning {
        workgroup_size: 1,
        max_workgroups: 1 << 20,
        loads_in_flight: 1,
        min_quads_per_invocation: 1,
        ..reduction(caps).tuning
    };
    let input = vec![part(0, 1 << 34); 64];
    let plan = WholePlan::new(&WholeRequest { input, tuning, ..reduction(caps) });
    for pass in plan.iter().flat_map(|plan| &plan.passes) {
        assert!(pass.target_bytes.end <= 1 << 31, "{:?}", pass.target_bytes);
    }
}
