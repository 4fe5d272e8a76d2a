//! Plans of reductions of segments.

use proptest::prelude::{Just, prop_assert, prop_assert_eq, prop_oneof, proptest};
use std::collections::HashSet;
use wgpu_reduce::planners::{KeyPart, SegmentsShader, Shape};
use wgpu_reduce::{Caps, ElementKind, Error, OpRecord, Part, Plan, Problem, SegmentsTuning};

#[test]
fn every_operation_and_element_is_composed() {
    let shaders: Vec<_> = SegmentsShader::all().collect();
    let distinct: HashSet<_> = shaders.iter().collect();
    assert_eq!(distinct.len(), shaders.len());
    let pairs: HashSet<_> = shaders
        .iter()
        .filter_map(SegmentsShader::parts)
        .map(|parts| (parts.operation.name(), parts.element))
        .collect();
    let of_all = OpRecord::ALL.iter();
    let takes = |op: &&OpRecord| ElementKind::ALL.iter().filter(|&&kind| op.takes(kind)).count();
    assert_eq!(pairs.len(), of_all.map(takes).sum::<usize>());
}

fn sum(len: u64, segments: u64) -> Problem<'static> {
    let part = |offset_bytes, len| Part { offset_bytes, len };
    let problem =
        Problem::by(OpRecord::ALL[0], ElementKind::F32, 0).parts(vec![vec![part(4, len)]]);
    problem.shaped(Shape::Segments(part(8, segments + 1), None))
}

#[test]
fn plans_fit_every_operation_into_workgroup_memory() {
    let mut caps = Caps::baseline();
    caps.f64 = true;
    for record in OpRecord::ALL {
        for element in ElementKind::ALL.into_iter().filter(|&element| record.takes(element)) {
            let plan = Problem::by(record, element, 100_000).segments(1000).plan(&caps);
            assert!(plan.is_ok(), "{} of {element}: {plan:?}", record.name());
        }
    }
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let caps = Caps::baseline();
    let refused = |problem: &Problem<'_>| problem.plan(&caps).err();
    let none = Part { offset_bytes: 8, len: 0 };
    let none = sum(10, 0).shaped(Shape::Segments(none, None));
    assert_eq!(refused(&none), Some(Error::InvalidOffsets { len: 10, first_wrong: None }));
    let is_unsupported = |error| matches!(error, Some(Error::Unsupported { .. }));
    assert!(is_unsupported(refused(&sum(u64::from(u32::MAX), 1))));
    assert!(is_unsupported(refused(&sum(10, 64 << 20))));
    assert!(is_unsupported(refused(&sum(10, 1 << 32))));
    let default = SegmentsTuning::for_element(&caps, ElementKind::F32);
    let large = sum(10, 1).tuned(SegmentsTuning { quads: 9, ..default });
    assert!(matches!(refused(&large), Some(Error::InvalidTuning { .. })));
    let pairs = Problem::by(OpRecord::PAIRS[0], ElementKind::F32, 10).segments(1);
    assert!(is_unsupported(refused(&pairs)));
}

#[test]
fn small_inputs_take_two_passes_and_long_ones_several_bindings() {
    let caps = Caps::baseline();
    let plan = |len, segments| sum(len, segments).plan(&caps).expect("it has one");
    // That looks at the only offset.
    assert_eq!(plan(100, 0).passes().len(), 1);
    assert_eq!(plan(100, 7).passes().len(), 2);
    assert_eq!(plan(1 << 20, 1 << 10).passes().len(), 3);
    // Bindings of 128 MiB.
    let long = plan(60 << 20, 1 << 10);
    assert_eq!(long.to_string().matches(" workgroups").count(), 2 + 2 + 1);
    assert!(long.accuracy_of(5).roundings > 0);
    assert!(long.accuracy_of(5).roundings < 200, "{long}");
}

/// `split_at` of `shaders/segments/split.wgsl`, on the CPU: elements and ends before item `before` of the
/// merge, in quads of so many elements that begin at so many.
fn split_at(offsets: &[u32], before: u32, [base, per_quad]: [u32; 2]) -> [u32; 2] {
    let segments = u32::try_from(offsets.len() - 1).expect("there are few");
    let (first, elements) = (offsets[0], offsets[offsets.len() - 1] - offsets[0]);
    let end_of = |segment: u32| offsets[segment as usize + 1];
    let (mut low, mut high) = (before.saturating_sub(elements), before.min(segments));
    while low < high {
        let middle = low + (high - low) / 2;
        if end_of(middle) <= first + (before - 1 - middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let element = first + before - low;
    let moves = before > 0 && low < segments && end_of(low) == element;
    let segment = low + u32::from(moves);
    let of_quad = element.wrapping_sub(base) % per_quad;
    let is_inside = before > 0 && before < elements + segments;
    if is_inside && element - offsets[segment as usize] >= of_quad {
        return [element - of_quad, segment];
    }
    [element, segment]
}

/// Keys of a word from an offset on.
fn keys(offset_bytes: u64, len: u64) -> Shape<'static> {
    Shape::Runs(KeyPart { place: Part { offset_bytes, len }, bytes: 4, are_floats: false })
}

/// As `sum` of so many `f32` with keys from the third on.
fn by_key(operation: &'static OpRecord, element: ElementKind, caps: &Caps) -> Plan {
    let problem = Problem::by(operation, element, 1 << 20).shaped(keys(8, 1 << 20));
    problem.plan(caps).expect("it has a plan")
}

#[test]
fn values_and_results_of_a_word_are_folded_where_runs_are_found() {
    for (name, element, passes) in [
        ("sum", ElementKind::F32, 4),
        ("min", ElementKind::I32, 4),
        ("nan_max", ElementKind::F32, 4),
        ("bit_or", ElementKind::U32, 4),
        // Sums of 64 bits, elements of 8, indices, and more words than one.
        ("sum", ElementKind::I32, 6),
        ("sum", ElementKind::U8, 6),
        ("argmax", ElementKind::F32, 6),
        ("variance", ElementKind::F32, 6),
    ] {
        let plan = by_key(crate::named(name), element, &Caps::baseline());
        assert_eq!(plan.passes().len(), passes, "{name} of {element}: {plan}");
    }
    let sum = crate::named("sum");
    let bound = |caps: &Caps| by_key(sum, ElementKind::F32, caps).accuracy_of(1000).roundings;
    assert!((20..400).contains(&bound(&Caps::baseline())));
    // Keys and what is listed of them in several bindings: there is no such way.
    let mut caps = Caps::baseline();
    caps.max_binding_bytes = 4 << 20;
    let values = vec![Part { offset_bytes: 0, len: 1 << 20 }; 2];
    let problem = Problem::by(sum, ElementKind::F32, 0).parts(vec![values]);
    let plan = problem.shaped(keys(0, 1 << 21)).plan(&caps);
    assert!(matches!(plan, Err(Error::Unsupported { .. })), "{plan:?}");
}

proptest! {
    /// Tiles hold every element and every end once; each fits into its quads; and who has a segment's last
    /// element has its end.
    #[test]
    fn tiles_share_elements_and_ends(
        first in 0_u32..100,
        lengths in proptest::collection::vec(prop_oneof![Just(0_u32), 0_u32..4, 0_u32..300], 1..80),
        tile_quads in 1_u32..20,
        base in 0_u32..100,
        per_quad in prop_oneof![Just(1_u32), Just(2), Just(4), Just(8), Just(16)],
    ) {
        let tile = (tile_quads - 1) * per_quad + 1;
        let quads = [base, per_quad];
        let mut offsets = vec![first];
        offsets.extend(lengths.iter().scan(first, |end, len| { *end += len; Some(*end) }));
        let last = *offsets.last().expect("there is one");
        let segments = u32::try_from(lengths.len()).expect("they are few");
        let items = last - first + segments;
        let splits: Vec<_> = (0..=items.div_ceil(tile))
            .map(|number| split_at(&offsets, (number * tile).min(items), quads))
            .collect();
        prop_assert_eq!(splits[0], [first, 0]);
        prop_assert_eq!(splits[splits.len() - 1], [last, segments]);
        for ends in splits.windows(2) {
            let [[element, segment], [end_element, end_segment]] = [ends[0], ends[1]];
            prop_assert!(element <= end_element && segment <= end_segment);
            let of_quad = element.wrapping_sub(base) % per_quad;
            prop_assert!(of_quad + end_element - element <= tile_quads * per_quad);
            prop_assert!(end_segment - segment <= tile + 1);
            for segment in segment..end_segment {
                let [start, end] = [offsets[segment as usize], offsets[segment as usize + 1]];
                prop_assert!(start == end || (element < end && end <= end_element));
            }
        }
    }
}
