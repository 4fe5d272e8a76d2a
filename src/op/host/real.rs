//! Floats that accumulators are made of.

use super::Words;
use std::ops::{Add, Div, Mul, Sub};

/// A float, with the arithmetic of `Real` in `shaders/parts/`.
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

    /// A count, rounded.
    fn weight(count: u64) -> Self;

    fn magnitude(self) -> Self;

    /// The exponent field of a magnitude's bits, that of subnormal numbers being 1.
    fn exponent_of(bits: Self::Bits) -> i32;

    /// 2^`exponent` where that is a normal number, 0 below, and the largest above.
    fn power_of_two(exponent: i32) -> Self;
}

macro_rules! real {
    ($($float:ident: $bits:ident, $fraction_bits:literal, $bias:literal;)*) => {$(
        impl Real for $float {
            type Bits = $bits;

            const ONE: Self = 1.0;

            #[expect(clippy::cast_precision_loss, reason = "the rounding that is told of")]
            fn weight(count: u64) -> Self {
                let (low, high) = (count & 0xffff_ffff, count >> u32::BITS);
                low as Self + high as Self * 4_294_967_296.0
            }

            fn magnitude(self) -> Self {
                self.abs()
            }

            fn exponent_of(bits: $bits) -> i32 {
                i32::try_from(bits >> $fraction_bits).unwrap_or(i32::MAX).max(1)
            }

            fn power_of_two(exponent: i32) -> Self {
                let field = exponent.saturating_add($bias).clamp(0, 2 * $bias).unsigned_abs();
                Self::from_bits($bits::from(field) << $fraction_bits)
            }
        }
    )*};
}
real! {
    f32: u32, 23, 127;
    f64: u64, 52, 1023;
}
