//! The operators of the documentation, as `examples/custom_operator.rs` has them.

use crate::custom::padded;
use crate::harness::oracle::Poison;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::{CustomOp, CustomValue};
use wgpu_reduce_known::agrees;

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "custom::log_sum_exp", log_sum_exp),
        on_every_rig(rigs, "custom::log_sum_exp_of_infinity", log_sum_exp_of_infinity),
        on_every_rig(rigs, "custom::max_abs_difference", max_abs_difference),
        on_every_rig(rigs, "custom::max_abs_difference_of_nan", max_abs_difference_of_nan),
        on_every_rig(rigs, "custom::lines_of_the_table", lines_of_the_table),
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

/// Checks the result of these values, of which one at least is finite.
fn check_log_sum_exp(rig: &Rig, values: &[f32], what: &str) -> Outcome {
    let result = rig.reducer.reduce(&log_sum_exp_op()?, &rig.reducer.upload(values)?).run()?;
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = values.iter().map(|&v| (f64::from(v) - f64::from(largest)).exp()).sum();
    let expected = f64::from(largest) + sum.ln();
    // WGSL allows exp an error of 3 + 2·|x| units in the last place.
    let tolerance = 1e-6 * expected.abs() + 1e-4;
    ensure!(agrees(result.into(), expected, tolerance), "{what}: {result} is not {expected}");
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
        let result = rig.reducer.reduce(&op, &rig.reducer.upload(&nothing)?).run()?;
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

fn max_abs_difference_op() -> Result<CustomOp<(f32, f32), u32, f32>, Failed> {
    Ok(CustomOp::new(text("MAX_ABS_DIFFERENCE")?, 0)?)
}

fn max_abs_difference(rig: &Rig) -> Outcome {
    let op = max_abs_difference_op()?;
    let poison = Poison { before: 3, after: 5 };
    for len in [0, 1, 6, 1000, 50_003] {
        let (a, b) = (f32::data(Shape::Random, len), f32::data(Shape::Tiny, len));
        let [on_a, on_b] = [&a, &b].map(|values| padded(rig, values, poison));
        let (on_a, on_b) = (on_a?, on_b?);
        let range = 3..3 + len;
        let result =
            rig.reducer.reduce(&op, (on_a.slice(range.clone())?, on_b.slice(range)?)).run()?;
        let differences = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
        let expected = differences.fold(0.0, f32::max);
        ensure!((result - expected).abs() <= 1e-37, "{len}: {result} is not {expected}");
    }
    Ok(())
}

/// One NaN is seen, in either input and wherever it stands, and so is the difference of equal infinities.
fn max_abs_difference_of_nan(rig: &Rig) -> Outcome {
    let op = max_abs_difference_op()?;
    let infinities = (f32::INFINITY, f32::INFINITY);
    for len in [1, 6, 1000, 50_003] {
        for place in [0, len / 3, len - 1] {
            for (left, right) in [(f32::NAN, 1.0), (1.0, -f32::NAN), (f32::NAN, 0.0), infinities] {
                let mut inputs = [Shape::Random, Shape::Extreme].map(|shape| f32::data(shape, len));
                let place = usize::try_from(place)?;
                (inputs[0][place], inputs[1][place]) = (left, right);
                let [a, b] = inputs.map(|values| rig.reducer.upload(&values));
                let result = rig.reducer.reduce(&op, (&a?, &b?)).run()?;
                ensure!(result.is_nan(), "{left} and {right} at {place} of {len}: {result}");
            }
        }
    }
    Ok(())
}

/// An operator of the table in `docs/operations.md`.
fn line<P: CustomValue, R: CustomValue>(
    name: &str,
    [partial, result]: [&str; 2],
    identity: P,
) -> Result<CustomOp<f32, P, R>, Failed> {
    let lines = include_str!("../../docs/operations.md").lines();
    let mut cells = lines.map(|line| line.split(" | ").collect::<Vec<_>>());
    let line = cells.find(|cells| cells.first() == Some(&format!("| {name}").as_str()));
    let Some([_, map, combine, finish]) = line.as_deref() else {
        return Err(format!("the table has no {name}").into());
    };
    let [map, combine, finish] = [map, combine, finish].map(|cell| cell.replace(['`', '|'], ""));
    let text = format!(
        "fn map(x: f32, i: u32) -> {partial} {{ return {map}; }}
        fn combine(a: {partial}, b: {partial}) -> {partial} {{ return {combine}; }}
        fn finish(t: {partial}) -> {result} {{ return {finish}; }}"
    );
    Ok(CustomOp::new(text, identity)?)
}

/// Means and norms of positive numbers, and zeros before the others.
fn lines_of_the_table(rig: &Rig) -> Outcome {
    let geometric = line::<[f32; 2], f32>("geometric mean", ["vec2<f32>", "f32"], [0.0; 2])?;
    let harmonic = line::<[f32; 2], f32>("harmonic mean", ["vec2<f32>", "f32"], [0.0; 2])?;
    let norm = line::<f32, f32>("3-norm", ["f32", "f32"], 0.0)?;
    let sevens = line::<u32, u32>("how many are 7", ["u32", "u32"], 0)?;
    let first = line::<u32, u32>("first that is not 0", ["u32", "u32"], u32::MAX)?;
    for len in [9_u16, 50_003] {
        let numbers: Vec<_> = (0..len).map(|index| f32::from(1 + index % 9)).collect();
        let wide = || numbers.iter().copied().map(f64::from);
        let count = f64::from(len);
        let values = rig.reducer.upload(&numbers)?;
        let found = [&geometric, &harmonic].map(|mean| rig.reducer.reduce(mean, &values).run());
        let [geometric, harmonic] = found;
        let norm = rig.reducer.reduce(&norm, &values).run()?;
        for (found, expected, what) in [
            (geometric?, (wide().map(f64::ln).sum::<f64>() / count).exp(), "geometric mean"),
            (harmonic?, count / wide().map(f64::recip).sum::<f64>(), "harmonic mean"),
            (norm, wide().map(|number| number.powi(3)).sum::<f64>().cbrt(), "norm"),
        ] {
            let tolerance = 1e-4 * expected;
            ensure!(agrees(found.into(), expected, tolerance), "{what} of {len}: {found}");
        }
        let expected =
            numbers.iter().filter(|&&number| number.to_bits() == 7.0_f32.to_bits()).count();
        let found = rig.reducer.reduce(&sevens, &values).run()?;
        ensure!(usize::try_from(found)? == expected, "{found} of {len} are 7, not {expected}");
        let zeros = usize::from(len / 3);
        let values = rig.reducer.upload(&[vec![0.0; zeros], numbers].concat())?;
        let found = rig.reducer.reduce(&first, &values).run()?;
        ensure!(usize::try_from(found)? == zeros, "{found} is the first, not {zeros}");
    }
    let nothing = rig.reducer.reduce(&first, &rig.reducer.upload(&[0.0_f32; 3])?).run()?;
    ensure!(nothing == u32::MAX, "{nothing} of nothing but zeros");
    Ok(())
}
