//! `sum` against the oracle, for every element type on every rig.

use crate::harness::oracle::{Judged, Poison, check_slice};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, check_sum, ensure, on_every_rig, stamp};
use libtest_mimic::{Failed, Trial};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use wgpu_reduce::{Operation, Sum, Tuning};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        "sum",
        [
            edge_lengths,
            every_offset,
            random_cases,
            tunings,
            more_workgroups_than_a_dimension,
            long_loops
        ],
        [f32, i32, u32]
    );
    trials.extend(on_every_rig(rigs, "sum::binding_limit", binding_limit));
    trials.extend(on_every_rig(rigs, "sum::beyond_one_binding", beyond_one_binding));
    trials.extend(on_every_rig(rigs, "sum::special_values", special_values));
    trials
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

/// Longer inputs are summed in one shape only.
const LONG: u64 = 1 << 18;

fn edge_lengths<T: TestElement>(rig: &Rig) -> Outcome
where
    Sum: Operation<T>,
    <Sum as Operation<T>>::Output: Judged<T>,
{
    for len in lengths(rig.tuning(1 << 20)) {
        let shapes = if len > LONG { &[Shape::Random][..] } else { &Shape::ALL };
        for &shape in shapes {
            check_sum(rig, &T::data(shape, len), SOME_POISON, &format!("{shape:?}"))?;
        }
    }
    Ok(())
}

/// Slices from every element of a quad to every other, short and long.
fn every_offset<T: TestElement>(rig: &Rig) -> Outcome
where
    Sum: Operation<T>,
    <Sum as Operation<T>>::Output: Judged<T>,
{
    for len in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 1000, 16_384, 16_389] {
        let values = T::data(Shape::Random, len);
        for before in (0..9).chain([63, 64, 65, 16_383]) {
            let poison = Poison { before, after: 4 };
            check_sum(rig, &values, poison, &format!("from element {before}"))?;
        }
    }
    Ok(())
}

/// Random lengths, offsets and shapes, shrunk to the smallest that fails.
fn random_cases<T: TestElement>(rig: &Rig) -> Outcome
where
    Sum: Operation<T>,
    <Sum as Operation<T>>::Output: Judged<T>,
{
    let shapes = proptest::sample::select(&Shape::ALL[..]);
    let cases = (0_u64..60_000, 0_usize..40, 0_usize..40, shapes);
    let strategy = cases.prop_map(|(len, before, after, shape)| (len, before, after, shape));
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(24) });
    runner
        .run(&strategy, |(len, before, after, shape)| {
            check_sum(rig, &T::data(shape, len), Poison { before, after }, &format!("{shape:?}"))
                .map_err(|failed| TestCaseError::fail(failed.message().unwrap_or("").to_owned()))
        })
        .map_err(|error| Failed::from(error.to_string()))
}

/// Workgroup sizes from the smallest to the largest, and more passes than two.
fn tunings<T: TestElement>(rig: &Rig) -> Outcome
where
    Sum: Operation<T>,
    <Sum as Operation<T>>::Output: Judged<T>,
{
    let values = T::data(Shape::Random, 50_001);
    let largest = rig.reducer.caps().max_workgroup_size.ilog2();
    for workgroup_size in (0..=largest).map(|log| 1 << log) {
        for (max_workgroups, max_partials_per_workgroup, one_pass) in [
            (1, 2, false),
            (5, 2, false),
            (64, 3, false),
            (300, 4096, false),
            (5, 16_384, true),
            (300, 16_384, true),
        ] {
            let tuning = Tuning {
                workgroup_size,
                max_workgroups,
                max_partials_per_workgroup,
                one_pass,
                ..rig.tuning(1)
            };
            let tuned = Rig {
                name: rig.name.clone(),
                options: rig.options.clone(),
                reducer: rig.reducer.with_tuning(tuning),
            };
            check_sum(&tuned, &values, SOME_POISON, &format!("{tuning:?}"))?;
        }
    }
    Ok(())
}

/// 70 000 workgroups of one invocation: past the 65 535 of one dimension on any adapter.
fn more_workgroups_than_a_dimension<T: TestElement>(rig: &Rig) -> Outcome
where
    Sum: Operation<T>,
    <Sum as Operation<T>>::Output: Judged<T>,
{
    let tuning = Tuning {
        workgroup_size: 1,
        max_workgroups: 70_000,
        min_quads_per_invocation: 4,
        ..rig.tuning(1)
    };
    let reducer = rig.reducer.with_tuning(tuning);
    let values = T::data(Shape::Random, 70_000 * 16 + 3);
    let buffer = reducer.upload(&values)?;
    let plan = reducer.plan(Sum, &buffer)?;
    ensure!(
        plan.passes.iter().flat_map(|pass| &pass.dispatches).any(|d| d.grid[1] > 1),
        "the grid has one dimension only: {plan}"
    );
    let rig = Rig { name: rig.name.clone(), options: rig.options.clone(), reducer };
    check_slice(&rig, (&buffer).into(), &values, "two-dimensional grid")
}

/// One invocation alone with more quads than the turns that some devices let a loop take.
fn long_loops<T: TestElement>(rig: &Rig) -> Outcome
where
    Sum: Operation<T>,
    <Sum as Operation<T>>::Output: Judged<T>,
{
    let tuning = Tuning { workgroup_size: 1, max_workgroups: 1, ..rig.tuning(1) };
    let reducer = rig.reducer.with_tuning(tuning);
    let rig = Rig { name: rig.name.clone(), options: rig.options.clone(), reducer };
    check_sum(&rig, &T::data(Shape::Constant, 1_200_003), SOME_POISON, "one invocation")
}

/// One element less than a real binding holds, as many, and one more.
fn binding_limit(rig: &Rig) -> Outcome {
    let caps = rig.reducer.caps();
    let most = caps.max_binding_bytes / 4;
    if most > 1 << 26 {
        // Larger ones cost more memory than a test should; tight limits stand in for them.
        return Ok(());
    }
    let values = i32::data(Shape::Random, most + 1);
    let buffer = rig.reducer.upload(&values)?;
    for len in [most - 1, most, most + 1] {
        let slice = buffer.slice(..len)?;
        check_slice(rig, slice, &values[..usize::try_from(len)?], "at the binding limit")?;
    }
    Ok(())
}

/// A real input larger than a real binding: 128 MiB on many adapters, 1 GiB on SwiftShader.
fn beyond_one_binding(rig: &Rig) -> Outcome {
    let caps = rig.reducer.caps();
    let bytes = (caps.max_binding_bytes + (16 << 20)).min(160 << 20).min(caps.max_buffer_bytes);
    let values = i32::data(Shape::Random, bytes / 4 - 3);
    let buffer = rig.reducer.upload(&values)?;
    let plan = rig.reducer.plan(Sum, &buffer)?;
    let windows = plan.passes[0].dispatches.len();
    let fits = caps.max_binding_bytes >= bytes;
    ensure!(fits == (windows == 1), "{windows} windows for {bytes} bytes of {caps:?}");
    check_slice(rig, buffer.slice(1..)?, &values[1..], "large")
}

/// Infinities and NaN among ordinary numbers, wherever they stand.
fn special_values(rig: &Rig) -> Outcome {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let cases: [(&[f32], f32); 5] =
        [(&[nan], nan), (&[inf], inf), (&[-inf], -inf), (&[inf, inf], inf), (&[inf, -inf], nan)];
    for (specials, expected) in cases {
        for len in [2_u64, 5, 1000, 40_000] {
            for start in [0, len / 2, len - specials.len().min(2) as u64] {
                let mut values = f32::data(Shape::Random, len);
                for (index, &special) in specials.iter().enumerate() {
                    if let Some(value) = values.get_mut(usize::try_from(start)? + index) {
                        *value = special;
                    }
                }
                let expected = if values.iter().any(|v| v.is_infinite()) || expected.is_nan() {
                    values.iter().sum::<f32>()
                } else {
                    expected
                };
                let sum = rig.reducer.sum(&rig.reducer.upload(&values)?)?;
                ensure!(
                    sum.to_bits() == expected.to_bits() || (sum.is_nan() && expected.is_nan()),
                    "{specials:?} from {start} of {len}: {sum}, not {expected}"
                );
            }
        }
    }
    Ok(())
}
