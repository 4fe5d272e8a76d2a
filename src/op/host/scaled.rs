//! A sum of squares that neither overflows nor underflows.

use super::accumulator;
use super::real::Real;

accumulator! {
    /// As in `shaders/accumulators/scaled.wgsl` and `scaled_f64.wgsl`: the squares are those of numbers divided by the
    /// power of two that brings the largest to between 2 and 4.
    Scaled<R: Real> {
        /// The bits of the largest magnitude.
        top: R::Bits,
        squares: R,
    }
}

impl<R: Real> Scaled<R> {
    pub(in crate::op) fn and(self, other: Self) -> Self {
        let top = self.top.max(other.top);
        let scaled = |part: Self| {
            let down = R::exponent_of(part.top) - R::exponent_of(top);
            part.squares * R::power_of_two(2 * down)
        };
        Self { top, squares: scaled(self) + scaled(other) }
    }
}

impl Scaled<f64> {
    /// The bits of the largest magnitude, then those of the squares.
    pub(in crate::op) const fn bits(self) -> [u64; 2] {
        [self.top, self.squares.to_bits()]
    }
}

impl Scaled<f32> {
    /// The root, of which the power of two is taken back.
    pub(in crate::op) fn norm(self) -> f32 {
        const INFINITY: u32 = f32::INFINITY.to_bits();
        if self.top >= INFINITY {
            return if self.top > INFINITY { f32::NAN } else { f32::INFINITY };
        }
        // In two steps, since either alone may be out of range.
        let exponent = f32::exponent_of(self.top) - 128;
        let half = exponent / 2;
        self.squares.sqrt() * f32::power_of_two(half) * f32::power_of_two(exponent - half)
    }
}
