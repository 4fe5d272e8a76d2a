//! Standard deviations against exact arithmetic: in every range of the floats, and in every shape. Means, variances, norms and products
//! of rows beside them.

use crate::harness::oracle::Oracle;
use crate::harness::{Outcome, Rig, TestElement, ensure, on_every_rig, one_rig_of_each_adapter};
use crate::{by_key, inputs};
use libtest_mimic::Trial;
use wgpu_reduce::{
    Element, Matrix, Mean, NanMean, NanStd, NanVariance, NormL2, Operation, Pending, Product, Std,
    Tuning, Variance,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, test) in [
        ("deviations::std_of_floats_is_within_its_bound", floats as fn(&Rig) -> Outcome),
        ("deviations::rows_are_within_their_bounds", rows_of_floats),
        ("deviations::std_of_equal_numbers_is_0", equal_numbers),
        ("deviations::std_of_the_largest_numbers", largest_numbers),
        ("deviations::std_of_few_elements", few_elements),
        ("deviations::std_beyond_numbers", beyond_numbers),
        ("deviations::std_of_integers", integers),
        ("deviations::numbers_among_nan_are_within_their_bounds", among_nan),
        ("deviations::equal_numbers_among_nan_have_0", equal_numbers_among_nan),
        ("deviations::few_numbers_among_nan", few_numbers_among_nan),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    let shapes = on_every_rig(rigs, "deviations::std_of_runs_and_batches", runs_and_batches);
    trials.extend(one_rig_of_each_adapter(rigs, shapes));
    trials
}

/// A float that is a whole number times a power of two.
trait Scaled: TestElement + Into<f64> {
    const EXPONENTS: [i32; 6];
    /// Beside which small numbers stay exact.
    const FAR: i32;
    /// Of 2^16 - 1 the exponent that makes it nearly the largest number: a rounding more is not beyond.
    const TOP: i32;
    /// What a result of ordinary numbers may be off by, as a part of it.
    const NEAR: f64;

    fn scaled(whole: i32, far: f64, exponent: i32) -> Self;
}

macro_rules! scaled {
    ($($float:ident: $exponents:expr, $far:literal, $top:literal, $near:literal;)*) => {$(
        impl Scaled for $float {
            const EXPONENTS: [i32; 6] = $exponents;
            const FAR: i32 = $far;
            const TOP: i32 = $top;
            const NEAR: f64 = $near;

            #[allow(clippy::cast_possible_truncation, reason = "it is one of these numbers")]
            fn scaled(whole: i32, far: f64, exponent: i32) -> Self {
                times_power_of_two(far + f64::from(whole), exponent) as Self
            }
        }
    )*};
}
scaled! {
    f32: [-149, -126, -80, 0, 63, 105], 22, 112, 1e-5;
    f64: [-1074, -1022, -600, 0, 511, 970], 50, 1008, 1e-13;
}

/// In two steps, since either power alone may be out of range.
fn times_power_of_two(number: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    number * 2.0_f64.powi(half) * 2.0_f64.powi(exponent - half)
}

/// Whole numbers below 2^10 of either sign.
fn wholes(len: u64) -> Vec<i32> {
    i32::data(crate::harness::Shape::Random, len).into_iter().map(|number| number % 1024).collect()
}

/// From sums that are exact: rounded by the last steps alone.
#[expect(clippy::cast_precision_loss, reason = "the roundings of the last steps")]
fn exactly(wholes: &[i32], ddof: u32) -> f64 {
    let (count, divisor) = (wholes.len() as i128, wholes.len() as f64 - f64::from(ddof));
    let sum: i128 = wholes.iter().map(|&whole| i128::from(whole)).sum();
    let squares: i128 = wholes.iter().map(|&whole| i128::from(whole).pow(2)).sum();
    ((count * squares - sum * sum) as f64 / (count as f64 * divisor)).sqrt()
}

fn reduced<T: Element, O: Operation<T>>(
    rig: &Rig,
    operation: O,
    values: &[T],
) -> Result<O::Output, libtest_mimic::Failed> {
    let buffer = rig.reducer.upload(values)?;
    let outcome = rig.reducer.reduce(operation, &buffer).start().and_then(Pending::wait);
    Ok(outcome?)
}

fn floats(rig: &Rig) -> Outcome {
    in_every_range::<f32>(rig)?;
    in_every_range::<f64>(rig)
}

fn in_every_range<T: Scaled>(rig: &Rig) -> Outcome
where
    Std: Operation<T, Output: Into<f64>>,
{
    for len in [2_u64, 3, 7, 1000, 50_001] {
        let wholes = wholes(len);
        for exponent in T::EXPONENTS {
            for far in [0.0, 2.0_f64.powi(T::FAR), -2.0_f64.powi(T::FAR)] {
                let scaled = |&whole: &i32| T::scaled(whole, far, exponent);
                let values: Vec<T> = wholes.iter().map(scaled).collect();
                let ddof = u32::from(len > 2);
                let expected = times_power_of_two(exactly(&wholes, ddof), exponent);
                let what = format!("{len} at 2^{exponent} from {far}");
                check(rig, &values, Std { ddof }, expected, &what)?;
            }
        }
    }
    Ok(())
}

fn check<T: Scaled, O: Operation<T, Output: Into<f64>>>(
    rig: &Rig,
    values: &[T],
    operation: O,
    expected: f64,
    what: &str,
) -> Outcome {
    let got = reduced(rig, operation, values)?;
    let off = (got.into() - expected).abs();
    let plan = rig.reducer.reduce(operation, &rig.reducer.upload(values)?).plan()?;
    let bound = Operation::<T>::tolerance(&operation, values, &plan.accuracy());
    ensure!(
        bound.is_finite() && off <= bound,
        "{what}: {:e}, not {expected:e} within {bound:e}",
        got.into()
    );
    // The bound is of use, but where a device may have no such small numbers.
    let is_ordinary = expected > T::scaled(1, 0.0, T::EXPONENTS[2]).into();
    let is_near = off <= T::NEAR * expected;
    ensure!(is_near || !is_ordinary, "{what}: {:e}, not {expected:e}", got.into());
    Ok(())
}

/// Rows of equal length, and their results by exact arithmetic.
struct Rows<T> {
    elements: Vec<T>,
    columns: usize,
    expected: Vec<f64>,
    /// What results may be off by beside their bounds, as parts of `T::NEAR`.
    scales: Vec<f64>,
}

impl<T: Scaled> Rows<T> {
    /// Results that are beyond the range are infinite.
    fn check<O: Operation<T, Output: Into<f64>>>(
        &self,
        rig: &Rig,
        operation: O,
        most: f64,
    ) -> Outcome {
        let name = operation.record().name();
        let matrix = Matrix { rows: self.expected.len() as u64, columns: self.columns as u64 };
        let buffer = rig.reducer.upload(&self.elements)?;
        let accuracy = rig.reducer.reduce(operation, &buffer).rows(matrix).plan()?.accuracy();
        let results = rig.reducer.reduce(operation, &buffer).rows(matrix).start()?.wait()?;
        let rows = self.elements.chunks(self.columns);
        let expected = self.expected.iter().zip(&self.scales);
        for ((got, row), (&expected, scale)) in results.into_iter().zip(rows).zip(expected) {
            let got = got.into();
            let what = format!("{name} of {:?}: {got:e}, not {expected:e}", &row[..2]);
            if expected.abs() > most {
                ensure!(got.is_infinite() && got.signum() == expected.signum(), "{what}");
                continue;
            }
            let (off, bound) = ((got - expected).abs(), operation.tolerance(row, &accuracy));
            ensure!(bound.is_finite() && off <= bound, "{what} within {bound:e}");
            let is_ordinary = *scale > T::scaled(1, 0.0, T::EXPONENTS[2]).into();
            ensure!(off <= T::NEAR * scale || !is_ordinary, "{what}");
        }
        Ok(())
    }
}

fn rows_of_floats(rig: &Rig) -> Outcome {
    rows_in_every_range::<f32>(rig, f32::MAX.into())?;
    rows_in_every_range::<f64>(rig, f64::MAX)
}

/// A row for each of 64 exponents, from the least to nearly the largest.
fn rows_in_every_range<T: Scaled>(rig: &Rig, most: f64) -> Outcome
where
    Mean: Operation<T, Output: Into<f64>>,
    NanMean: Operation<T, Output: Into<f64>>,
    Variance: Operation<T, Output: Into<f64>>,
    NanVariance: Operation<T, Output: Into<f64>>,
    NormL2: Operation<T, Output: Into<f64>>,
    Product: Operation<T, Output: Into<f64>>,
{
    let wholes = wholes(97);
    let [first, .., last] = T::EXPONENTS;
    let exponents: Vec<i32> = (0..64).map(|row| first + (last - first) * row / 63).collect();
    let rows = |figure: f64, scale: f64, power: i32| {
        let of_rows = |figure: f64| {
            let scaled = exponents.iter().map(|e| times_power_of_two(figure, power * e));
            scaled.collect()
        };
        let elements = exponents
            .iter()
            .flat_map(|&e| wholes.iter().map(move |&whole| T::scaled(whole, 0.0, e)));
        Rows {
            elements: elements.collect::<Vec<T>>(),
            columns: wholes.len(),
            expected: of_rows(figure),
            scales: of_rows(scale),
        }
    };
    let mean = f64::from(wholes.iter().sum::<i32>()) / 97.0;
    rows(mean, 1024.0, 1).check(rig, Mean, most)?;
    rows(mean, 1024.0, 1).check(rig, NanMean, most)?;
    let variance = exactly(&wholes, 1).powi(2);
    rows(variance, variance, 2).check(rig, Variance { ddof: 1 }, most)?;
    rows(variance, variance, 2).check(rig, NanVariance { ddof: 1 }, most)?;
    let norm = f64::from(wholes.iter().map(|whole| whole * whole).sum::<i32>()).sqrt();
    rows(norm, norm, 1).check(rig, NormL2, most)?;
    products_on_the_way::<T>(rig, &exponents, most)
}

/// Products whose parts are far outside the range, and which are -81.
fn products_on_the_way<T: Scaled>(rig: &Rig, exponents: &[i32], most: f64) -> Outcome
where
    Product: Operation<T, Output: Into<f64>>,
{
    let reach = T::EXPONENTS[5];
    let exponents: Vec<i32> = exponents.iter().copied().filter(|e| e.abs() <= reach).collect();
    let row = |&exponent: &i32| {
        let factors = [3, -3, 3, 3].into_iter().chain(std::iter::repeat(1)).take(48);
        let large = factors.map(move |whole| T::scaled(whole, 0.0, exponent));
        large.chain(std::iter::repeat_n(T::scaled(1, 0.0, -exponent), 48))
    };
    let rows = Rows {
        elements: exponents.iter().flat_map(row).collect(),
        columns: 96,
        expected: vec![-81.0; exponents.len()],
        scales: vec![81.0; exponents.len()],
    };
    rows.check(rig, Product, most)
}

fn equal_numbers(rig: &Rig) -> Outcome {
    for len in [1_usize, 2, 3, 5, 16, 1000, 100_003] {
        for value in [0.1_f32, 1.5, -1e-30, -0.0, 1e-41, 2e19, 1e30, -5e37, f32::MAX] {
            let values = vec![value; len];
            let buffer = rig.reducer.upload(&values)?;
            let got = rig.reducer.std(&buffer, 0)?;
            ensure!(got.to_bits() == 0, "{len} of {value:e}: {got:e}");
            let columns = [1, len as u64][usize::from(len < 100)];
            let matrix = Matrix { rows: len as u64 / columns, columns };
            let rows = rig.reducer.reduce(Std::POPULATION, &buffer).rows(matrix).start()?.wait()?;
            let are_zeros = rows.iter().all(|row| row.to_bits() == 0);
            ensure!(are_zeros, "rows of {columns} times {value:e}: {rows:?}");
        }
        for value in [0.1_f64, -1e300, 4e-320, f64::MAX] {
            let got = reduced(rig, Std::POPULATION, &vec![value; len])?;
            ensure!(got.to_bits() == 0, "{len} of {value:e}: {got:?}");
        }
    }
    Ok(())
}

/// The result is nearly the largest number.
fn largest_numbers(rig: &Rig) -> Outcome {
    largest::<f32>(rig)?;
    largest::<f64>(rig)
}

fn largest<T: Scaled + std::ops::Neg<Output = T>>(rig: &Rig) -> Outcome
where
    Std: Operation<T, Output: Into<f64>>,
{
    let most = T::scaled(65_535, 0.0, T::TOP);
    let got = reduced(rig, Std::POPULATION, &[most, -most])?;
    ensure!((got.into() / most.into() - 1.0).abs() < 1e-6, "{:e}, not {most:?}", got.into());
    // Three of four: √3 / 2 of the largest number.
    for quarter in [1_usize, 5000] {
        let values = [vec![most; 3 * quarter], vec![-most; quarter]].concat();
        let expected = most.into() * 0.75_f64.sqrt();
        let what = format!("{} of the largest", 4 * quarter);
        check(rig, &values, Std::POPULATION, expected, &what)?;
    }
    Ok(())
}

fn few_elements(rig: &Rig) -> Outcome {
    let integers = rig.reducer.upload(&[2_i32, 4, 4, 4, 5, 5, 7, 9])?;
    let floats = rig.reducer.upload(&[2.0_f32, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])?;
    for (ddof, variance) in
        [(0, 4.0), (1, 32.0 / 7.0), (7, 32.0), (8, f64::INFINITY), (9, f64::INFINITY)]
    {
        let expected = f64::sqrt(variance);
        let got = rig.reducer.std(&integers, ddof)?;
        ensure!(got.to_bits() == expected.to_bits(), "integers, {ddof}: {got}");
        let got = f64::from(rig.reducer.std(&floats, ddof)?);
        let is_near = (got / expected - 1.0).abs() < 1e-6 || got.total_cmp(&expected).is_eq();
        ensure!(is_near, "floats, {ddof}: {got}");
    }
    let one = rig.reducer.upload(&[7.0_f32])?;
    ensure!(rig.reducer.std(&one, 0)?.to_bits() == 0, "one element deviates");
    ensure!(rig.reducer.std(&one, 1)?.is_nan(), "a sample of one has a deviation");
    let none = rig.reducer.std(&rig.reducer.upload::<f32>(&[])?, 0);
    ensure!(none == Err(wgpu_reduce::Error::Empty { operation: "std" }), "of none: {none:?}");
    Ok(())
}

fn beyond_numbers(rig: &Rig) -> Outcome {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for values in
        [&[inf][..], &[1.0, inf], &[-inf, 1.0, 2.0], &[inf, -inf], &[nan, 1.0], &[1.0, -nan]]
    {
        for len in [values.len(), 5000] {
            let mut values = values.to_vec();
            values.resize(len, 1.0);
            let got = rig.reducer.std(&rig.reducer.upload(&values)?, 0)?;
            ensure!(got.is_nan(), "{:?}…: {got}", &values[..2.min(len)]);
            let wide: Vec<_> = values.iter().map(|&value| f64::from(value)).collect();
            let got = reduced(rig, Std::POPULATION, &wide)?;
            ensure!(got.is_nan(), "{:?}…: {got:?}", &values[..2.min(len)]);
        }
    }
    Ok(())
}

/// Deviations of integers have the roundings of the last steps.
fn integers(rig: &Rig) -> Outcome {
    for len in [2, 3, 1000, 50_001] {
        let wholes = wholes(len);
        for far in [0, 1 << 30] {
            for ddof in [0, 1] {
                let values: Vec<i32> = wholes.iter().map(|whole| whole - far).collect();
                let expected = exactly(&wholes, ddof);
                let got = rig.reducer.std(&rig.reducer.upload(&values)?, ddof)?;
                let off = (got / expected - 1.0).abs();
                ensure!(off <= 4.0 * f64::EPSILON, "{len} from {far}: {got}, not {expected}");
                let unsigned = values.iter().map(|&value| (value + far).abs_diff(i32::MIN));
                let unsigned: Vec<u32> = unsigned.collect();
                let got = rig.reducer.std(&rig.reducer.upload(&unsigned)?, ddof)?;
                let off = (got / expected - 1.0).abs();
                ensure!(off <= 4.0 * f64::EPSILON, "{len} unsigned: {got}, not {expected}");
            }
        }
    }
    Ok(())
}

fn among_nan(rig: &Rig) -> Outcome {
    among_nan_of::<f32>(rig, f32::NAN)?;
    among_nan_of::<f64>(rig, f64::NAN)
}

/// The same numbers as without NaN in front, behind and between, whichever elements a quad has; and where an invocation has a number, or
/// none, in front of tiles of NaN alone.
fn among_nan_of<T: Scaled>(rig: &Rig, nan: T) -> Outcome
where
    NanStd: Operation<T, Output: Into<f64>>,
    NanVariance: Operation<T, Output: Into<f64>>,
{
    let tuning = Tuning { workgroup_size: 32, max_workgroups: 1, ..rig.tuning(1) };
    let alone = rig.tuned(tuning);
    for len in [2_u64, 3, 7, 5003] {
        let wholes = wholes(len);
        let ddof = u32::from(len > 2);
        let root = exactly(&wholes, ddof);
        for exponent in T::EXPONENTS {
            for far in [0.0, 2.0_f64.powi(T::FAR)] {
                let mut values = vec![nan; usize::try_from(len % 5)?];
                for (index, &whole) in wholes.iter().enumerate() {
                    values.push(T::scaled(whole, far, exponent));
                    let gap = if index == 0 && len > 5000 { 20_000 } else { 0 };
                    values.resize(values.len() + gap, nan);
                    values.resize(values.len() + whole.unsigned_abs() as usize % 8 / 3, nan);
                }
                let what = format!("{len} at 2^{exponent} from {far} among NaN");
                let expected = times_power_of_two(root, exponent);
                check(rig, &values, NanStd { ddof }, expected, &what)?;
                check(&alone, &values, NanStd { ddof }, expected, &what)?;
                if exponent == 0 {
                    check(rig, &values, NanVariance { ddof }, root * root, &what)?;
                }
            }
        }
    }
    Ok(())
}

fn equal_numbers_among_nan(rig: &Rig) -> Outcome {
    for len in [2_usize, 3, 7, 16, 5003] {
        for value in [0.1_f32, -0.0, 1e-41, -5e37, f32::MAX] {
            let values: Vec<_> = (0..len)
                .map(|index| if index * index % 5 == 1 { f32::NAN } else { value })
                .collect();
            let wide: Vec<_> = values.iter().map(|&value| f64::from(value)).collect();
            let got = [
                rig.reducer.nan_variance(&rig.reducer.upload(&values)?, 0)?,
                rig.reducer.nan_std(&rig.reducer.upload(&values)?, 0)?,
            ];
            ensure!(got.map(f32::to_bits) == [0; 2], "{len} of {value:e}: {got:?}");
            let got = [
                reduced(rig, NanVariance::POPULATION, &wide)?,
                reduced(rig, NanStd::SAMPLE, &wide)?,
            ];
            let is_alone = wide.iter().filter(|value| !value.is_nan()).count() == 1;
            ensure!(got[0].to_bits() == 0, "{len} of {value:e}: {got:?}");
            ensure!(got[1].to_bits() == 0 || is_alone && got[1].is_nan(), "{len}: {got:?}");
        }
    }
    Ok(())
}

fn few_numbers_among_nan(rig: &Rig) -> Outcome {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for (values, ddof, expected) in [
        (&[nan][..], 0, nan),
        (&[nan, -nan, nan, nan, nan], 0, nan),
        (&[nan, 7.0], 0, 0.0),
        (&[nan, 7.0], 1, nan),
        (&[nan, 7.0, 9.0], 2, nan),
        (&[nan, 7.0, nan, nan, nan, nan, 9.0], 1, 2.0),
        (&[nan, inf], 0, nan),
        (&[-inf, nan, 1.0], 0, nan),
        (&[2e38, nan, -2e38], 0, inf),
    ] {
        let variance = rig.reducer.nan_variance(&rig.reducer.upload(values)?, ddof)?;
        ensure!(
            variance.total_cmp(&expected).is_eq() || variance.is_nan() && expected.is_nan(),
            "{values:?}: {variance}"
        );
        let deviation = rig.reducer.nan_std(&rig.reducer.upload(values)?, ddof)?;
        let root = if expected.is_infinite() { 2e38 } else { expected.sqrt() };
        let is_near = (deviation - root).abs() <= root * 1e-6;
        ensure!(is_near || deviation.is_nan() && root.is_nan(), "{values:?}: {deviation}");
    }
    let none = rig.reducer.nan_variance(&rig.reducer.upload::<f32>(&[])?, 0);
    ensure!(none == Err(wgpu_reduce::Error::Empty { operation: "nan_variance" }), "{none:?}");
    Ok(())
}

fn runs_and_batches(rig: &Rig) -> Outcome {
    of_runs_and_batches::<f32, Std>(rig)?;
    of_runs_and_batches::<f32, NanVariance>(rig)?;
    of_runs_and_batches::<i32, Std>(rig)?;
    of_runs_and_batches::<half::f16, Std>(rig)?;
    of_runs_and_batches::<half::bf16, Std>(rig)
}

fn of_runs_and_batches<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let keys = by_key::keys_of([1, 2, 3, 300, 17, 1, 900, 40]);
    by_key::check::<u32, T, O>(rig, &keys, 3, "runs")?;
    inputs::check_many::<T, O>(rig, &[1, 300, 2, 9000, 17])
}
