//! Count and sum, the sum of the elements' distances from a pivot that is one of them.

use super::accumulator;
use super::real::Real as _;

accumulator! {
    /// As in `shaders/parts/shifted.wgsl`.
    Shifted { pub(in crate::op) count: u64, pivot: f32, sum: f32 }
}

/// From this pivot on sums are in units of it.
const UNIT: f32 = 18_446_744_073_709_551_616.0;

/// What a distance from a pivot is multiplied by.
fn scale(pivot: f32) -> f32 {
    if pivot.abs() >= UNIT { UNIT.recip() } else { 1.0 }
}

impl Shifted {
    /// Keeps the pivot that is nearer to the mean of all: an outlier that came first would take the
    /// digits of everything after it. A pivot from which the sum is beyond `f32` is not taken.
    pub(in crate::op) fn and(self, other: Self) -> Self {
        if self.count == 0 {
            return other;
        }
        if other.count == 0 {
            return self;
        }
        let count = self.count.wrapping_add(other.count);
        let [own_scale, other_scale] = [scale(self.pivot), scale(other.pivot)];
        // Quotients of powers of two.
        let own_for_other = other_scale / own_scale;
        let other_for_own = own_scale / other_scale;
        let apart = |scale: f32| other.pivot * scale - self.pivot * scale;
        let from_own =
            (self.sum + other.sum * other_for_own) + f32::weight(other.count) * apart(own_scale);
        let from_other =
            (self.sum * own_for_other + other.sum) - f32::weight(self.count) * apart(other_scale);
        if !from_own.is_finite() || from_other.abs() < from_own.abs() * own_for_other {
            Self { count, pivot: other.pivot, sum: from_other }
        } else {
            Self { count, pivot: self.pivot, sum: from_own }
        }
    }

    pub(in crate::op) fn mean(self) -> f32 {
        let scale = scale(self.pivot);
        (self.pivot * scale + self.sum / f32::weight(self.count)) / scale
    }
}
