//! The operators of the documentation, as `examples/custom_operator.rs` has them.

use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::CustomOp;

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "custom::log_sum_exp", log_sum_exp),
        on_every_rig(rigs, "custom::log_sum_exp_of_infinity", log_sum_exp_of_infinity),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A text of the example's. `tests/host/custom.rs` holds the documentation to the same.
fn text(name: &str) -> Result<&'static str, Failed> {
    let example = include_str!("../../examples/custom_operator.rs");
    let behind = example.split_once(&format!("const {name}: &str = \""));
    let text = behind.and_then(|(_, behind)| behind.split_once('"'));
    text.map(|(text, _)| text).ok_or_else(|| format!("{name} is not there").into())
}

fn log_sum_exp_op() -> Result<CustomOp<f32, [f32; 2], f32>, Failed> {
    Ok(CustomOp::new(text("LOG_SUM_EXP")?, [f32::NEG_INFINITY, 0.0])?)
}

/// Of these, of which one at least is finite.
fn check_log_sum_exp(rig: &Rig, values: &[f32], what: &str) -> Outcome {
    let result = rig.reducer.custom(&log_sum_exp_op()?, &rig.reducer.upload(values)?)?;
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = values.iter().map(|&v| (f64::from(v) - f64::from(largest)).exp()).sum();
    let expected = f64::from(largest) + sum.ln();
    let error = (f64::from(result) - expected).abs();
    // WGSL allows exp an error of 3 + 2·|x| units in the last place.
    let tolerance = 1e-6 * expected.abs() + 1e-4;
    ensure!(error <= tolerance, "{what}: {result} is not {expected}");
    Ok(())
}

fn log_sum_exp(rig: &Rig) -> Outcome {
    for len in [1, 2, 5, 1000, 70_001] {
        for scale in [1.0, 100.0, 1e4] {
            let values: Vec<_> = f32::data(Shape::Random, len).iter().map(|v| v * scale).collect();
            check_log_sum_exp(rig, &values, &format!("{len} × {scale}"))?;
        }
    }
    Ok(())
}

/// −∞ has no part in the sum, alone, side by side and where all are: of all it is the result.
fn log_sum_exp_of_infinity(rig: &Rig) -> Outcome {
    let op = log_sum_exp_op()?;
    for len in [0, 1, 2, 5, 1000, 70_001] {
        let nothing = vec![f32::NEG_INFINITY; len];
        let result = rig.reducer.custom(&op, &rig.reducer.upload(&nothing)?)?;
        ensure!(result == f32::NEG_INFINITY, "of {len} times -inf: {result}");
        for place in [0, len / 2, len.saturating_sub(1)].into_iter().filter(|_| len > 0) {
            let mut values = nothing.clone();
            values[place] = -7.5;
            check_log_sum_exp(rig, &values, &format!("at {place} of {len} the only number"))?;
            if len > 1 {
                let mut values = f32::data(Shape::Random, len as u64);
                values[place] = f32::NEG_INFINITY;
                check_log_sum_exp(rig, &values, &format!("-inf at {place} of {len}"))?;
            }
        }
    }
    Ok(())
}
