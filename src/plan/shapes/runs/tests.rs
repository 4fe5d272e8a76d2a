//! Plans of runs of equal keys on devices of all kinds, followed on the CPU.

mod roundings;

use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::limits::tests::{anything, devices};
use crate::plan::shapes::runs::ByKeyRequest;
use crate::plan::shapes::runs::follow::check;
use crate::plan::shapes::segments::tests::{any_tuning, parts_of, tuning_or};
use proptest::prelude::*;

fn request(
    operation: &'static OpRecord,
    element: ElementKind,
    values: Vec<Part>,
    caps: Caps,
) -> ByKeyRequest {
    let len = len_of(&values);
    ByKeyRequest {
        operation,
        element,
        values,
        keys: Part { offset_bytes: 8, len },
        key_bytes: 4,
        keys_are_floats: false,
        output_offsets_bytes: None,
        tuning: tuning_or(None, &caps, element),
        caps,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Of any device with any tuning, where there is a plan.
    #[test]
    fn keys_are_looked_at_once_on_any_device(
        caps in devices(),
        operation in prop::sample::select(OpRecord::ALL.to_vec()),
        element in prop::sample::select(ElementKind::ALL.to_vec()),
        values in prop::collection::vec(
            (anything(&[0, 3, 64]), anything(&[0, 1, 5000, 1 << 20])), 0..3,
        ),
        (keys, key_bytes) in (anything(&[0, 8, 256]), prop::sample::select(&[4_u64, 8][..])),
        outputs in prop::option::of((anything(&[0, 24]), anything(&[0, 4]), anything(&[0, 256]))),
        tuning in prop::option::of(any_tuning()),
    ) {
        let values = parts_of(&values, element.size_bytes());
        let mut request = request(operation, element, values, caps);
        request.keys.offset_bytes = keys;
        request.key_bytes = key_bytes;
        request.output_offsets_bytes = outputs.map(|(results, keys, count)| [results, keys, count]);
        request.tuning = tuning_or(tuning, &caps, element);
        if let Ok(plan) = request.plan() {
            check(&request, &plan);
        }
    }
}

/// So that the test above sees more than refusals: of either way, and of no keys.
#[test]
fn usual_requests_are_checked() {
    for operation in OpRecord::ALL {
        for element in ElementKind::ALL.into_iter().filter(|&element| operation.takes(element)) {
            for len in [0, 1, 5000, 1 << 20] {
                let caps = Caps { f64: true, ..Caps::baseline() };
                let request =
                    request(operation, element, vec![Part { offset_bytes: 0, len }], caps);
                check(&request, &request.plan().unwrap());
                let wide = ByKeyRequest { key_bytes: 8, ..request };
                check(&wide, &wide.plan().unwrap());
            }
        }
    }
}
