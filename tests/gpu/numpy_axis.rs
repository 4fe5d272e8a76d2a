//! NumPy's results along axes of views: `tests/data/numpy_axis.txt`, whose writer lies beside it.

use crate::axis::rows;
use crate::harness::oracle::{Judged as _, Oracle};
use crate::harness::{Outcome, Rig, TestElement, ensure, on_every_rig, one_rig_of_each_adapter};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use std::str::FromStr;
use wgpu_reduce::{
    All, Any, ArgMax, ArgMin, Error, GpuBuffer, Located, Max, Mean, Min, Pending, Sum, Variance,
    View,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = on_every_rig(rigs, "axis::numpy", integers);
    // Each type is read in its own way, and folded as others are.
    let types = [
        ("axis::numpy_f32", floats_32 as fn(&Rig) -> Outcome),
        ("axis::numpy_f64", floats_64),
        ("axis::numpy_f16", floats_16),
        ("axis::numpy_bf16", bfloats_16),
        ("axis::numpy_u8", bytes),
        ("axis::numpy_i16", shorts),
        ("axis::numpy_i64", longs),
    ];
    let of_types = types.into_iter().flat_map(|(name, test)| on_every_rig(rigs, name, test));
    trials.extend(one_rig_of_each_adapter(rigs, of_types.collect()));
    trials
}

fn numbers<T: FromStr>(text: &str) -> Result<Vec<T>, Failed> {
    let numbers = text.split_whitespace().map(str::parse);
    let numbers: Result<_, _> = numbers.collect();
    numbers.map_err(|_| Failed::from(format!("{text} are no numbers")))
}

/// As the writer of the table makes them.
fn values() -> Vec<i32> {
    (0..4096_u32).map(|k| k.wrapping_mul(2_654_435_761).cast_signed() >> 20).collect()
}

/// One line: the view and axes of an operation, and what NumPy has.
struct Case<'a> {
    line: &'a str,
    operation: &'a str,
    view: View,
    axes: Vec<usize>,
    expected: &'a str,
}

fn cases(kind: &str) -> Result<Vec<Case<'static>>, Failed> {
    let case = |line: &'static str| -> Result<_, Failed> {
        let parts: Vec<_> = line.split('|').collect();
        let [_, operation, shape, strides, offset, axes, expected] = parts[..] else {
            return Err(format!("a line of {} parts", parts.len()).into());
        };
        let view = View::strided(&numbers(shape)?, &numbers(strides)?, offset.parse()?)?;
        Ok(Case { line, operation, view, axes: numbers(axes)?, expected })
    };
    let lines = include_str!("../data/numpy_axis.txt").lines();
    let of_kind = lines.filter(|line| line.split('|').next() == Some(kind));
    let cases = of_kind.map(case).collect::<Result<Vec<_>, _>>()?;
    ensure!(cases.len() > 40, "only {} cases of {kind}", cases.len());
    Ok(cases)
}

fn integers(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let buffer = reducer.upload(&values())?;
    for Case { line, operation, view, axes, expected } in cases("i32")? {
        let expected: Vec<i64> = numbers(expected)?;
        let results: Vec<i64> = match operation {
            "sum" => reducer.reduce(Sum, &buffer).along(view, &axes).start()?.wait()?,
            "min" => {
                let least = reducer.reduce(Min, &buffer).along(view, &axes).start()?.wait()?;
                least.into_iter().map(i64::from).collect()
            }
            "argmax" => {
                let found = reducer.reduce(ArgMax, &buffer).along(view, &axes).start()?.wait()?;
                found.into_iter().map(|found| found.index.cast_signed()).collect()
            }
            _ => return Err(format!("no operation is called {operation}").into()),
        };
        ensure!(results == expected, "{line}: {results:?}");
    }
    Ok(())
}

/// The results are NumPy's, as far from them as the operation says; indices are those of elements of each row.
fn judge<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    (buffer, values): (&GpuBuffer<T>, &[T]),
    case: &Case<'_>,
    read: impl Fn(&str, &[T]) -> Result<O::Output, Failed>,
) -> Outcome {
    let Case { line, view, axes, expected, .. } = case;
    let view = *view;
    let operation = O::default();
    let results =
        rig.reducer.reduce(operation, buffer).along(view, axes).start().and_then(Pending::wait);
    if *expected == "error" {
        ensure!(matches!(results, Err(Error::Empty { .. })), "{line}: {results:?}");
        return Ok(());
    }
    let results = results?;
    let (rows, words) = (rows(values, view, axes), expected.split_whitespace().collect::<Vec<_>>());
    ensure!(results.len() == rows.len() && rows.len() == words.len(), "{line}: {results:?}");
    let accuracy = rig.reducer.reduce(operation, buffer).along(view, axes).plan()?.accuracy();
    for ((&result, row), word) in results.iter().zip(&rows).zip(words) {
        let wanted = read(word, row)?;
        // A row with an infinity says nothing of how near: then NumPy's result is compared bit by bit.
        let is_right = O::judge(result, wanted, row, &accuracy) || result.same_bits(wanted);
        ensure!(is_right, "{line}: {result:?} is not {wanted:?}");
    }
    Ok(())
}

fn number<T, R: FromStr>(word: &str, _: &[T]) -> Result<R, Failed> {
    word.parse().map_err(|_| Failed::from(format!("{word} is no result")))
}

fn located<T: Copy>(word: &str, row: &[T]) -> Result<Located<T>, Failed> {
    let index: usize = number(word, row)?;
    let value = *row.get(index).ok_or("an index beyond the row")?;
    Ok(Located { index: index as u64, value })
}

/// Every line of a type, with those of `others` for what it does not have in common with all.
fn check<T: TestElement + FromStr>(
    rig: &Rig,
    kind: &str,
    of: impl Fn(usize, i32) -> T,
    others: impl Fn((&GpuBuffer<T>, &[T]), &Case<'_>) -> Outcome,
) -> Outcome
where
    Sum: Oracle<T, Output: FromStr>,
    Mean: Oracle<T, Output: FromStr>,
    Min: Oracle<T, Output = T>,
    Max: Oracle<T, Output = T>,
    ArgMin: Oracle<T, Output = Located<T>>,
    ArgMax: Oracle<T, Output = Located<T>>,
    Any: Oracle<T, Output = bool>,
    All: Oracle<T, Output = bool>,
{
    let numbered = values().into_iter().take(600).enumerate();
    let values: Vec<T> = numbered.map(|(place, number)| of(place, number)).collect();
    let buffer = rig.reducer.upload(&values)?;
    let data = (&buffer, &values[..]);
    for case in cases(kind)? {
        match case.operation {
            "sum" => judge::<T, Sum>(rig, data, &case, number)?,
            "mean" => judge::<T, Mean>(rig, data, &case, number)?,
            "min" => judge::<T, Min>(rig, data, &case, number)?,
            "max" => judge::<T, Max>(rig, data, &case, number)?,
            "argmin" => judge::<T, ArgMin>(rig, data, &case, located)?,
            "argmax" => judge::<T, ArgMax>(rig, data, &case, located)?,
            "any" => judge::<T, Any>(rig, data, &case, number)?,
            "all" => judge::<T, All>(rig, data, &case, number)?,
            _ => others(data, &case)?,
        }
    }
    Ok(())
}

/// As `tenths` of the writer.
fn float(place: usize, number: i32, part: f64) -> f64 {
    match place {
        60 => f64::NAN,
        70 => f64::INFINITY,
        75 => f64::NEG_INFINITY,
        _ if number % 7 == 0 => 0.0,
        _ => f64::from(number) * part,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "to round is what is wanted")]
fn floats_32(rig: &Rig) -> Outcome {
    let of = |place, number| float(place, number, 0.1) as f32;
    check(rig, "f32", of, |data, case| judge::<f32, Variance>(rig, data, case, number))
}

fn floats_64(rig: &Rig) -> Outcome {
    let of = |place, number| float(place, number, 0.1);
    check(rig, "f64", of, |data, case| judge::<f64, Variance>(rig, data, case, number))
}

fn floats_16(rig: &Rig) -> Outcome {
    let of = |place, number| f16::from_f64(float(place, number, 0.125));
    check(rig, "f16", of, |data, case| judge::<f16, Variance>(rig, data, case, number))
}

/// Cut off, and not rounded.
#[expect(clippy::cast_possible_truncation, reason = "all of them are f32")]
fn bfloats_16(rig: &Rig) -> Outcome {
    let of = |place, number| {
        let [.., low, high] = (float(place, number, 0.1) as f32).to_le_bytes();
        bf16::from_le_bytes([low, high])
    };
    check(rig, "bf16", of, |data, case| judge::<bf16, Variance>(rig, data, case, number))
}

fn bytes(rig: &Rig) -> Outcome {
    let of = |_, number: i32| number.to_le_bytes()[0];
    check(rig, "u8", of, |data, case| judge::<u8, Variance>(rig, data, case, number))
}

#[expect(clippy::cast_possible_truncation, reason = "below 2^15")]
fn shorts(rig: &Rig) -> Outcome {
    let of = |_, number: i32| (number * 16) as i16;
    check(rig, "i16", of, |data, case| judge::<i16, Variance>(rig, data, case, number))
}

fn longs(rig: &Rig) -> Outcome {
    let of = |_, number: i32| i64::from(number) << 30;
    check(
        rig,
        "i64",
        of,
        |_, case| Err(format!("no operation is called {}", case.operation).into()),
    )
}
