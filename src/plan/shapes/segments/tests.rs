//! Plans of segments on devices of all kinds, followed on the CPU.

pub(crate) mod roundings;

use crate::error::Error;
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::followed::Case;
use crate::plan::limits::tests::{anything, devices, low};
use crate::plan::problem::{Problem, Shape};
use crate::plan::shapes::segments::first_wrong::first_wrong;
use crate::plan::shapes::segments::follow::{check, check_first_wrong};
use crate::plan::shapes::segments::{Closing, SegmentsTuning};
use proptest::prelude::*;

/// Parts of elements of a size; few of them begin where no element can.
pub(crate) fn parts_of(cuts: &[(u64, u64)], size: u64) -> Vec<Part> {
    let part =
        |&(offset, len): &(u64, u64)| Part { offset_bytes: offset.saturating_mul(size), len };
    cuts.iter().map(part).collect()
}

/// A tuning of any numbers.
pub(crate) fn any_tuning() -> impl Strategy<Value = SegmentsTuning> {
    let numbers = (anything(&[32, 64, 128]), anything(&[1, 3, 5, 8]), anything(&[1, 16, 5120]));
    let sizes = (anything(&[1, 64, 256]), anything(&[1, 64, 256]));
    let closing = prop::sample::select(Closing::ALL.to_vec());
    (numbers, sizes, closing).prop_map(|((size, quads, workgroups), (split, close), closing)| {
        SegmentsTuning {
            workgroup_size: low(size),
            quads: low(quads),
            max_workgroups: low(workgroups),
            split_workgroup_size: low(split),
            close_workgroup_size: low(close),
            closing,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Elements and ends have a tile on any device with any tuning, where there is a plan.
    #[test]
    fn elements_and_ends_have_a_tile_on_any_device(
        caps in devices(),
        operation in prop::sample::select(OpRecord::ALL.to_vec()),
        element in prop::sample::select(ElementKind::ALL.to_vec()),
        cuts in prop::collection::vec(
            (anything(&[0, 3, 64]), anything(&[0, 1, 5000, 1 << 20, 1 << 28])), 0..4,
        ),
        offsets in (anything(&[0, 8, 256]), anything(&[1, 2, 1000, 1 << 20])),
        (count, output) in (prop::option::of(anything(&[0, 12])), prop::option::of(anything(&[0, 24, 64]))),
        tuning in prop::option::of(any_tuning()),
    ) {
        let offsets = Part { offset_bytes: offsets.0, len: offsets.1 };
        let mut problem = Problem::by(operation, element, 0)
            .parts(vec![parts_of(&cuts, element.size_bytes())])
            .shaped(Shape::Segments(offsets, count))
            .left(output.map(|results| [results, 0, 0]), false);
        problem.tuning = tuning.map(Into::into);
        if let Ok(plan) = problem.plan(&caps) {
            check(&problem, &plan, &caps);
        }
        // Refusals are fine: the test below sees that there are plans.
        drop(check_first_wrong(&problem, &caps));
    }
}

fn usual(len: u64, segments: u64, caps: Caps) -> Case<'static> {
    let parts = [(4, len), (0, len / 3)].map(|(offset_bytes, len)| Part { offset_bytes, len });
    let offsets = Part { offset_bytes: 8, len: segments + 1 };
    let problem = Problem::by(OpRecord::ALL[0], ElementKind::F32, 0).parts(vec![parts.to_vec()]);
    Case { problem: problem.shaped(Shape::Segments(offsets, None)), caps }
}

/// So that the test above sees more than refusals.
#[test]
fn usual_requests_are_checked() {
    for (len, segments) in [(0, 0), (0, 5), (1, 1), (100_000, 1000), (60 << 20, 1 << 10)] {
        let Case { problem, caps } = usual(len, segments, Caps::baseline());
        check(&problem, &problem.plan(&caps).unwrap(), &caps);
        assert_eq!(check_first_wrong(&problem, &caps), Ok(()), "{len}");
    }
}

/// Workgroups are no more than leave what one binding holds, whatever is folded; where tiles begin is to fit, too.
#[test]
fn small_bindings_hold_what_workgroups_leave() {
    let caps = Caps {
        max_binding_bytes: 64 << 10,
        max_workgroups_per_dimension: 3,
        f64: true,
        ..Caps::baseline()
    };
    for operation in OpRecord::ALL {
        for element in ElementKind::ALL.into_iter().filter(|&element| operation.takes(element)) {
            // The longer accumulators are, the smaller and fewer are the tiles of a workgroup.
            let is_long = operation.over(element).unwrap().accumulator.words() > 64;
            let part = Part { offset_bytes: 64, len: if is_long { 1 << 18 } else { 2 << 20 } };
            let shape = usual(0, 200, caps).problem.shape;
            let problem = Problem::by(operation, element, 0).parts(vec![vec![part]]).shaped(shape);
            let plan = problem.plan(&caps).unwrap_or_else(|error| panic!("{operation:?}: {error}"));
            check(&problem, &plan, &caps);
        }
    }
    let refused = usual(32 << 20, 200, caps).plan();
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
}

/// What a binding of the device does not cover is refused, as by every planner.
#[test]
fn passes_of_one_workgroup_are_within_limits() {
    let caps = Caps { max_binding_bytes: 4096, ..Caps::baseline() };
    let offsets = |offset_bytes, len| first_wrong(Part { offset_bytes, len }, 10, &caps).err();
    assert_eq!(offsets(1024, 1024), None);
    for (offset_bytes, len) in [(1024, 1025), (1028, 1024)] {
        let refused = offsets(offset_bytes, len);
        assert!(matches!(refused, Some(Error::Unsupported { .. })), "{refused:?}");
    }
    for (offset_bytes, len) in [(1 << 62, 1), (1026, 1)] {
        let refused = offsets(offset_bytes, len);
        assert!(matches!(refused, Some(Error::InvalidBuffer { .. })), "{refused:?}");
    }
    let two = Part { offset_bytes: 0, len: 2 };
    let of_many = first_wrong(two, u64::from(u32::MAX) + 1, &caps);
    assert!(matches!(of_many, Err(Error::Unsupported { .. })), "{of_many:?}");
}
