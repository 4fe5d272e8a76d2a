//! Sums and products of `f64` on the host, nearer to the real ones than any accumulation in `f64`: what
//! rounding leaves out is accumulated beside them (Ogita, Rump and Oishi, "Accurate sum and dot product",
//! 2005).

use super::deviations::to_f64;
use super::host::Real as _;
use std::iter::zip;

/// A result, and what roundings have left out of it.
#[derive(Clone, Copy)]
struct Compensated {
    rounded: f64,
    rest: f64,
}

const NOTHING: Compensated = Compensated { rounded: 0.0, rest: 0.0 };

impl Compensated {
    /// The two together; the first alone where that is beyond all numbers, and the second is nonsense.
    fn value(self) -> f64 {
        // Nothing added to -0 would be +0.
        if self.rounded.is_finite() && self.rest != 0.0 {
            self.rounded + self.rest
        } else {
            self.rounded
        }
    }

    fn plus(self, number: f64) -> Self {
        let rounded = self.rounded + number;
        let share = rounded - self.rounded;
        let rest = (self.rounded - (rounded - share)) + (number - share);
        Self { rounded, rest: self.rest + rest }
    }

    fn and(self, other: Self) -> Self {
        let sum = self.plus(other.rounded);
        Self { rest: sum.rest + other.rest, ..sum }
    }

    fn halved(self) -> Self {
        Self { rounded: 0.5 * self.rounded, rest: 0.5 * self.rest }
    }

    fn times(self, number: f64) -> Self {
        let rounded = self.rounded * number;
        let rest = self.rounded.mul_add(number, -rounded);
        Self { rounded, rest: self.rest.mul_add(number, rest) }
    }
}

/// The sum, which is +0 of none.
pub(super) fn sum(values: &[f64]) -> f64 {
    let sum = added_up(values.iter().copied());
    if sum.is_finite() {
        return sum;
    }
    // A partial sum may have been beyond all numbers.
    let (scaled, exponent) = near_one(values);
    times_power_of_two(added_up(scaled.into_iter()), exponent)
}

fn added_up(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(NOTHING, Compensated::plus).value()
}

/// The mean, which is NaN of none.
pub(super) fn mean(values: &[f64]) -> f64 {
    let (count, sum) = (to_f64(values.len() as u64), added_up(values.iter().copied()));
    if sum.is_finite() {
        return sum / count;
    }
    let (scaled, exponent) = near_one(values);
    times_power_of_two(added_up(scaled.into_iter()) / count, exponent)
}

/// The sum of magnitudes.
pub(super) fn norm_l1(values: &[f64]) -> f64 {
    added_up(values.iter().map(|value| value.abs()))
}

pub(super) fn sum_of_squares(values: &[f64]) -> f64 {
    dot(values, values)
}

/// The sum of products.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let sum = products_added_up(left, right);
    if sum.is_finite() {
        return sum;
    }
    let [(left, of_left), (right, of_right)] = [left, right].map(near_one);
    times_power_of_two(products_added_up(&left, &right), of_left + of_right)
}

fn products_added_up(left: &[f64], right: &[f64]) -> f64 {
    let products = zip(left, right).map(|(&a, &b)| {
        let rounded = a * b;
        Compensated { rounded, rest: a.mul_add(b, -rounded) }
    });
    products.fold(NOTHING, Compensated::and).value()
}

/// The root of the sum of squares, of numbers divided by a power of two that brings the largest near to 1.
pub(super) fn norm_l2(values: &[f64]) -> f64 {
    if values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    if values.iter().any(|value| value.is_infinite()) {
        return f64::INFINITY;
    }
    let (scaled, exponent) = near_one(values);
    times_power_of_two(sum_of_squares(&scaled).sqrt(), exponent)
}

/// The sum of squared deviations divided by `divisor`, of numbers divided likewise.
pub(super) fn variance(values: &[f64], divisor: f64) -> f64 {
    let (variance, exponent) = scaled_variance(values, divisor);
    times_power_of_two(variance, 2 * exponent)
}

/// The root of that.
pub(super) fn deviation(values: &[f64], divisor: f64) -> f64 {
    let (variance, exponent) = scaled_variance(values, divisor);
    times_power_of_two(variance.sqrt(), exponent)
}

fn scaled_variance(values: &[f64], divisor: f64) -> (f64, i32) {
    if values.iter().any(|value| !value.is_finite()) {
        return (f64::NAN, 0);
    }
    let (scaled, exponent) = near_one(values);
    // Its corrections may leave a little less than 0.
    (squared_deviations(&scaled).max(0.0) / divisor, exponent)
}

/// Numbers divided by the power of two that brings the largest of the finite ones to between 1 and 2, and its exponent.
pub(super) fn near_one(values: &[f64]) -> (Vec<f64>, i32) {
    let finite = values.iter().filter(|value| value.is_finite());
    let largest = finite.fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let exponent = exponent_of(largest.to_bits());
    (values.iter().map(|&value| times_power_of_two(value, -exponent)).collect(), exponent)
}

/// The exponent of the power of two that a magnitude is at least, if it is a normal number.
pub(super) fn exponent_of(magnitude: u64) -> i32 {
    ((magnitude >> 52) as i32).max(1) - 1023
}

/// In two steps, since either alone may be out of range.
pub(super) fn times_power_of_two(number: f64, exponent: i32) -> f64 {
    let power = |exponent: i32| f64::from_bits(u64::from((exponent + 1023).cast_unsigned()) << 52);
    let half = exponent / 2;
    number * power(half) * power(exponent - half)
}

/// The sum of squared deviations from the mean: those from a number near it, corrected by their sum.
pub(super) fn squared_deviations(values: &[f64]) -> f64 {
    let count = to_f64(values.len() as u64);
    let near = added_up(values.iter().copied()) / count;
    let deviations = || {
        let start = Compensated { rounded: -near, rest: 0.0 };
        values.iter().map(move |&value| start.plus(value))
    };
    let squares = deviations().map(|Compensated { rounded, rest }| {
        let square = rounded * rounded;
        let left_out = rounded.mul_add(rounded, -square);
        Compensated { rounded: square, rest: (2.0 * rounded).mul_add(rest, left_out) }
    });
    let squares = squares.fold(NOTHING, Compensated::and).value();
    let off = deviations().fold(NOTHING, Compensated::and).value();
    if squares.is_finite() { squares - off * off / count } else { squares }
}

/// The product, which is 1 of none, of significands and exponents: it is beyond no range on its way.
pub(super) fn product(values: &[f64]) -> f64 {
    let (mut product, mut exponent) = (Compensated { rounded: 1.0, rest: 0.0 }, 0_i64);
    for value in values {
        let (significand, of_value) = value.taken_apart();
        let times = product.times(significand);
        // Below 4, as significands are below 2.
        let is_large = times.rounded.abs() >= 2.0 && times.rounded.is_finite();
        product = if is_large { times.halved() } else { times };
        exponent += of_value + i64::from(is_large);
    }
    // Beyond these nothing but 0 and infinity is left.
    let exponent = i32::try_from(exponent.clamp(-2044, 2044)).unwrap_or_default();
    times_power_of_two(product.value(), exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_leaves_out_is_not_lost() {
        let (large, small) = (1e16, 1.0);
        assert_eq!(sum(&[large, small, small, -large]).to_bits(), 2_f64.to_bits());
        let values = vec![1.0 + f64::EPSILON; 3];
        let squares = sum_of_squares(&values);
        assert_eq!(squares.to_bits(), (3.0 + 6.0 * f64::EPSILON).to_bits(), "{squares}");
        assert_eq!(product(&[1.0 + f64::EPSILON, 1.0 - f64::EPSILON]).to_bits(), 1_f64.to_bits());
    }

    #[test]
    fn norms_neither_overflow_nor_underflow() {
        for scale in [f64::MAX / 8.0, 1.0, f64::MIN_POSITIVE, 4e-323] {
            let norm = norm_l2(&[3.0 * (scale / 4.0), -scale]);
            let expected = 5.0 * (scale / 4.0);
            assert!((norm - expected).abs() <= expected * 1e-15 + 5e-324, "{norm:e} of {scale:e}");
        }
        assert_eq!(norm_l2(&[]).to_bits(), 0);
        assert!(norm_l2(&[f64::INFINITY, 1.0]).is_infinite());
        assert!(norm_l2(&[f64::INFINITY, f64::NAN]).is_nan());
    }

    #[test]
    fn deviations_are_counted_from_the_mean_however_far_it_is() {
        let values = [1e15, 1e15 + 0.25, 1e15 + 0.5];
        assert_eq!(squared_deviations(&values).to_bits(), 0.125_f64.to_bits());
        assert_eq!(squared_deviations(&[7.5; 9]).to_bits(), 0);
        // A mean that is no f64.
        let squares = squared_deviations(&[0.1, 0.1, 0.4]);
        assert!((squares - 0.06).abs() < 1e-17, "{squares}");
        assert!(squared_deviations(&[1.0, f64::INFINITY]).is_nan());
    }

    #[test]
    fn deviations_neither_overflow_nor_underflow() {
        assert_eq!(deviation(&[f64::MAX, -f64::MAX], 2.0).to_bits(), f64::MAX.to_bits());
        assert_eq!(deviation(&[5e-324, -5e-324], 2.0).to_bits(), 1);
        // A mean that is no f64.
        for count in 1..200 {
            let deviation = deviation(&vec![0.1; count], to_f64(count as u64));
            assert_eq!(deviation.to_bits(), 0, "{deviation:e} of {count}");
        }
        assert!(deviation(&[1.0, f64::INFINITY], 2.0).is_nan());
        assert!(deviation(&[3.0], 0.0).is_nan() && deviation(&[3.0, 4.0], 0.0).is_infinite());
    }

    #[test]
    fn what_is_no_number_stays() {
        assert!(sum(&[f64::INFINITY, -f64::INFINITY]).is_nan());
        assert!(sum(&[1.0, f64::INFINITY]) == f64::INFINITY);
        assert!(product(&[f64::INFINITY, -2.0]) == -f64::INFINITY);
        assert_eq!(product(&[-0.0]).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(product(&[-1.0, 0.0]).to_bits(), (-0.0_f64).to_bits());
        assert!(sum_of_squares(&[f64::NAN]).is_nan() && product(&[f64::MAX, 2.0]).is_infinite());
    }
}
