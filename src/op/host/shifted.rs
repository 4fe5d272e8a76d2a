//! Count and sum, the sum of the elements' distances from a pivot that is one of them.

use super::accumulator;
use super::far::{count_of, far_apart, is_far, joined, made_far};
use super::real::Real;

accumulator! {
    /// As in `shaders/parts/shifted.wgsl`.
    Shifted<R: Real> { count: u64, pivot: R, sum: R }
}

impl<R: Real> Shifted<R> {
    pub(in crate::op) fn and(self, other: Self) -> Self {
        if self.count == 0 {
            return other;
        }
        if other.count == 0 {
            return self;
        }
        let near = self.joined(other, other.pivot - self.pivot);
        if !is_far(near.count) && near.sum.is_number() {
            return near;
        }
        self.made_far().joined(other.made_far(), far_apart(self.pivot, other.pivot))
    }

    /// Keeps the pivot that is nearer to the mean of all: an outlier that came first would take the
    /// digits of everything after it.
    fn joined(self, other: Self, apart: R) -> Self {
        let [own, others] = [self, other].map(|part| R::weight(count_of(part.count)));
        let count = joined(self.count, other.count);
        let from_own = (self.sum + other.sum) + others * apart;
        let from_other = (self.sum + other.sum) - own * apart;
        if from_other.magnitude() < from_own.magnitude() {
            Self { count, pivot: other.pivot, sum: from_other }
        } else {
            Self { count, pivot: self.pivot, sum: from_own }
        }
    }

    fn made_far(self) -> Self {
        if is_far(self.count) {
            return self;
        }
        Self { count: made_far(self.count), sum: self.sum * R::FAR, ..self }
    }

    /// The mean; NaN of none.
    pub(in crate::op) fn mean(self) -> R {
        let mean = self.sum / R::weight(count_of(self.count));
        if is_far(self.count) { (self.pivot * R::FAR + mean) / R::FAR } else { self.pivot + mean }
    }
}
