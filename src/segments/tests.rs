//! Plans of segments on devices of all kinds, followed on the CPU.

pub(crate) mod roundings;

use super::follow::check;
use super::{Closing, SegmentsPlan, SegmentsRequest, SegmentsTuning};
use crate::caps::Caps;
use crate::element::ElementKind;
use crate::limits::tests::{anything, devices, low};
use crate::op::OpRecord;
use crate::part::Part;
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

/// The tuning, or that which a device has without one.
pub(crate) fn tuning_or(
    tuning: Option<SegmentsTuning>,
    caps: &Caps,
    element: ElementKind,
) -> SegmentsTuning {
    tuning.unwrap_or_else(|| SegmentsTuning::for_element(caps, element))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Of any device with any tuning, where there is a plan.
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
        let request = SegmentsRequest {
            operation,
            element,
            input: parts_of(&cuts, element.size_bytes()),
            offsets: Part { offset_bytes: offsets.0, len: offsets.1 },
            count_offset_bytes: count,
            output_offset_bytes: output,
            tuning: tuning_or(tuning, &caps, element),
            caps,
        };
        if let Ok(plan) = SegmentsPlan::new(&request) {
            check(&request, &plan);
        }
    }
}

/// So that the test above sees more than refusals.
#[test]
fn usual_requests_are_checked() {
    for (len, segments) in [(0, 0), (0, 5), (1, 1), (100_000, 1000), (60 << 20, 1 << 10)] {
        let caps = Caps::baseline();
        let request = SegmentsRequest {
            operation: OpRecord::ALL[0],
            element: ElementKind::F32,
            input: vec![Part { offset_bytes: 4, len }, Part { offset_bytes: 0, len: len / 3 }],
            offsets: Part { offset_bytes: 8, len: segments + 1 },
            count_offset_bytes: None,
            output_offset_bytes: None,
            tuning: SegmentsTuning::for_element(&caps, ElementKind::F32),
            caps,
        };
        check(&request, &SegmentsPlan::new(&request).unwrap());
    }
}
