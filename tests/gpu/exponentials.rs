//! Logarithms of sums of exponentials: what decides them, and how near they are where sums are rescaled at each step.

#![expect(clippy::float_cmp, reason = "what is compared so is exact in f32")]

use crate::harness::oracle::Oracle;
use crate::harness::{
    Outcome, Rig, Shape, TestElement, ensure, on_every_rig, one_rig_of_each_adapter,
};
use crate::{by_key, inputs};
use libtest_mimic::Trial;
use wgpu_reduce::{LogSumExp, Operation};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, test) in [
        ("exponentials::one_number_is_itself", one_number as fn(&Rig) -> Outcome),
        ("exponentials::numbers_are_within_their_bound", numbers),
        ("exponentials::infinities_and_nan_decide", beyond_numbers),
        ("exponentials::results_on_the_device", on_the_device),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    let shapes = on_every_rig(rigs, "exponentials::of_runs_and_batches", runs_and_batches);
    trials.extend(one_rig_of_each_adapter(rigs, shapes));
    trials
}

fn one_number(rig: &Rig) -> Outcome {
    for value in [0.0_f32, -0.0, 1.5, -88.0, 1e30, f32::MAX, -f32::MAX] {
        for len in [1_usize, 2, 4, 5, 4099] {
            let mut values = vec![f32::NEG_INFINITY; len];
            values[len / 2] = value;
            let got = rig.reducer.log_sum_exp(&rig.reducer.upload(&values)?)?;
            ensure!(got == value, "{value:e} among {len}: {got:e}");
        }
    }
    Ok(())
}

/// Data in which the largest element so far changes often, rarely and never, near zero and far from it.
fn numbers(rig: &Rig) -> Outcome {
    for len in [2_u16, 3, 7, 1000, 20_011] {
        let from_below: Vec<_> = (0..len).map(|index| f32::from(index) * 0.01 - 50.0).collect();
        let from_above: Vec<_> = from_below.iter().rev().copied().collect();
        let steep: Vec<_> = from_below.iter().map(|value| value * 64.0).collect();
        let random: Vec<f32> = TestElement::data(Shape::Random, len.into());
        let wide: Vec<_> = random.iter().map(|value| value * 1e38).collect();
        for (what, values) in [
            ("from below", &from_below),
            ("from above", &from_above),
            ("steep", &steep),
            ("random", &random),
            ("wide", &wide),
            ("equal", &vec![-1e4_f32; len.into()]),
            ("summing to 1", &vec![-f32::from(len).ln(); len.into()]),
            ("largest", &vec![f32::MAX; len.into()]),
        ] {
            check(rig, values, what)?;
        }
    }
    Ok(())
}

fn check(rig: &Rig, values: &[f32], what: &str) -> Outcome {
    let buffer = rig.reducer.upload(values)?;
    let got = f64::from(rig.reducer.log_sum_exp(&buffer)?);
    let most = f64::from(values.iter().copied().fold(f32::MIN, f32::max));
    let sum: f64 = values.iter().map(|&value| (f64::from(value) - most).exp()).sum();
    let expected = most + sum.ln();
    let accuracy = rig.reducer.reduce(LogSumExp, &buffer).plan()?.accuracy();
    let bound = LogSumExp.tolerance(values, &accuracy);
    let off = (got - expected).abs();
    ensure!(off <= bound, "{what}, {}: {got:e}, not {expected:e} within {bound:e}", values.len());
    // The bound is of use.
    let is_near = off <= 1e-4 + 1e-6 * expected.abs();
    ensure!(is_near, "{what}, {}: {got:e}, not {expected:e}", values.len());
    Ok(())
}

fn beyond_numbers(rig: &Rig) -> Outcome {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for (values, expected) in [
        (&[-inf][..], -inf),
        (&[-inf, -inf, -inf, -inf, -inf], -inf),
        (&[inf], inf),
        (&[-inf, inf], inf),
        (&[inf, inf, 1.0, -f32::MAX, -inf], inf),
        (&[nan], nan),
        (&[-nan, 1.0], nan),
        (&[inf, nan, -inf], nan),
        (&[-inf, 3.0, -inf], 3.0),
        (&[f32::MAX, -f32::MAX, 1.0], f32::MAX),
    ] {
        for len in [values.len(), 5003] {
            // As many as are not there change nothing.
            let mut values = values.to_vec();
            values.resize(len, -inf);
            let got = rig.reducer.log_sum_exp(&rig.reducer.upload(&values)?)?;
            let is_right = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
            ensure!(is_right, "{:?}…, {len}: {got}", &values[..3.min(len)]);
        }
    }
    let none = rig.reducer.log_sum_exp(&rig.reducer.upload::<f32>(&[])?);
    ensure!(none == Err(wgpu_reduce::Error::Empty { operation: "log_sum_exp" }), "{none:?}");
    Ok(())
}

/// What a device leaves, by its own logarithm, is nearly the result.
fn on_the_device(rig: &Rig) -> Outcome {
    let random: Vec<f32> = TestElement::data(Shape::Random, 3001);
    for values in [&random[..], &[-700.25; 4096], &[5.5], &[0.0, 0.5], &[f32::NEG_INFINITY; 3]] {
        let input = rig.reducer.upload(values)?;
        let left = rig.reducer.reduce(LogSumExp, &input).to_buffer()?;
        let raw = left.download(&rig.reducer)?;
        let result = Operation::<f32>::finish(&LogSumExp, raw[0], values.len() as u64)?;
        let by_device = f32::from_bits(raw[0][0]);
        let most = 2.0_f32.powi(-21) + 4.0 * f32::EPSILON * result.abs();
        let is_near = by_device == result || (by_device - result).abs() <= most;
        ensure!(is_near, "{by_device}, not {result}");
    }
    Ok(())
}

fn runs_and_batches(rig: &Rig) -> Outcome {
    of_runs_and_batches::<f32>(rig)?;
    of_runs_and_batches::<half::f16>(rig)
}

fn of_runs_and_batches<T: TestElement>(rig: &Rig) -> Outcome
where
    LogSumExp: Oracle<T>,
{
    let keys = by_key::keys_of([1, 2, 3, 300, 17, 1, 900, 40]);
    by_key::check::<u32, T, LogSumExp>(rig, &keys, 3, "runs")?;
    inputs::check_many::<T, LogSumExp>(rig, &[1, 300, 2, 9000, 17])
}
