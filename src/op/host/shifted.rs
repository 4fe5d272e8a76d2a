//! Count and sum, the sum of the elements' distances from a pivot that is one of them.

use super::super::words::word64;
use super::Accumulated;
use super::real::Real as _;
use crate::error::Result;

/// As in `shaders/parts/shifted.wgsl`.
#[derive(Clone, Copy)]
pub(in crate::op) struct Shifted {
    pub(in crate::op) count: u64,
    pivot: f32,
    sum: f32,
}

impl Accumulated for Shifted {
    type Words = [u32; 4];

    fn of([low, high, pivot, sum]: [u32; 4]) -> Result<Self> {
        let [pivot, sum] = [pivot, sum].map(f32::from_bits);
        Ok(Self { count: word64(low, high), pivot, sum })
    }
}

impl Shifted {
    /// Of the two pivots the one that is nearer to the mean of all: an outlier that came first would take the
    /// digits of everything after it.
    pub(in crate::op) fn and(self, other: Self) -> Self {
        if self.count == 0 {
            return other;
        }
        let count = self.count.wrapping_add(other.count);
        let apart = other.pivot - self.pivot;
        let sum = self.sum + other.sum;
        let from_own = sum + f32::weight(other.count) * apart;
        let from_other = sum - f32::weight(self.count) * apart;
        if from_other.abs() < from_own.abs() {
            Self { count, pivot: other.pivot, sum: from_other }
        } else {
            Self { count, pivot: self.pivot, sum: from_own }
        }
    }

    pub(in crate::op) fn mean(self) -> f32 {
        self.pivot + self.sum / f32::weight(self.count)
    }
}
