//! Products of floats that go beyond no range on their way.

use super::accumulator;
use super::real::Real;

accumulator! {
    /// As in `shaders/accumulators/significand.wgsl`.
    Factors<R: Real> { exponent: u64, significand: R }
}

impl<R: Real> Factors<R> {
    pub(in crate::op) fn and(self, other: Self) -> Self {
        let (significand, exponent) = (self.significand * other.significand).taken_apart();
        let exponents = self.exponent.wrapping_add(other.exponent);
        Self { exponent: exponents.wrapping_add(exponent.cast_unsigned()), significand }
    }

    pub(in crate::op) fn product(self) -> R {
        let most = i64::from(2 * (R::BIAS - 1));
        let exponent = self.exponent.cast_signed().clamp(-most, most);
        let exponent = i32::try_from(exponent).unwrap_or_default();
        let half = exponent / 2;
        self.significand * R::power_of_two(half) * R::power_of_two(exponent - half)
    }
}
