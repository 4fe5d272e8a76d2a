//! Count, mean and sum of squared deviations that neither overflow nor underflow.

use super::real::Real;
use super::{Accumulated, Figures, Moments, filled};
use crate::error::Result;

/// As in `shaders/accumulators/scaled_moments.wgsl`: moments of elements divided by the power of two that brings the largest
/// magnitude to between 2 and 4.
#[derive(Clone, Copy)]
pub(in crate::op) struct ScaledMoments<R> {
    /// The exponent field of the largest magnitude.
    exponent: u32,
    moments: Moments<R>,
}

impl Accumulated for ScaledMoments<f32> {
    type Words = [u32; 6];

    fn of([exponent, moments @ ..]: [u32; 6]) -> Result<Self> {
        Ok(Self { exponent, moments: Accumulated::of(moments)? })
    }
}

impl Accumulated for ScaledMoments<f64> {
    type Words = [u32; 10];

    fn of([exponent, _, moments @ ..]: [u32; 10]) -> Result<Self> {
        Ok(Self { exponent, moments: Accumulated::of(moments)? })
    }
}

impl<R: Real> ScaledMoments<R>
where
    Moments<R>: Figures,
{
    pub(in crate::op) fn and(self, other: Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        let scaled = |part: Self| {
            let down = i32::try_from(exponent - part.exponent).unwrap_or(i32::MAX);
            part.moments.times(R::power_of_two(-down))
        };
        Self { exponent, moments: scaled(self).and(scaled(other)) }
    }

    /// The exponent, the words of the squares, and zeros.
    pub(in crate::op) fn spread(self) -> [u32; 4] {
        filled(std::iter::once(self.exponent).chain(self.moments.squares().words()))
    }
}
