//! NumPy's results along axes of views: `tests/data/numpy_axis.txt`, whose writer lies beside it.

use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use std::str::FromStr;
use wgpu_reduce::{ArgMax, Min, Sum, View};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    on_every_rig(rigs, "axis::numpy", every_case)
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

fn every_case(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let buffer = reducer.upload(&values())?;
    let mut checked = 0;
    for line in include_str!("../data/numpy_axis.txt").lines().skip(1) {
        let parts: Vec<_> = line.split('|').collect();
        let [name, shape, strides, offset, axis, expected] = parts[..] else {
            return Err(format!("a line of {} parts", parts.len()).into());
        };
        let view = View::strided(&numbers(shape)?, &numbers(strides)?, offset.parse()?)?;
        let axis = axis.parse()?;
        let expected: Vec<i64> = numbers(expected)?;
        let results: Vec<i64> = match name {
            "sum" => reducer.reduce_axis(Sum, &buffer, view, axis)?.wait()?,
            "min" => {
                let least = reducer.reduce_axis(Min, &buffer, view, axis)?.wait()?;
                least.into_iter().map(i64::from).collect()
            }
            "argmax" => {
                let found = reducer.reduce_axis(ArgMax, &buffer, view, axis)?.wait()?;
                found.into_iter().map(|found| found.index.cast_signed()).collect()
            }
            _ => return Err(format!("no operation is called {name}").into()),
        };
        ensure!(results == expected, "{line}: {results:?}");
        checked += 1;
    }
    ensure!(checked > 120, "only {checked} cases");
    Ok(())
}
