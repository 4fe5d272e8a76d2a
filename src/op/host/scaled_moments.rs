//! Count, mean and sum of squared deviations that neither overflow nor underflow.

use super::real::Real;
use super::{Accumulated, Figures, Moments, Words, filled};
use crate::error::Result;

/// As in `shaders/accumulators/scaled_moments.wgsl`: moments of elements divided by the power of two that brings the largest
/// magnitude to between 2 and 4.
#[derive(Clone, Copy)]
pub(in crate::op) struct ScaledMoments<R: Real> {
    /// The exponent field of the largest magnitude.
    exponent: u32,
    moments: Moments<R>,
}

impl<R: Real> Accumulated for ScaledMoments<R> {
    /// The moments begin at a multiple of a number's words.
    const WORDS: usize = R::LEN + Moments::<R>::LEN;

    fn of(words: &[u32]) -> Result<Self> {
        let mut words = words.iter().copied();
        let [exponent, ..] = filled::<2>(words.by_ref().take(R::LEN));
        Ok(Self { exponent, moments: Moments::take(&mut words) })
    }
}

impl<R: Real> ScaledMoments<R> {
    pub(in crate::op) fn and(self, other: Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        let scaled = |part: Self| {
            let down = i32::try_from(exponent - part.exponent).unwrap_or(i32::MAX);
            part.moments.times(R::power_of_two(-down))
        };
        Self { exponent, moments: scaled(self).and(scaled(other)) }
    }

    /// The exponent, the words of count and squares, and zeros.
    pub(in crate::op) fn counted_spread(self) -> [u32; 8] {
        let count = self.moments.count().words();
        filled([vec![self.exponent], count, self.moments.squares().words()].concat())
    }

    /// The exponent, the words of the squares, and zeros.
    pub(in crate::op) fn spread(self) -> [u32; 4] {
        filled(std::iter::once(self.exponent).chain(self.moments.squares().words()))
    }
}
