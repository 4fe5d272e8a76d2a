//! The largest element, and a sum of exponentials of distances from it.

use super::{Keyed as _, accumulator};

accumulator! {
    /// As in `shaders/accumulators/exponentials.wgsl`.
    Exponentials {
        /// The key of the largest element.
        top: u32,
        sum: f32,
    }
}

/// Exponentials of lower numbers come to nothing beside 1.
const FARTHEST: f32 = -100.0;

impl Exponentials {
    pub(in crate::op) fn and(self, other: Self) -> Self {
        let (lower, higher) = if self.top < other.top { (self, other) } else { (other, self) };
        let apart = (number_of(lower.top) - number_of(higher.top)).clamp(FARTHEST, 0.0);
        Self { top: higher.top, sum: higher.sum + lower.sum * apart.exp() }
    }

    /// The bits of the result, of the largest element and of the sum, and zero.
    pub(in crate::op) fn logarithm(self) -> [u32; 4] {
        let largest = f32::from_bits(f32::bits_of_key(self.top));
        let result = log_of_exponentials(largest, self.sum);
        [result.to_bits(), largest.to_bits(), self.sum.to_bits(), 0]
    }
}

/// The logarithm of a sum of exponentials of distances from the largest element, and that element.
#[expect(clippy::cast_possible_truncation, reason = "the one rounding that is wanted")]
pub(in crate::op) fn log_of_exponentials(largest: f32, sum: f32) -> f32 {
    if largest.is_finite() { (f64::from(largest) + f64::from(sum).ln()) as f32 } else { largest }
}

/// The number with a key, and 0 where that is no number.
fn number_of(key: u32) -> f32 {
    let number = f32::from_bits(f32::bits_of_key(key));
    if number.is_finite() { number } else { 0.0 }
}
