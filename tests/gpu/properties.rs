//! What holds of every operation, for every element type that it takes, on every rig.

use crate::harness::oracle::{Oracle, Poison, check, check_slice};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, stamp};
use libtest_mimic::{Failed, Trial};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use wgpu_reduce::{Combining, Sum, Tuning, WrappingSum};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    stamp!(
        rigs,
        [
            edge_lengths,
            every_offset,
            random_cases,
            tunings,
            more_workgroups_than_a_dimension,
            long_loops
        ],
        { "sum": Sum of f32, i32, u32; "wrapping_sum": WrappingSum of i32, u32 }
    )
}

const SOME_POISON: Poison = Poison { before: 3, after: 5 };

/// Lengths at which something in the plan changes, and their neighbours.
fn lengths(tuning: Tuning) -> Vec<u64> {
    let workgroup = u64::from(tuning.workgroup_size);
    let tile = workgroup * u64::from(tuning.min_quads_per_invocation) * 4;
    let grid = tile * u64::from(tuning.max_workgroups);
    let binding = TIGHT_BINDING_BYTES / 4;
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 7919, 104_729];
    for edge in [workgroup, tile, 2 * tile, grid, binding, 3 * binding] {
        lengths.extend([edge - 1, edge, edge + 1]);
    }
    lengths
}

/// Longer inputs are reduced in one shape only.
const LONG: u64 = 1 << 18;

fn edge_lengths<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for len in lengths(rig.tuning(1 << 20)) {
        let shapes = if len > LONG { &[Shape::Random][..] } else { &Shape::ALL };
        for &shape in shapes {
            check::<T, O>(rig, &T::data(shape, len), SOME_POISON, &format!("{shape:?}"))?;
        }
    }
    Ok(())
}

/// Slices from every element of a quad to every other, short and long.
fn every_offset<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for len in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 1000, 16_384, 16_389] {
        let values = T::data(Shape::Random, len);
        for before in (0..9).chain([63, 64, 65, 16_383]) {
            let poison = Poison { before, after: 4 };
            check::<T, O>(rig, &values, poison, &format!("from element {before}"))?;
        }
    }
    Ok(())
}

/// Random lengths, offsets and shapes, shrunk to the smallest that fails.
fn random_cases<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let shapes = proptest::sample::select(&Shape::ALL[..]);
    let cases = (0_u64..60_000, 0_usize..40, 0_usize..40, shapes);
    let strategy = cases.prop_map(|(len, before, after, shape)| (len, before, after, shape));
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(24) });
    runner
        .run(&strategy, |(len, before, after, shape)| {
            check::<T, O>(
                rig,
                &T::data(shape, len),
                Poison { before, after },
                &format!("{shape:?}"),
            )
            .map_err(|failed| TestCaseError::fail(failed.message().unwrap_or("").to_owned()))
        })
        .map_err(|error| Failed::from(error.to_string()))
}

/// Workgroup sizes from the smallest to the largest, and more passes than two.
fn tunings<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let values = T::data(Shape::Random, 50_001);
    let largest = rig.reducer.caps().max_workgroup_size.ilog2();
    for workgroup_size in (0..=largest).map(|log| 1 << log) {
        for (max_workgroups, max_partials_per_workgroup, loads_in_flight, combining) in [
            (1, 2, 4, Combining::Passes),
            (5, 2, 1, Combining::Passes),
            (64, 3, 2, Combining::Passes),
            (300, 4096, 16, Combining::Passes),
            (5, 16_384, 8, Combining::LastToArrive),
            (300, 16_384, 1, Combining::LastToArrive),
            (5, 16_384, 3, Combining::Highest),
            (300, 16_384, 4, Combining::Highest),
        ] {
            if combining == Combining::Highest && !rig.reducer.caps().waits_for_others {
                continue;
            }
            let tuning = Tuning {
                workgroup_size,
                max_workgroups,
                max_partials_per_workgroup,
                loads_in_flight,
                combining,
                ..rig.tuning(1)
            };
            let tuned = Rig {
                name: rig.name.clone(),
                options: rig.options.clone(),
                reducer: rig.reducer.with_tuning(tuning),
            };
            check::<T, O>(&tuned, &values, SOME_POISON, &format!("{tuning:?}"))?;
        }
    }
    Ok(())
}

/// 70 000 workgroups of one invocation: past the 65 535 of one dimension on any adapter.
fn more_workgroups_than_a_dimension<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let tuning = Tuning {
        workgroup_size: 1,
        max_workgroups: 70_000,
        min_quads_per_invocation: 4,
        ..rig.tuning(1)
    };
    let reducer = rig.reducer.with_tuning(tuning);
    let values = T::data(Shape::Random, 70_000 * 16 + 3);
    let buffer = reducer.upload(&values)?;
    let plan = reducer.plan(O::default(), &buffer)?;
    ensure!(
        plan.passes.iter().flat_map(|pass| &pass.dispatches).any(|d| d.grid[1] > 1),
        "the grid has one dimension only: {plan}"
    );
    let rig = Rig { name: rig.name.clone(), options: rig.options.clone(), reducer };
    check_slice::<T, O>(&rig, (&buffer).into(), &values, "two-dimensional grid")
}

/// One invocation alone with more quads than the turns that some devices let a loop take.
fn long_loops<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let tuning = Tuning { workgroup_size: 1, max_workgroups: 1, ..rig.tuning(1) };
    let reducer = rig.reducer.with_tuning(tuning);
    let rig = Rig { name: rig.name.clone(), options: rig.options.clone(), reducer };
    check::<T, O>(&rig, &T::data(Shape::Constant, 1_200_003), SOME_POISON, "one invocation")
}
