//! What holds of every operation, for every element type that it takes, on every rig.

use crate::harness::oracle::{Oracle, Poison, check, check_slice};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, counts, ensure, one_rig_of_each_adapter, others,
    stamp, stamp_all,
};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use proptest::strategy::Strategy;
use proptest::test_runner::{TestCaseError, TestRunner};
use wgpu_reduce::{
    ArgMin, Combining, ElementKind, Mean, MinMax, OpRecord, Sum, Tuning, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = trials_of_words(rigs);
    trials.extend(packed_trials(rigs));
    trials.extend(wide_trials(rigs));
    if !rigs.is_empty() {
        trials.push(completeness(&trials));
    }
    trials
}

/// Elements of 32 bits.
fn trials_of_words(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [
            edge_lengths,
            every_offset,
            random_cases,
            tunings,
            more_workgroups_than_a_dimension,
            long_loops
        ],
        // One for each way to accumulate, to lift and to go from lane to lane.
        {
            "sum": Sum of f32, i32, u32;
            "wrapping_sum": WrappingSum of i32, u32;
            "argmin": ArgMin of f32
        }
    );
    // The rest share kernels and accumulators with those above: what is theirs alone shows in fewer
    // cases. Each case runs everywhere, compiled anew.
    let briefly = stamp_all!(rigs, [some_lengths, some_offsets, some_tunings], "", words);
    trials.extend(others(briefly, &trials));
    trials
}

/// Elements of 8 and 16 bits.
fn packed_trials(rigs: &'static [Rig]) -> Vec<Trial> {
    // These differ from the types of 32 bits in how elements are found and read, nothing else.
    let mut trials = stamp!(
        rigs,
        [not_of_a_word],
        {
            "sum": Sum of u8, i8, u16, i16, f16, bf16;
            "wrapping_sum": WrappingSum of u8;
            "argmin": ArgMin of i8, u16;
            "mean": Mean of i16, f16, bf16
        }
    );
    let briefly = others(stamp_all!(rigs, [not_of_a_word_briefly], "", packed), &trials);
    trials.extend(one_rig_of_each_adapter(rigs, briefly));
    trials
}

/// Every operation is here with every type that it takes.
fn completeness(trials: &[Trial]) -> Trial {
    let is_there = |operation: &str, element: &str| {
        trials.iter().any(|trial| {
            let mut parts = trial.name().split("::");
            let of_it = parts.next() == Some(operation);
            of_it && parts.nth(1).and_then(|rest| rest.split(' ').next()) == Some(element)
        })
    };
    let pairs = OpRecord::ALL.into_iter().flat_map(|record| {
        ElementKind::ALL
            .into_iter()
            .filter(|&kind| record.takes(kind))
            .map(move |kind| (record, kind))
    });
    let missing = pairs.filter(|(record, kind)| !is_there(record.name(), kind.name()));
    let missing: Vec<_> =
        missing.map(|(record, kind)| format!("{} of {kind}", record.name())).collect();
    Trial::test("properties::every_operation_of_every_type", move || {
        ensure!(missing.is_empty(), "not among the properties: {}", missing.join(", "));
        Ok(())
    })
}

/// Elements of two words: a way to accumulate and to compare of their own.
fn wide_trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [not_of_a_word],
        {
            "sum": Sum of i64, f64;
            "argmin": ArgMin of f64;
            "min_max": MinMax of i64
        }
    );
    let briefly = others(stamp_all!(rigs, [not_of_a_word_briefly], "", wide), &trials);
    trials.extend(one_rig_of_each_adapter(rigs, briefly));
    trials
}

/// NaN, infinity and the ends of the range, of floats: of these lengths, whose pipelines a property has made.
fn specials<T: TestElement, O: Oracle<T>>(rig: &Rig, lengths: &[u64]) -> Outcome {
    for &len in lengths {
        for special in Special::ALL {
            if let Some(values) = special.data::<T>(len) {
                check::<T, O>(rig, &values, SOME_POISON, &format!("{special:?}"))?;
            }
        }
    }
    Ok(())
}

/// Every start and end in a quad and a word, around the edges of a workgroup, a tile and a binding.
fn not_of_a_word<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let per_quad = 16 / size_of::<T>() as u64;
    let tile = u64::from(rig.tuning(1 << 20).workgroup_size) * 4 * per_quad;
    let binding = TIGHT_BINDING_BYTES / size_of::<T>() as u64;
    for before in 0..=16 {
        for len in [1, per_quad, 2 * per_quad + 1 + before as u64] {
            let poison = Poison { before, after: before % 5 };
            check::<T, O>(rig, &T::data(Shape::Random, len), poison, &format!("from {before}"))?;
        }
    }
    for (number, len) in [0, 1, 1000, tile + 3, 2 * binding + 7, 200_003].into_iter().enumerate() {
        for shape in Shape::ALL {
            let poison = Poison { before: 3 + number, after: 5 };
            check::<T, O>(rig, &T::data(shape, len), poison, &format!("{shape:?}"))?;
        }
    }
    specials::<T, O>(rig, &[1, 2, 1000, 2 * binding + 7])?;
    some_tunings::<T, O>(rig)
}

/// A few of the same. Long inputs, of several bindings where these are tight, take most of the time: they have
/// fewer shapes, and where guards are all that is new there are none.
fn not_of_a_word_briefly<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for (before, len) in [(1, 2), (3, 37), (5, 1001)] {
        for shape in Shape::ALL {
            let poison = Poison { before, after: 5 };
            check::<T, O>(rig, &T::data(shape, len), poison, &format!("{shape:?}"))?;
        }
    }
    specials::<T, O>(rig, &[1, 2, 37, 1001])?;
    if rig.is_guarded && !rig.is_tight {
        return Ok(());
    }
    let len = 2 * TIGHT_BINDING_BYTES / size_of::<T>() as u64 + 7;
    for shape in [Shape::Random, Shape::Extreme] {
        let poison = Poison { before: 0, after: 5 };
        check::<T, O>(rig, &T::data(shape, len), poison, &format!("{shape:?}"))?;
    }
    for special in [Special::Everything, Special::NanLast] {
        if let Some(values) = special.data::<T>(len) {
            check::<T, O>(rig, &values, SOME_POISON, &format!("{special:?}"))?;
        }
    }
    Ok(())
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

/// Around the edges of a quad, a workgroup, a tile and a binding.
fn some_lengths<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let tile = u64::from(rig.tuning(1 << 20).workgroup_size) * 16;
    for len in [0, 1, 2, 3, 4, 5, 17, 1000, tile + 1, TIGHT_BINDING_BYTES / 4 + 3, 100_003] {
        for shape in Shape::ALL {
            check::<T, O>(rig, &T::data(shape, len), SOME_POISON, &format!("{shape:?}"))?;
        }
    }
    specials::<T, O>(rig, &[1, 2, 17, 1000, TIGHT_BINDING_BYTES / 4 + 3])
}

/// Slices from every element of a quad, and past a binding's alignment.
fn some_offsets<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for len in [1, 6, 1000, 16_389] {
        let values = T::data(Shape::Random, len);
        for before in [0, 1, 2, 3, 65] {
            let poison = Poison { before, after: 4 };
            check::<T, O>(rig, &values, poison, &format!("from element {before}"))?;
        }
    }
    Ok(())
}

/// One invocation, several passes, and one pass of many workgroups.
fn some_tunings<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let values = T::data(Shape::Random, 20_001);
    for (workgroup_size, max_workgroups, max_partials_per_workgroup, combining) in [
        (1, 1, 2, Combining::Passes),
        (64, 5, 2, Combining::Passes),
        (128, 300, 16_384, Combining::LastToArrive),
    ] {
        let tuning = Tuning {
            workgroup_size,
            max_workgroups,
            max_partials_per_workgroup,
            min_quads_per_invocation: 4,
            combining,
            ..rig.tuning(1)
        };
        check::<T, O>(&rig.tuned(tuning), &values, SOME_POISON, &format!("{tuning:?}"))?;
    }
    Ok(())
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
    specials::<T, O>(rig, &[1, 2, 3, 17, 7919, TIGHT_BINDING_BYTES / 4 + 1])
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
    let mut runner = TestRunner::new(counts::config(24));
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

/// Workgroup sizes from the smallest to the largest, each with half of the rest: numbers of workgroups
/// and loads, and ways to combine, of which some take more passes than two.
fn tunings<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let values = T::data(Shape::Random, 50_001);
    let largest = rig.reducer.caps().max_workgroup_size.ilog2();
    let rest = [
        (1, 2, 4, Combining::Passes),
        (5, 2, 1, Combining::Passes),
        (64, 3, 2, Combining::Passes),
        (300, 4096, 16, Combining::Passes),
        (5, 16_384, 8, Combining::LastToArrive),
        (300, 16_384, 1, Combining::LastToArrive),
        (5, 16_384, 3, Combining::Highest),
        (300, 16_384, 4, Combining::Highest),
    ];
    for log in 0..=largest {
        let half = rest.iter().skip(log as usize % 2).step_by(2);
        for &(max_workgroups, max_partials_per_workgroup, loads_in_flight, combining) in half {
            if combining == Combining::Highest && !rig.reducer.caps().waits_for_others {
                continue;
            }
            let tuning = Tuning {
                workgroup_size: 1 << log,
                max_workgroups,
                max_partials_per_workgroup,
                loads_in_flight,
                combining,
                ..rig.tuning(1)
            };
            check::<T, O>(&rig.tuned(tuning), &values, SOME_POISON, &format!("{tuning:?}"))?;
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
    let rig = rig.tuned(tuning);
    let values = T::data(Shape::Random, 70_000 * 16 + 3);
    let buffer = rig.reducer.upload(&values)?;
    let plan = rig.reducer.reduce(O::default(), &buffer).plan()?;
    ensure!(
        plan.passes().iter().flat_map(wgpu_reduce::PlannedPass::grids).any(|grid| grid[1] > 1),
        "the grid has one dimension only: {plan}"
    );
    check_slice::<T, O>(&rig, (&buffer).into(), &values, "two-dimensional grid")
}

/// One invocation alone with more quads than the turns that some devices let a loop take.
fn long_loops<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let tuning = Tuning { workgroup_size: 1, max_workgroups: 1, ..rig.tuning(1) };
    check::<T, O>(
        &rig.tuned(tuning),
        &T::data(Shape::Constant, 1_200_003),
        SOME_POISON,
        "one invocation",
    )
}
