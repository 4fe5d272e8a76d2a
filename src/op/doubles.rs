//! Sums and products of `f64` on the host, nearer to the real ones than any accumulation in `f64`: what
//! rounding leaves out is accumulated beside them (Ogita, Rump and Oishi, "Accurate sum and dot product",
//! 2005).

use super::deviations::to_f64;
use super::precision::Precision;
use crate::plan::Plan;

/// A result, and what roundings have left out of it.
#[derive(Clone, Copy)]
struct Compensated {
    rounded: f64,
    rest: f64,
}

impl Compensated {
    /// The two together; the first alone where that is beyond all numbers, and the second is nonsense.
    fn value(self) -> f64 {
        if self.rounded.is_finite() { self.rounded + self.rest } else { self.rounded }
    }

    fn plus(self, number: f64) -> Self {
        let rounded = self.rounded + number;
        let share = rounded - self.rounded;
        let rest = (self.rounded - (rounded - share)) + (number - share);
        Self { rounded, rest: self.rest + rest }
    }

    fn times(self, number: f64) -> Self {
        let rounded = self.rounded * number;
        let rest = self.rounded.mul_add(number, -rounded);
        Self { rounded, rest: self.rest.mul_add(number, rest) }
    }
}

/// The sum, which is +0 of none.
pub(super) fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(Compensated { rounded: 0.0, rest: 0.0 }, Compensated::plus).value()
}

/// The sum of magnitudes.
pub(super) fn norm_l1(values: &[f64]) -> f64 {
    sum(values.iter().map(|value| value.abs()))
}

pub(super) fn sum_of_squares(values: &[f64]) -> f64 {
    let squares = values.iter().map(|&value| {
        let rounded = value * value;
        Compensated { rounded, rest: value.mul_add(value, -rounded) }
    });
    let total = squares.fold(Compensated { rounded: 0.0, rest: 0.0 }, |total, square| {
        let total = total.plus(square.rounded);
        Compensated { rest: total.rest + square.rest, ..total }
    });
    total.value()
}

/// The product, which is 1 of none.
pub(super) fn product(values: &[f64]) -> f64 {
    values.iter().fold(Compensated { rounded: 1.0, rest: 0.0 }, |p, &value| p.times(value)).value()
}

/// Of a sum of these numbers.
pub(super) fn sum_tolerance(values: &[f64], plan: &Plan) -> f64 {
    if let Some(decided) = Precision::DOUBLE.decided(&values.iter().copied()) {
        return decided;
    }
    let magnitudes = norm_l1(values);
    Precision::DOUBLE.rounded(plan.error_bound(magnitudes), magnitudes)
}

/// Of the sum divided by the count.
pub(super) fn mean_tolerance(values: &[f64], plan: &Plan) -> f64 {
    let of_sum = sum_tolerance(values, plan);
    let Precision { unit, tiny, .. } = Precision::DOUBLE;
    let count = to_f64(values.len() as u64);
    if of_sum > 0.0 { of_sum / count + unit * norm_l1(values) / count + tiny } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_leaves_out_is_not_lost() {
        let (large, small) = (1e16, 1.0);
        assert_eq!(sum([large, small, small, -large].into_iter()).to_bits(), 2_f64.to_bits());
        let values = vec![1.0 + f64::EPSILON; 3];
        let squares = sum_of_squares(&values);
        assert_eq!(squares.to_bits(), (3.0 + 6.0 * f64::EPSILON).to_bits(), "{squares}");
        assert_eq!(product(&[1.0 + f64::EPSILON, 1.0 - f64::EPSILON]).to_bits(), 1_f64.to_bits());
    }

    #[test]
    fn what_is_no_number_stays() {
        assert!(sum([f64::INFINITY, -f64::INFINITY].into_iter()).is_nan());
        assert!(sum([1.0, f64::INFINITY].into_iter()) == f64::INFINITY);
        assert!(product(&[f64::INFINITY, -2.0]) == -f64::INFINITY);
        assert!(sum_of_squares(&[f64::NAN]).is_nan() && product(&[f64::MAX, 2.0]).is_infinite());
    }
}
