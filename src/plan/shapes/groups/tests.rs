//! Plans of groups, whatever they are of.

use crate::op::{ElementKind, OpRecord};
use crate::plan::caps::Caps;
use crate::plan::followed::LEAST_LOOP_TURNS;
use crate::plan::limits::tests::devices;
use crate::plan::problem::{Problem, Shape};
use crate::plan::shapes::bins::tests::{any_tuning, parts};
use crate::plan::shapes::groups::follow::check;
use crate::plan::shapes::groups::{Grouped, GroupsParts};
use proptest::prelude::*;

/// What groups have, over elements of each type.
fn operations() -> impl Strategy<Value = (&'static OpRecord, ElementKind)> {
    let all = OpRecord::ALL.into_iter().flat_map(|operation| {
        let has = move |kind: &ElementKind| GroupsParts::of(operation, *kind).is_ok();
        ElementKind::ALL.into_iter().filter(has).map(move |kind| (operation, kind))
    });
    prop::sample::select(all.collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Every element meets its key on any device with any tuning, where there is a plan.
    #[test]
    fn every_element_meets_its_key_on_any_device(
        caps in devices(),
        (operation, element) in operations(),
        len in prop_oneof![0_u64..20, 0_u64..9000],
        groups in prop_oneof![0_u32..10, 0_u32..100_000],
        cuts in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
        of_keys in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
        key_bytes in prop::sample::select(vec![1_u64, 2, 4, 8]),
        tuning in prop::option::of(any_tuning()),
        output in prop::option::of(prop::sample::select(vec![0_u64, 16, 64])),
    ) {
        let keys = parts(&of_keys, len, key_bytes);
        let grouped = Grouped { keys: &keys, key_bytes, groups };
        let mut problem = Problem::by(operation, element, 0)
            .parts(vec![parts(&cuts, len, element.size_bytes())])
            .shaped(Shape::Groups(grouped))
            .left(output.map(|offset| [offset, 0, 0]), false);
        problem.tuning = tuning.map(Into::into);
        if let Ok(plan) = problem.plan(&caps) {
            check(&problem, &plan, &caps, caps.max_loop_turns.max(LEAST_LOOP_TURNS));
        }
    }
}

/// On the least device of all, with the default tuning, there is a plan of every operation that groups have.
#[test]
fn there_is_a_plan_on_the_least_device() {
    let caps = Caps::baseline();
    for operation in OpRecord::ALL {
        for element in ElementKind::ALL {
            if GroupsParts::of(operation, element).is_err() {
                continue;
            }
            for (len, groups) in [(0, 3), (1, 1), (100_000, 7), (100_000, 100_000)] {
                let keys = parts(&[], len, 4);
                let grouped = Grouped { keys: &keys, key_bytes: 4, groups };
                let problem = Problem::by(operation, element, len).shaped(Shape::Groups(grouped));
                let plan = problem.plan(&caps).unwrap();
                check(&problem, &plan, &caps, caps.max_loop_turns.max(LEAST_LOOP_TURNS));
            }
        }
    }
}
