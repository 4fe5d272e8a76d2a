//! Several operations in one read: each result is that of its operation alone.

use crate::harness::oracle::Oracle;
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, ensure, on_every_rig, one_rig_of_each_adapter,
};
use half::f16;
use libtest_mimic::Trial;
use std::fmt::Debug;
use wgpu_reduce::{
    Accuracy, All, Any, ArgMax, ArgMin, BitXor, CountNan, CountNonZero, Error, LogSumExp, Matrix,
    Max, Mean, Min, MinMax, NanArgMin, NanMean, NanStd, NanSum, NormL1, NormL2, NormMax, Product,
    Result, Stats, Std, Sum, SumExact, SumOfSquares, Variance, View, WrappingSum,
};

/// Stamps the properties on three operations over elements of a type.
macro_rules! trios {
    ($rigs:expr, { $($name:literal: ($a:ty, $b:ty, $c:ty) of $($element:ty),+;)+ }) => {{
        let mut trials = Vec::new();
        $($(
            trials.extend(on_every_rig(
                $rigs,
                concat!("several::", $name, "::whole::", stringify!($element)),
                whole::<$element, $a, $b, $c>,
            ));
            trials.extend(on_every_rig(
                $rigs,
                concat!("several::", $name, "::shapes::", stringify!($element)),
                shapes::<$element, $a, $b, $c>,
            ));
        )+)+
        trials
    }};
}

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    // Each way to lift and to accumulate is beside another one.
    let trials = trios!(rigs, {
        "sum_max_argmin": (Sum, Max, ArgMin) of f32, i32, u8, f16, i64, f64;
        "argmax_argmin_mean": (ArgMax, ArgMin, Mean) of f32, u32, i16;
        "count_variance_all": (CountNonZero, Variance, All) of f32, i32, f64;
        "stats_any_max": (Stats, Any, NormMax) of f32;
        "nan": (NanSum, NanArgMin, CountNan) of f32, f64;
        "nan_mean_std": (NanMean, NanStd, Min) of f32;
        "nan_std_min": (NanStd, Min, NanSum) of f64;
        "norms": (NormL2, NormL1, SumOfSquares) of f32, u16;
        "products": (Product, LogSumExp, MinMax) of f32;
        "words": (WrappingSum, BitXor, Product) of u32, i64;
        "std_twice": (Std, Std, Sum) of f32;
    });
    let mut trials = one_rig_of_each_adapter(rigs, trials);
    trials.extend(on_every_rig(rigs, "several::verbs", verbs));
    trials.extend(on_every_rig(rigs, "several::refusals", refusals));
    trials
}

/// Compares each result with the definition of its operation, and an error with that of the first that has one.
fn judge<T: TestElement, A: Oracle<T>, B: Oracle<T>, C: Oracle<T>>(
    results: Result<(A::Output, B::Output, C::Output)>,
    values: &[T],
    accuracy: &Accuracy,
    what: &str,
) -> Outcome {
    let expected = || Ok((A::expected(values)?, B::expected(values)?, C::expected(values)?));
    let (results, expected) = match (results, expected()) {
        (Ok(results), Ok(expected)) => (results, expected),
        (results, expected) => {
            let is_refused = results.as_ref().err() == expected.as_ref().err();
            ensure!(is_refused, "{what}: {results:?} is not {expected:?}");
            return Ok(());
        }
    };
    let each = [
        A::judge(results.0, expected.0, values, accuracy),
        B::judge(results.1, expected.1, values, accuracy),
        C::judge(results.2, expected.2, values, accuracy),
    ];
    ensure!(each == [true; 3], "{what}: {results:?} is not {expected:?}, {each:?}");
    Ok(())
}

/// The data of a test: ordinary numbers, and of floats those that are not, but for the largest, whose partial sums have no bound.
fn data<T: TestElement>(len: u64) -> Vec<Vec<T>> {
    let ordinary = [Shape::Random, Shape::Extreme, Shape::Tiny].map(|shape| T::data(shape, len));
    let are_large = |special: &Special| {
        matches!(special, Special::Large | Special::Cancelling | Special::Roots)
    };
    let special = Special::ALL.into_iter().filter(|special| !are_large(special));
    let special = special.filter_map(|special| special.data(len));
    ordinary.into_iter().chain(special).collect()
}

/// One result of everything, from every element of a quad; and with a mask.
fn whole<T: TestElement, A: Oracle<T>, B: Oracle<T>, C: Oracle<T>>(rig: &Rig) -> Outcome {
    let operations = (A::default(), B::default(), C::default());
    for (number, len) in [1, 2, 3, 5, 17, 257, 4099, 70_003].into_iter().enumerate() {
        for values in data::<T>(len) {
            let before = number as u64 % 5;
            let mut padded = vec![T::poison(); number % 5];
            padded.extend(&values);
            let input = rig.reducer.upload(&padded)?;
            let request = rig.reducer.reduce(operations, input.slice(before..before + len)?);
            let accuracy = request.plan()?.accuracy();
            let what = format!("{len} elements from {before}");
            judge::<T, A, B, C>(request.run(), &values, &accuracy, &what)?;
        }
        let values = T::data(Shape::Random, len);
        let input = rig.reducer.upload(&values)?;
        // What the mask leaves has the indices of the first elements.
        let left = len.div_ceil(3);
        let mask: Vec<u8> = (0..len).map(|index| u8::from(index < left)).collect();
        let mask = rig.reducer.upload(&mask)?;
        let masked = rig.reducer.reduce(operations, &input).masked(&mask);
        let accuracy = masked.plan()?.accuracy();
        let values = T::data(Shape::Random, left);
        judge::<T, A, B, C>(masked.run(), &values, &accuracy, &format!("{left} of {len}"))?;
    }
    Ok(())
}

/// Rows, columns, the first and last of three axes, segments and runs.
fn shapes<T: TestElement, A: Oracle<T>, B: Oracle<T>, C: Oracle<T>>(rig: &Rig) -> Outcome {
    let operations = (A::default(), B::default(), C::default());
    let all = T::data(Shape::Random, 60 * 41);
    let input = rig.reducer.upload(&all)?;
    let request = || rig.reducer.reduce(operations, &input);
    let column = |first: usize| all.iter().skip(first).step_by(41).copied().collect::<Vec<_>>();

    let matrix = Matrix { rows: 60, columns: 41 };
    let rows = request().rows(matrix);
    let accuracy = rows.plan()?.accuracy();
    let results = rows.run()?;
    ensure!(results.len() == 60, "{} rows", results.len());
    for (row, (result, values)) in results.into_iter().zip(all.chunks(41)).enumerate() {
        judge::<T, A, B, C>(Ok(result), values, &accuracy, &format!("row {row}"))?;
    }
    let columns = request().columns(matrix);
    let accuracy = columns.plan()?.accuracy();
    let results = columns.run()?;
    ensure!(results.len() == 41, "{} columns", results.len());
    for (number, result) in results.into_iter().enumerate() {
        judge::<T, A, B, C>(Ok(result), &column(number), &accuracy, &format!("column {number}"))?;
    }
    let both = request().along(View::new(&[3, 20, 41])?, [0, 2]);
    let accuracy = both.plan()?.accuracy();
    let results = both.run()?;
    ensure!(results.len() == 20, "{} of two axes", results.len());
    for (number, result) in results.into_iter().enumerate() {
        let rows = (0..3).filter_map(|part| all.chunks(41).nth(20 * part + number));
        let values: Vec<T> = rows.flatten().copied().collect();
        judge::<T, A, B, C>(Ok(result), &values, &accuracy, &format!("of two axes {number}"))?;
    }
    let ends = [0_u32, 1, 5, 6, 700, 701, 2460];
    let offsets = rig.reducer.upload(&ends)?;
    let segments = request().segments(&offsets);
    let accuracy = segments.plan()?.accuracy();
    let results = segments.run()?;
    ensure!(results.len() == 6, "{} segments", results.len());
    for (result, ends) in results.into_iter().zip(ends.windows(2)) {
        let values = &all[ends[0] as usize..ends[1] as usize];
        judge::<T, A, B, C>(Ok(result), values, &accuracy, &format!("segment {ends:?}"))?;
    }
    let keys: Vec<u32> = (0..500).map(|index| index / 125).collect();
    let keys = rig.reducer.upload(&keys)?;
    let runs = rig.reducer.reduce(operations, input.slice(0..500)?).runs(&keys);
    let accuracy = runs.plan()?.accuracy();
    let runs = runs.run()?;
    ensure!(runs.len() == 4, "{} runs", runs.len());
    for ((_, result), values) in runs.into_iter().zip(all.chunks(125)) {
        judge::<T, A, B, C>(Ok(result), values, &accuracy, "a run")?;
    }
    Ok(())
}

fn same<R: PartialEq + Debug>(name: &str, found: &R, expected: &R) -> Outcome {
    ensure!(found == expected, "{name}: {found:?} is not {expected:?}");
    Ok(())
}

/// Prepared, in a batch, of two parts in one window each, and of eight operations.
fn verbs(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let values: Vec<u32> = (0..50_000).map(|index| index * 7 % 1000).collect();
    let x = reducer.upload(&values)?;
    let request = reducer.reduce((Sum, MinMax), &x);
    let expected = request.run()?;
    same("sum", &expected.0, &values.iter().map(|&value| u64::from(value)).sum())?;
    let prepared = request.prepare()?;
    same("prepared", &prepared.run()?, &expected)?;
    same("in flight", &prepared.start()?.wait()?, &expected)?;
    let batch = reducer.batch(vec![reducer.reduce((Sum, MinMax), &x); 3]);
    same("in a batch", &batch.run()?, &vec![expected; 3])?;
    let (first, max) = reducer.batch((request, reducer.reduce(Max, &x))).run()?;
    same("in a mixed batch", &(first, max), &(expected, 999))?;

    let eight = (Sum, Max, Min, All, Any, BitXor, CountNonZero, WrappingSum);
    let (sum, max, min, all, any, xor, nonzero, wrapping) = reducer.reduce(eight, &x).run()?;
    let alone = (
        reducer.sum(&x)?,
        reducer.max(&x)?,
        reducer.min(&x)?,
        reducer.all(&x)?,
        reducer.any(&x)?,
        reducer.bit_xor(&x)?,
        reducer.count_nonzero(&x)?,
    );
    same("eight", &(sum, max, min, all, any, xor, nonzero), &alone)?;
    same("the eighth", &wrapping, &reducer.wrapping_sum(&x)?)
}

/// What is not defined, and what is not joined, say so before anything runs.
fn refusals(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let (floats, none) = (reducer.upload(&[1.5_f32, 2.5])?, reducer.upload::<f32>(&[])?);
    let empty = reducer.reduce((Sum, Max), &none).run();
    let is_empty = matches!(&empty, Err(Error::Empty { operation: "(sum, max)" }));
    ensure!(is_empty, "{empty:?}");
    same("sums of none", &reducer.reduce((Sum, CountNan), &none).run()?, &(0.0, 0))?;
    let exact = reducer.reduce((Sum, SumExact), &floats).run();
    ensure!(matches!(&exact, Err(Error::Unsupported { .. })), "{exact:?}");
    let long = reducer.reduce((Stats::default(), Stats::default()), &floats).run();
    ensure!(matches!(&long, Err(Error::Unsupported { .. })), "{long:?}");
    // A tuple fails as the first that fails, of one result or of many; segments may have no elements where each has a result.
    let nan = reducer.upload(&[f32::NAN, f32::NAN, 1.0])?;
    let lost = reducer.reduce((CountNan, NanArgMin, Max), nan.slice(0..2)?).run();
    ensure!(matches!(&lost, Err(Error::Empty { operation: "nan_argmin" })), "{lost:?}");
    let offsets = reducer.upload(&[0_u32, 0, 2, 2, 3])?;
    let sums = reducer.reduce((NanSum, CountNan), &nan).segments(&offsets).run()?;
    same("segments", &sums, &vec![(0.0, 0), (0.0, 2), (0.0, 0), (1.0, 0)])?;
    let least = reducer.reduce((CountNan, Min), &nan).segments(&offsets).run();
    ensure!(matches!(&least, Err(Error::EmptySegment { segment: 0, .. })), "{least:?}");
    let keys = reducer.upload(&[0_u32, 1])?;
    let groups = reducer.reduce((Sum, Max), &floats).groups(&keys, 2).run();
    ensure!(matches!(&groups, Err(Error::Unsupported { .. })), "{groups:?}");
    Ok(())
}
