//! Reducers with a table of tunings.

use crate::harness::oracle::{Oracle, Poison, check};
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig, stamp};
use libtest_mimic::Trial;
use wgpu_reduce::{
    AdapterKey, AnyTuning, Error, Operation, Sum, TunedLengths, Tuning, TuningTable, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(rigs, [lengths_have_their_tuning], {
        "tuning_table::sum": Sum of f32, i32, u32;
        "tuning_table::wrapping_sum": WrappingSum of i32, u32
    });
    trials.extend(on_every_rig(rigs, "tuning_table::the_last_call_counts", the_last_call_counts));
    trials.extend(on_every_rig(rigs, "tuning_table::others_are_refused", others_are_refused));
    trials
}

const SOME_POISON: Poison = Poison { before: 3, after: 5 };

/// Tunings for elements of a type, each from a length on.
fn table<T: TestElement, O: Oracle<T>>(key: AdapterKey, tunings: &[(u64, Tuning)]) -> TuningTable {
    let starts = tunings.iter().map(|(start, _)| *start);
    let ends = starts.skip(1).map(|start| start - 1).chain([LAST]);
    let tuned = tunings.iter().zip(ends).map(|((start, tuning), end)| TunedLengths {
        operation: O::default().record(),
        element: T::KIND,
        lengths: *start..=end,
        tuning: *tuning,
    });
    TuningTable::new(key, tuned.collect()).expect("the ranges are disjoint")
}

/// The last length that the tables have something for.
const LAST: u64 = 20_000;

fn key(rig: &Rig) -> AdapterKey {
    AdapterKey::new(rig.reducer.adapter_info())
}

fn lengths_have_their_tuning<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let default = rig.tuning(1);
    let small = Tuning { workgroup_size: 2, max_workgroups: 3, ..default };
    let large = Tuning { workgroup_size: 16, max_workgroups: 50, ..default };
    let table = table::<T, O>(key(rig), &[(10, small), (1000, large)]);
    let reducer = rig.reducer.with_tuning_table(table)?;
    let tuned = rig.with(rig.options.clone(), reducer.clone());
    let buffer = reducer.upload(&T::data(Shape::Random, LAST + 1))?;
    for (len, expected) in [
        (9, None),
        (10, Some(small)),
        (999, Some(small)),
        (1000, Some(large)),
        (LAST, Some(large)),
        (LAST + 1, None),
    ] {
        let slice = buffer.slice(..len)?;
        let expected = match expected {
            Some(tuning) => AnyTuning::from(tuning),
            None => rig.reducer.reduce(O::default(), slice).plan()?.tuning,
        };
        let plan = reducer.reduce(O::default(), slice).plan()?;
        ensure!(plan.tuning == expected, "{len}: {} is not {expected}", plan.tuning);
        let told = reducer.tuning(Operation::<T>::record(&O::default()), T::KIND, len);
        ensure!(AnyTuning::from(told) == expected, "{len}: {told} is not {expected}");
        check::<T, O>(&tuned, &T::data(Shape::Random, len), SOME_POISON, "tuned")?;
    }
    Ok(())
}

fn the_last_call_counts(rig: &Rig) -> Outcome {
    let one = Tuning { workgroup_size: 2, ..rig.tuning(1) };
    let other = Tuning { workgroup_size: 4, ..rig.tuning(1) };
    let table = table::<f32, Sum>(key(rig), &[(0, one)]);
    let buffer = rig.reducer.upload(&[1.0_f32; 100])?;
    let with_table = rig.reducer.with_tuning_table(table.clone())?;
    ensure!(with_table.tuning_table() == Some(&table), "the table is there");
    ensure!(with_table.reduce(Sum, &buffer).plan()?.tuning.whole() == Some(one), "the table's");
    let with_tuning = with_table.with_tuning(other);
    ensure!(with_tuning.tuning_table().is_none(), "the table is gone");
    ensure!(with_tuning.reduce(Sum, &buffer).plan()?.tuning.whole() == Some(other), "the tuning");
    let again = with_tuning.with_tuning_table(table)?;
    ensure!(again.reduce(Sum, &buffer).plan()?.tuning.whole() == Some(one), "the table's again");
    ensure!(rig.reducer.tuning_table().is_none(), "what it was made from is as it was");
    Ok(())
}

fn others_are_refused(rig: &Rig) -> Outcome {
    let good = rig.tuning(1);
    let too_wide = Tuning { workgroup_size: 2 * rig.reducer.caps().max_workgroup_size, ..good };
    for (key, tuning, part) in [
        (AdapterKey { name: "another".into(), ..key(rig) }, good, "of another adapter"),
        (AdapterKey { device: !0, ..key(rig) }, good, "of another adapter"),
        (AdapterKey { driver_info: "0.0".into(), ..key(rig) }, good, "of another driver"),
        (key(rig), too_wide, "sum of 10 to 20000 f32: workgroup size"),
    ] {
        match rig.reducer.with_tuning_table(table::<f32, Sum>(key, &[(10, tuning)])) {
            Err(Error::InvalidTuningTable { what }) if what.contains(part) => {}
            outcome => return Err(format!("{part}: {outcome:?}").into()),
        }
    }
    let empty = TuningTable::new(key(rig), Vec::new())?;
    let sum = rig.reducer.with_tuning_table(empty)?.sum(&rig.reducer.upload(&[1_u32, 2])?)?;
    ensure!(sum == 3, "{sum}");
    Ok(())
}
