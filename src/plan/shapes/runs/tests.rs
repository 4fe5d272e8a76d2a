//! Plans of runs of equal keys on devices of all kinds, followed on the CPU.

mod roundings;

use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::limits::tests::{anything, devices};
use crate::plan::problem::{Problem, Shape};
use crate::plan::shapes::runs::KeyPart;
use crate::plan::shapes::runs::follow::check;
use crate::plan::shapes::segments::tests::{any_tuning, parts_of};
use proptest::prelude::*;

/// Keys of so many bytes from an offset on, as many as values.
fn problem(
    operation: &'static OpRecord,
    element: ElementKind,
    values: Vec<Part>,
    [offset_bytes, bytes]: [u64; 2],
) -> Problem<'static> {
    let place = Part { offset_bytes, len: len_of(&values) };
    let keys = KeyPart { place, bytes, are_floats: false };
    Problem::by(operation, element, 0).parts(vec![values]).shaped(Shape::Runs(keys))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Keys are looked at once on any device with any tuning, where there is a plan.
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
        let outputs = outputs.map(|(results, keys, count)| [results, keys, count]);
        let mut problem =
            problem(operation, element, values, [keys, key_bytes]).left(outputs, false);
        problem.tuning = tuning.map(Into::into);
        if let Ok(plan) = problem.plan(&caps) {
            check(&problem, &plan, &caps);
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
                for key_bytes in [4, 8] {
                    let values = vec![Part { offset_bytes: 0, len }];
                    let problem = problem(operation, element, values, [8, key_bytes]);
                    check(&problem, &problem.plan(&caps).unwrap(), &caps);
                }
            }
        }
    }
}
