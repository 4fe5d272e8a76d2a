//! Means, variances, norms and products over the whole range of the floats, beside exact rational numbers: by the CPU's definition, and by
//! the arithmetic of accumulators.

use super::*;
use crate::op::accuracy::Accuracy;
use crate::op::doubles::times_power_of_two;
use crate::op::host::Lift;
use num_bigint::{BigInt, BigUint, Sign};

/// Every finite `f64` is a whole number of these.
const LEAST: i32 = -1074;

/// A number in units of the least `f64`.
fn whole(value: f64) -> BigInt {
    let bits = value.abs().to_bits();
    let (field, fraction) = ((bits >> 52) as usize, bits & ((1 << 52) - 1));
    let digits = if field > 0 { fraction | 1 << 52 } else { fraction };
    let magnitude = BigUint::from(digits) << field.saturating_sub(1);
    BigInt::from_biguint(if value < 0.0 { Sign::Minus } else { Sign::Plus }, magnitude)
}

/// `numerator / denominator` times a power of two, within a few units in the last place; the root of it where it is asked for.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "of 62 digits, a few are lost"
)]
fn quotient(numerator: &BigInt, denominator: &BigUint, mut exponent: i64, is_root: bool) -> f64 {
    let shift = 126 + denominator.bits().cast_signed() - numerator.bits().cast_signed();
    let shift = shift + (shift + exponent).rem_euclid(2);
    let magnitude = numerator.magnitude();
    let mut digits = if shift < 0 {
        magnitude / (denominator << -shift)
    } else {
        (magnitude << shift) / denominator
    };
    exponent -= shift;
    if is_root {
        digits = digits.sqrt();
        exponent /= 2;
    }
    let surplus = (digits.bits().cast_signed() - 62).max(0);
    let digits = u64::try_from(digits >> surplus).unwrap() as f64;
    let exponent = (exponent + surplus).clamp(-2044, 2044) as i32;
    let value = times_power_of_two(digits, exponent);
    if numerator.sign() == Sign::Minus { -value } else { value }
}

/// What exact arithmetic makes of finite numbers, of which there are two at least.
struct Exact {
    sum: BigInt,
    squares: BigUint,
    product: BigInt,
    count: u32,
}

impl Exact {
    fn of(values: &[f64]) -> Self {
        let wholes: Vec<_> = values.iter().copied().map(whole).collect();
        let squares = wholes.iter().map(|whole| whole.magnitude() * whole.magnitude()).sum();
        let count = values.len().try_into().unwrap();
        Self { sum: wholes.iter().sum(), squares, product: wholes.iter().product(), count }
    }

    fn mean(&self) -> f64 {
        quotient(&self.sum, &self.count.into(), LEAST.into(), false)
    }

    /// The variance, or its root.
    fn variance(&self, ddof: u32, is_root: bool) -> f64 {
        let of_sum = self.sum.magnitude() * self.sum.magnitude();
        let spread = BigInt::from(&self.squares * self.count - of_sum);
        let divisor = BigUint::from(self.count) * (self.count - ddof);
        quotient(&spread, &divisor, 2 * i64::from(LEAST), is_root)
    }

    fn norm(&self) -> f64 {
        let squares = BigInt::from(self.squares.clone());
        quotient(&squares, &1_u32.into(), 2 * i64::from(LEAST), true)
    }

    fn product(&self) -> f64 {
        let exponent = i64::from(LEAST) * i64::from(self.count);
        quotient(&self.product, &1_u32.into(), exponent, false)
    }
}

trait Swept: Element + Into<f64> {
    const EXPONENTS: std::ops::Range<i32>;
    const MOST: f64;
    const LEAST_NORMAL: f64;
    /// Half a unit in the last place of 1.
    const UNIT: f64;

    fn rounded(value: f64) -> Self;
}

macro_rules! swept {
    ($($float:ident: $exponents:expr;)*) => {$(
        impl Swept for $float {
            const EXPONENTS: std::ops::Range<i32> = $exponents;
            const MOST: f64 = $float::MAX as f64;
            const LEAST_NORMAL: f64 = $float::MIN_POSITIVE as f64;
            const UNIT: f64 = $float::EPSILON as f64 / 2.0;

            #[allow(clippy::cast_possible_truncation, reason = "rounded once")]
            fn rounded(value: f64) -> Self {
                value as $float
            }
        }
    )*};
}
swept! {
    f32: -149..128;
    f64: -1074..1024;
}

/// Data about a power of two: near to each other, far apart, of both signs, with one that is far smaller or far larger, all equal.
fn families<T: Swept>(exponent: i32) -> Vec<Vec<T>> {
    let times = |factor: f64, exponent: i32| {
        T::rounded(times_power_of_two(factor, exponent).clamp(-T::MOST, T::MOST))
    };
    let at = |factor: f64| times(factor, exponent);
    let [most, negative, one] = [T::MOST, -T::MOST, 1.0].map(T::rounded);
    vec![
        (0..9).map(|index| at(1.0 + f64::from(index) / 64.0)).collect(),
        (0..40).map(|index| at(1.9 * f64::from((index * 7) % 11 - 5) / 5.0)).collect(),
        vec![at(1.75), at(-1.75)],
        vec![at(1.75), at(1.75), at(1.5), at(-1.75)],
        vec![one, at(1.5), at(1.25), at(1.5)],
        vec![at(-1.5), most, most, most],
        vec![most, most, at(1.5), negative, negative],
        vec![most, at(1.5), most, negative, most, negative, negative, at(-1.25)],
        vec![T::rounded(0.0), at(1.99), at(1.99), at(1.99), at(1.99)],
        vec![at(1.3); 7],
        // Their product is in the middle of the range.
        [vec![at(1.25); 6], vec![times(1.5, -exponent); 6]].concat(),
    ]
}

/// A result of some accuracy is as near as its bound says, and that is finite.
fn judge<T: Swept + Lift, O: Operation<T, Output = T>>(operation: O, values: &[T], exact: f64) {
    judge_beside(operation, values, exact, 0.0);
}

/// The same, where the CPU's definition may leave something out.
fn judge_beside<T: Swept + Lift, O: Operation<T, Output = T>>(
    operation: O,
    values: &[T],
    exact: f64,
    left_out: f64,
) {
    let name = operation.record().name();
    let accuracy = Accuracy::new(T::KIND, values.len() as u64, values.len() as u64, 1);
    let bound = operation.tolerance(values, &accuracy);
    let number = T::KIND.number();
    let lifts =
        values.iter().map(|value| value.lifted().accumulator(operation.record(), number, 0));
    let words = lifts.collect::<Vec<_>>().concat();
    let raw = operation.record().on_host(T::KIND).unwrap()(bytemuck::cast_slice(&words)).unwrap();
    let combined =
        operation.finish(bytemuck::pod_read_unaligned(&raw), values.len() as u64).unwrap();
    let defined = operation.on_cpu(values).unwrap();
    for (how, result, bound) in [
        ("combined", combined, bound),
        ("on_cpu", defined, 4.0 * T::UNIT * exact.abs() + 4.0 * T::LEAST_NORMAL + left_out),
    ] {
        let result = result.into();
        let what =
            || format!("{name} {how} of {values:?}: {result:e}, not {exact:e} within {bound:e}");
        if exact.abs() > T::MOST * (1.0 - 64.0 * T::UNIT) {
            assert!(result.abs() >= T::MOST * (1.0 - 1e-5) && result * exact > 0.0, "{}", what());
            continue;
        }
        assert!((result - exact).abs() <= bound, "{}", what());
        assert!(bound.is_finite(), "{}", what());
    }
}

fn sweep<T: Swept + Lift>()
where
    Mean: Operation<T, Output = T>,
    Variance: Operation<T, Output = T>,
    Std: Operation<T, Output = T>,
    NanVariance: Operation<T, Output = T>,
    NanStd: Operation<T, Output = T>,
    NormL2: Operation<T, Output = T>,
    Product: Operation<T, Output = T>,
{
    for exponent in T::EXPONENTS.step_by(if T::MOST > 1e40 { 7 } else { 1 }) {
        for values in families::<T>(exponent) {
            let exact = Exact::of(&values.iter().map(|&value| value.into()).collect::<Vec<_>>());
            // Means of f32 are defined by sums of f64.
            let left_out = values.iter().map(|&value| f64::EPSILON * value.into().abs()).sum();
            judge_beside(Mean, &values, exact.mean(), left_out);
            judge(Variance::SAMPLE, &values, exact.variance(1, false));
            judge(Std::POPULATION, &values, exact.variance(0, true));
            judge(NanVariance::SAMPLE, &values, exact.variance(1, false));
            judge(NanStd::POPULATION, &values, exact.variance(0, true));
            judge(NormL2, &values, exact.norm());
            judge(Product, &values, exact.product());
        }
    }
}

#[test]
fn nothing_that_is_representable_is_lost_on_the_way() {
    sweep::<f32>();
    sweep::<f64>();
}

#[test]
fn exact_numbers_are_exact() {
    let exact = Exact::of(&[3.0, -1.5, 0.25, 2.0]);
    assert_eq!(exact.mean().to_bits(), 0.9375_f64.to_bits());
    assert_eq!(exact.product().to_bits(), (-2.25_f64).to_bits());
    assert!((exact.norm() - 15.3125_f64.sqrt()).abs() < 1e-15);
    assert!((exact.variance(0, false) - (15.3125 / 4.0 - 0.9375 * 0.9375)).abs() < 1e-15);
    assert_eq!(Exact::of(&[f64::MAX, f64::MAX]).mean().to_bits(), f64::MAX.to_bits());
    assert_eq!(Exact::of(&[5e-324, 0.0, 5e-324, 0.0, 2e-323, 0.0]).norm().to_bits(), 4);
}
