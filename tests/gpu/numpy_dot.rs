//! NumPy's dot products of edge cases: `tests/data/numpy_dot.txt`, whose writer lies beside it.

use crate::harness::oracle::Judged;
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use std::str::FromStr;
use wgpu_reduce::{Dot, Element, PairOperation};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    on_every_rig(rigs, "numpy_dot::every_case", every_case)
}

fn words(text: &str) -> Result<Vec<u32>, Failed> {
    let words = text.split_whitespace().map(|word| u32::from_str_radix(word, 16));
    Ok(words.collect::<Result<_, _>>()?)
}

/// Compares the device's result and that of the definition with NumPy's.
fn check<T: Element>(
    rig: &Rig,
    [a, b]: [&[u32]; 2],
    expected: <Dot as PairOperation<T>>::Output,
) -> Outcome
where
    Dot: PairOperation<T, Output: Judged>,
{
    let (left, right): (&[T], &[T]) = (bytemuck::cast_slice(a), bytemuck::cast_slice(b));
    let buffers = [rig.reducer.upload(left)?, rig.reducer.upload(right)?];
    let plan = rig.reducer.plan_pair(Dot, &buffers[0], &buffers[1])?;
    let tolerance = Dot.tolerance(left, right, &plan);
    for result in [rig.reducer.dot(&buffers[0], &buffers[1])?, Dot.on_cpu(left, right)?] {
        let is_right = result.within(expected, tolerance);
        ensure!(is_right, "{a:x?} with {b:x?}: {result:?}, but NumPy has {expected:?}");
    }
    Ok(())
}

fn integer<T: FromStr>(text: &str) -> Result<T, Failed> {
    text.parse().map_err(|_| Failed::from(format!("{text} is no integer")))
}

fn every_case(rig: &Rig) -> Outcome {
    let mut checked = 0;
    for line in include_str!("../data/numpy_dot.txt").lines().skip(1) {
        let parts: Vec<_> = line.split('|').collect();
        let [element, a, b, result] = parts[..] else {
            return Err(format!("a line of {} parts", parts.len()).into());
        };
        let (a, b) = (words(a)?, words(b)?);
        let both = [&a[..], &b[..]];
        match element {
            "f32" if result == "nan" => check::<f32>(rig, both, f32::NAN)?,
            "f32" => check::<f32>(rig, both, f32::from_bits(u32::from_str_radix(result, 16)?))?,
            "i32" => check::<i32>(rig, both, integer(result)?)?,
            "u32" => check::<u32>(rig, both, integer(result)?)?,
            _ => return Err(format!("no type is called {element}").into()),
        }
        checked += 1;
    }
    ensure!(checked > 70, "only {checked} cases");
    Ok(())
}
