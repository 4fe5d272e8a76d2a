//! Floats that accumulators are made of.

use super::Words;
use std::ops::{Add, Div, Mul, Sub};

/// A float, as `Kept` in `shaders/parts/`, with the arithmetic of `Real`.
pub(in crate::op) trait Real:
    Copy
    + PartialOrd
    + Words
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// The bits of a magnitude.
    type Bits: Copy + Ord + Words;

    const ONE: Self;

    /// What exponent fields have more than exponents.
    const BIAS: i32;

    /// What far distances are multiplied by: 2 to the power of -`FAR_EXPONENT` in `shaders/parts/`.
    const FAR: Self;

    /// A count, rounded.
    fn weight(count: u64) -> Self;

    fn magnitude(self) -> Self;

    /// Whether it is neither infinite nor NaN.
    fn is_number(self) -> bool;

    /// The exponent field of a magnitude's bits, that of subnormal numbers being 1.
    fn exponent_of(bits: Self::Bits) -> i32;

    /// A significand, of which the magnitude is from 1 to 2, and the exponent of the power of two that it is multiplied by; no exponent
    /// of 0, infinity and NaN.
    fn taken_apart(self) -> (Self, i64);

    /// 2^`exponent` where that is a normal number, 0 below, and the largest above.
    fn power_of_two(exponent: i32) -> Self;
}

macro_rules! real {
    ($($float:ident: $bits:ident, $fraction_bits:literal, $bias:literal, $far:literal;)*) => {$(
        impl Real for $float {
            type Bits = $bits;

            const ONE: Self = 1.0;

            const BIAS: i32 = $bias;

            const FAR: Self = Self::from_bits(($bias - $far) << $fraction_bits);


            #[expect(clippy::cast_precision_loss, reason = "the rounding that is told of")]
            fn weight(count: u64) -> Self {
                let (low, high) = (count & 0xffff_ffff, count >> u32::BITS);
                low as Self + high as Self * 4_294_967_296.0
            }

            fn magnitude(self) -> Self {
                self.abs()
            }

            fn is_number(self) -> bool {
                self.is_finite()
            }

            fn exponent_of(bits: $bits) -> i32 {
                i32::try_from(bits >> $fraction_bits).unwrap_or(i32::MAX).max(1)
            }

            fn taken_apart(self) -> (Self, i64) {
                if self == 0.0 || !self.is_finite() {
                    return (self, 0);
                }
                if self.abs() < Self::MIN_POSITIVE {
                    let (significand, exponent) =
                        (self * Self::power_of_two($bias)).taken_apart();
                    return (significand, exponent - $bias);
                }
                let exponent = Self::exponent_of(self.abs().to_bits()) - $bias;
                let half = exponent / 2;
                let significand =
                    self * Self::power_of_two(-half) * Self::power_of_two(half - exponent);
                (significand, exponent.into())
            }

            fn power_of_two(exponent: i32) -> Self {
                let field = exponent.saturating_add($bias).clamp(0, 2 * $bias).unsigned_abs();
                Self::from_bits($bits::from(field) << $fraction_bits)
            }
        }
    )*};
}
real! {
    f32: u32, 23, 127, 88;
    f64: u64, 52, 1023, 700;
}
