//! Plans, followed on the CPU: what each workgroup of each pass combines, in which order.

use crate::error::{Error, Result};
use crate::op::Fold;
use crate::op::element::ElementKind;
use crate::plan::caps::{AdapterClass, Caps};
use crate::plan::cut::part::Part;
use crate::plan::cut::part::tests::parts_of;
use crate::plan::followed::assert_within;
use crate::plan::limits::tests::{anything, devices, low};
use crate::plan::planned::Plan;
use crate::plan::problem::Problem;
use crate::plan::recording::{Bound, CustomParameters, Place, RecordedDispatch, binding};
use crate::plan::tuning::{Combining, Tuning};
use crate::shader::custom::CustomOp;
use crate::shader::custom::shader::{CustomShader, Kernel, Leaves, Reads};
use crate::shader::{Origin, Shader};
use proptest::prelude::*;

const ONE: &str =
    "fn map(element: u32, index: u32) -> vec3<u32> { return vec3<u32>(element, index, 0u); }
    fn combine(left: vec3<u32>, right: vec3<u32>) -> vec3<u32> { return left; }";

const TWO: &str = "fn map(a: u32, b: u32, index: u32) -> u32 { return a; }
    fn combine(left: u32, right: u32) -> u32 { return left; }";

fn one() -> CustomOp<u32, [u32; 3]> {
    CustomOp::new(ONE, [7, 8, 9]).unwrap()
}

fn two() -> CustomOp<(u32, u32), u32> {
    CustomOp::new(TWO, 5).unwrap()
}

fn caps(max_binding_bytes: u64, per_dimension: u32, class: AdapterClass) -> Caps {
    let mut caps = Caps::baseline();
    caps.max_binding_bytes = max_binding_bytes;
    caps.max_workgroups_per_dimension = per_dimension;
    caps.max_loop_turns = if class == AdapterClass::Cpu { 65_000 } else { u32::MAX };
    caps.class = class;
    caps
}

fn part(offset: u64, len: u64) -> Part {
    Part { offset_bytes: 4 * offset, len }
}

/// An element by its buffer and its place there, and its partner's.
type Pair = [(usize, u64); 2];

/// All pairs of two inputs, in order; where there is one, it is its own partner.
fn pairs_of(input: &[Vec<Part>]) -> Vec<Pair> {
    let mut first_buffer = 0;
    let inputs: Vec<Vec<_>> = input
        .iter()
        .map(|parts| {
            let elements = parts.iter().zip(first_buffer..).flat_map(|(part, buffer)| {
                let first = part.offset_bytes / 4;
                (first..first + part.len).map(move |element| (buffer, element))
            });
            let elements = elements.collect();
            first_buffer += parts.len();
            elements
        })
        .collect();
    let partners = inputs.last().unwrap();
    inputs[0].iter().zip(partners).map(|(&a, &b)| [a, b]).collect()
}

fn bound(dispatch: &RecordedDispatch, number: u32) -> Option<&Bound> {
    dispatch.bindings.iter().find(|bound| bound.binding == number)
}

/// The place in a buffer of element `at` behind a binding, which must cover it.
fn place(bound: &Bound, at: u32) -> (usize, u64) {
    let bytes = bound.bytes.as_ref().unwrap();
    let element = bytes.start + 4 * u64::from(at);
    assert!(element + 4 <= bytes.end, "{at} of {bound:?}");
    match bound.place {
        Place::Input(buffer) => (buffer, element / 4),
        other => panic!("{other:?} is no input"),
    }
}

/// What `fold_element` maps: the index, and the elements.
fn mapped(dispatch: &RecordedDispatch, at: u32) -> (u32, Pair) {
    let CustomParameters { base, delta, .. } = dispatch.told();
    let first = place(bound(dispatch, binding::SOURCE).unwrap(), at);
    let partner = bound(dispatch, binding::PARTNER_WORDS)
        .map_or(first, |bound| place(bound, at.wrapping_add(delta)));
    (base.wrapping_add(at), [first, partner])
}

/// What a unit maps, by the bindings of quads.
fn quad(dispatch: &RecordedDispatch, unit: u32) -> Vec<(u32, Pair)> {
    let CustomParameters { delta, .. } = dispatch.told();
    let quads = bound(dispatch, binding::VECTORS).unwrap();
    let mut read = vec![(quads, 4 * unit)];
    let partner = (4 * unit).wrapping_add(delta);
    match bound(dispatch, binding::PARTNER_QUADS) {
        Some(quads) if partner.is_multiple_of(4) => read.push((quads, partner)),
        _ => {}
    }
    for (bound, first) in read {
        place(bound, first + 3);
    }
    (4 * unit..4 * unit + 4).map(|at| mapped(dispatch, at)).collect()
}

/// The lists that the workgroups of a dispatch leave, each with its slot.
fn fold<T: Clone>(
    dispatch: &RecordedDispatch,
    element: impl Fn(u32) -> Vec<T>,
    unit: impl Fn(u32) -> Vec<T>,
) -> Vec<Vec<T>> {
    let told: CustomParameters = dispatch.told();
    let CustomParameters { window, workgroups, share, .. } = told;
    let (body, body_end) = (window.body_first, window.body_end);
    let (head, tail) = (window.head_first, window.tail_first);
    let (heads, tails) = (window.head_count, window.tail_count);
    assert!(dispatch.grid.iter().product::<u32>() >= workgroups);
    let of_workgroup = |workgroup: u32| {
        let first = body + workgroup * share;
        let end = (first + share).min(body_end);
        let before = (head..head + heads).filter(|_| workgroup == 0).flat_map(&element);
        let after = (tail..tail + tails).filter(|_| workgroup + 1 == workgroups);
        before.chain((first..end).flat_map(&unit)).chain(after.flat_map(&element)).collect()
    };
    (0..workgroups).map(of_workgroup).collect()
}

fn reads_of(shader: &CustomShader) -> (Reads, Leaves) {
    match shader.kernel {
        Kernel::Whole(reads, leaves) => (reads, leaves),
        other => panic!("{other:?} is not for one result of everything"),
    }
}

/// Follows a plan to its end: what the result is made of, in order.
fn follow(plan: &Plan, stride_bytes: u64, caps: &Caps) -> Vec<(u32, Pair)> {
    let mut partials: Vec<Vec<(u32, Pair)>> = Vec::new();
    let passes = &plan.recording.passes;
    for (number, pass) in passes.iter().enumerate() {
        let Shader::Custom(shader) = &pass.shader else { panic!("{}", pass.shader) };
        let mut left = Vec::new();
        for dispatch in &pass.dispatches {
            assert!(dispatch.grid.iter().all(|&n| n <= caps.max_workgroups_per_dimension));
            let lists = match reads_of(shader).0 {
                Reads::Elements => {
                    fold(dispatch, |at| vec![mapped(dispatch, at)], |at| quad(dispatch, at))
                }
                Reads::Partials => {
                    let bytes = 0..partials.len() as u64 * stride_bytes;
                    let source = bound(dispatch, binding::SOURCE).unwrap();
                    assert_eq!(source.bytes, (!bytes.is_empty()).then_some(bytes));
                    let partial = |at: u32| partials[at as usize].clone();
                    fold(dispatch, partial, partial)
                }
            };
            let tiles = dispatch.told::<CustomParameters>().share.div_ceil(tile(plan));
            let elements = if reads_of(shader).0 == Reads::Elements { 4 } else { 1 };
            let each = tiles * plan.tuning.whole().unwrap().loads_in_flight * elements;
            assert!(tiles == 1 || each <= caps.max_loop_turns / 50, "{tiles} tiles");
            assert!(plan.len == 0 || lists.iter().all(|list| !list.is_empty()));
            if reads_of(shader).1 == Leaves::Partials {
                let told: CustomParameters = dispatch.told();
                assert_eq!(told.target_first as usize, left.len());
            }
            left.extend(lists);
        }
        let target = bound(&pass.dispatches[0], binding::TARGET).unwrap();
        let is_last = number + 1 == passes.len();
        assert_eq!(reads_of(shader).1 == Leaves::Result, is_last);
        assert_eq!(target.place == Place::Output, is_last);
        if !is_last {
            assert_eq!(target.bytes, Some(0..left.len() as u64 * stride_bytes));
        }
        partials = left;
    }
    assert_eq!(partials.len(), 1);
    partials.remove(0)
}

fn tile(plan: &Plan) -> u32 {
    let tuning = plan.tuning.whole().unwrap();
    tuning.workgroup_size * tuning.loads_in_flight
}

fn plan(input: &[Vec<Part>], tuning: Option<Tuning>, caps: &Caps) -> Result<Plan> {
    let (one, two) = (&one(), &two());
    let mut problem = problem(&one, &two, input);
    problem.tuning = tuning.map(Into::into);
    problem.plan(caps)
}

/// The problem of one input by the first operator, of two by the other.
fn problem<'a, F: Fold<u32>, G: Fold<(u32, u32)>>(
    one: &'a F,
    two: &'a G,
    input: &[Vec<Part>],
) -> Problem<'a> {
    let problem = match input {
        [_] => Problem::new(one, ElementKind::U32, 0),
        _ => Problem::new(two, ElementKind::U32, 0),
    };
    problem.parts(input.to_vec())
}

/// Every element is combined once, in order, by the index it has.
fn check(input: &[Vec<Part>], tuning: Option<Tuning>, caps: &Caps) -> Plan {
    let expected: Vec<_> = (0_u32..).zip(pairs_of(input)).collect();
    let stride_bytes = if input.len() == 2 { 4 } else { 16 };
    let plan = plan(input, tuning, caps).unwrap();
    assert!(follow(&plan, stride_bytes, caps) == expected, "{plan}");
    assert_eq!(plan.len, expected.len() as u64);
    plan
}

#[test]
fn a_small_input_is_one_pass_and_a_large_one_is_two() {
    let caps = caps(1 << 27, 65_535, AdapterClass::Gpu);
    for (len, passes) in [(0, 1), (1, 1), (16_384, 1), (16_385, 2), (100_000, 2)] {
        let plan = check(&[vec![part(1, len)]], None, &caps);
        assert_eq!(plan.recording.passes.len(), passes, "{len}");
        assert!(plan.to_string().contains(&format!("of {len} u32 elements")), "{plan}");
    }
}

/// Here a grid has four workgroups, a later pass folds 32 partials in each, and every part leaves four.
#[test]
fn partials_that_need_more_workgroups_than_a_grid_has_are_refused() {
    let mut caps = caps(1 << 27, 2, AdapterClass::Cpu);
    caps.max_loop_turns = 100;
    let planned = |parts| {
        let tuning = Tuning {
            workgroup_size: 32,
            loads_in_flight: 1,
            max_workgroups: 4,
            min_quads_per_invocation: 1,
            max_partials_per_workgroup: 1 << 20,
            ..Tuning::for_len(&caps, ElementKind::U32, 1 << 20)
        };
        plan(&[vec![part(0, 512); parts]], Some(tuning), &caps)
    };
    assert_eq!(planned(32).map(|plan| plan.recording.passes.len()), Ok(3));
    let refused = planned(33);
    assert!(matches!(refused, Err(Error::InvalidTuning { .. })), "{refused:?}");
}

/// Five windows would leave 256 partials each, of which one binding holds as many as one window leaves.
#[test]
fn small_bindings_hold_what_workgroups_leave() {
    let caps = caps(4096, 100, AdapterClass::Gpu);
    let tuning = Tuning {
        workgroup_size: 1,
        loads_in_flight: 1,
        max_workgroups: 1000,
        min_quads_per_invocation: 1,
        max_partials_per_workgroup: 100,
        combining: Combining::Passes,
    };
    for (parts, passes) in [(1, 3), (5, 3)] {
        let plan = check(&[vec![part(0, 1024); parts]], Some(tuning), &caps);
        assert_eq!(plan.recording.passes.len(), passes, "{plan}");
    }
}

#[test]
fn in_place_no_pass_reads_what_it_writes() {
    let (op, caps) = (&one(), caps(1 << 27, 65_535, AdapterClass::Gpu));
    let problem = Problem::new::<u32, _>(&op, ElementKind::U32, 10);
    let plan = problem.clone().left(Some([300, 0, 0]), true).plan(&caps).unwrap();
    assert_eq!(plan.recording.passes.len(), 2);
    let last = &plan.recording.passes[1].dispatches[0];
    // 300 bytes are 256, which a binding may start at, and 11 words.
    assert_eq!(bound(last, binding::TARGET).unwrap().bytes, Some(256..312));
    let told: CustomParameters = last.told();
    assert_eq!((told.target_first, told.identity), (11, [7, 8, 9, 0]));
    let odd = problem.left(Some([2, 0, 0]), true).plan(&caps);
    assert!(matches!(odd, Err(Error::InvalidBuffer { .. })), "{odd:?}");
}

#[test]
fn inputs_that_cannot_be_are_refused() {
    let mut caps = caps(1 << 31, 65_535, AdapterClass::Gpu);
    caps.max_buffer_bytes = 1 << 40;
    assert!(plan(&[vec![part(0, 1 << 32)]], None, &caps).is_ok());
    let refused = plan(&[vec![part(0, 1 << 31); 3]], None, &caps);
    let Err(Error::InvalidBuffer { what }) = refused else { panic!("{refused:?}") };
    assert!(what.contains("6442450944 elements"), "{what}");
    let refused = plan(&[vec![part(0, 3)], vec![part(0, 4)]], None, &caps);
    assert_eq!(refused, Err(Error::LengthMismatch { left: 3, right: 4 }));
    let refused = plan(&[vec![part(0, u64::MAX)]], None, &caps);
    assert!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");
    let odd = plan(&[vec![Part { offset_bytes: 2, len: 1 }]], None, &caps);
    assert!(matches!(odd, Err(Error::InvalidBuffer { .. })), "{odd:?}");
}

#[test]
fn lines_of_whole_shaders_are_told_apart() {
    for shader in two().shaders().into_iter().chain(one().shaders()) {
        let text = shader.operator.text.as_str();
        let whole = shader.wgsl();
        assert!(whole.ends_with(text));
        let before = whole.lines().count() - text.lines().count();
        for (line, number) in whole.lines().zip(1_u32..) {
            match shader.origin(number) {
                Origin::User(of_user) => {
                    assert_eq!(text.lines().nth(of_user as usize - 1), Some(line));
                    assert!(number as usize > before);
                }
                Origin::File(file, _) => {
                    assert!(
                        [
                            "custom/",
                            "elements/",
                            "axis/",
                            "segments/",
                            "collectives/",
                            "entries/",
                            "layouts/",
                            "parts/",
                            "quads/"
                        ]
                        .iter()
                        .any(|folder| file.starts_with(folder))
                            && number as usize <= before
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_element_is_combined_once_and_in_order(
        len in prop_oneof![0_u64..40, 0_u64..3000, 0_u64..20_000],
        of_a in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
        of_b in prop::option::of(prop::collection::vec((0_u64..200, 0_u64..2000), 0..4)),
        offsets in (0_u64..300, 0_u64..300),
        binding in (9_u32..20).prop_map(|log| 1_u64 << log),
        per_dimension in 1_u32..100,
        size in (0_u32..=8).prop_map(|log| 1 << log),
        max_workgroups in 1_u32..=1000,
        loads_in_flight in 1_u32..=16,
        min_quads_per_invocation in 1_u32..20,
        max_partials_per_workgroup in 2_u32..100,
        on_cpu: bool,
        chosen: bool,
    ) {
        let class = if on_cpu { AdapterClass::Cpu } else { AdapterClass::Gpu };
        let caps = caps(binding, per_dimension, class);
        let tuning = Tuning {
            workgroup_size: size,
            max_workgroups,
            loads_in_flight,
            min_quads_per_invocation,
            max_partials_per_workgroup,
            combining: Combining::Passes,
        };
        let mut input = vec![parts_of(len, &of_a, offsets.0, 4)];
        input.extend(of_b.map(|of_b| parts_of(len, &of_b, offsets.1, 4)));
        let tuning = chosen.then_some(tuning);
        match plan(&input, tuning, &caps) {
            Err(Error::InvalidTuning { .. }) => prop_assert!(binding < 1 << 15),
            _ => drop(check(&input, tuning, &caps)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Whatever is asked for, of whatever device, the answer is an error or a plan that the device can run; one that is not too
    /// long to follow has every element once, in order.
    #[test]
    fn no_request_panics(
        caps in devices(),
        lengths in (anything(&[0, 1, 1000, 1 << 20]), anything(&[0, 1, 1 << 20])),
        offsets in (anything(&[0, 4, 1 << 20]), anything(&[0, 8]), anything(&[0, 256])),
        (size, workgroups, loads, quads) in
            (anything(&[1, 64, 256]), anything(&[1, 300]), anything(&[1, 4]), anything(&[1, 8])),
        has_tuning in any::<bool>(),
    ) {
        let tuning = Tuning {
            workgroup_size: low(size),
            max_workgroups: low(workgroups),
            loads_in_flight: low(loads),
            min_quads_per_invocation: low(quads),
            max_partials_per_workgroup: low(workgroups),
            combining: Combining::Passes,
        };
        let parts = |offset_bytes| {
            vec![Part { offset_bytes, len: lengths.0 }, Part { offset_bytes: 4, len: lengths.1 }]
        };
        let (one, two) = (&one(), &two());
        for input in [vec![parts(offsets.0)], vec![parts(offsets.0), parts(offsets.1)]] {
            let is_short = lengths.0.saturating_add(lengths.1) < 5000;
            let expected = is_short.then(|| (0_u32..).zip(pairs_of(&input)).collect::<Vec<_>>());
            let stride_bytes = if input.len() == 2 { 4 } else { 16 };
            let results = Some([offsets.2, 0, 0]);
            let mut problem = problem(&one, &two, &input).left(results, has_tuning);
            problem.tuning = has_tuning.then_some(tuning.into());
            let Ok(plan) = problem.plan(&caps) else { continue };
            assert_within(&plan.recording, &caps);
            if let Some(expected) = expected {
                prop_assert!(follow(&plan, stride_bytes, &caps) == expected, "{plan}");
            }
        }
    }
}
