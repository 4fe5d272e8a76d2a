//! Count, mean and sum of squared deviations, combined pairwise (Chan, Golub and LeVeque, "Updating formulae and a
//! pairwise algorithm for computing sample variances", 1979).

use super::far::{count_of, far_apart, is_far, joined, made_far};
use super::real::Real;
use super::{Figures, accumulator};

accumulator! {
    /// As in `shaders/parts/moments.wgsl`: the mean is pivot + rest, and never becomes one number here.
    Moments<R: Real> { count: u64, pivot: R, rest: R, squares: R }
}

impl<R: Real> Moments<R> {
    /// The moments of the elements multiplied by a power of two.
    pub(super) fn times(self, power: R) -> Self {
        let squares = self.squares * power * power;
        Self { pivot: self.pivot * power, rest: self.rest * power, squares, ..self }
    }

    pub(super) const fn count(&self) -> u64 {
        count_of(self.count)
    }

    /// The sum of squared deviations.
    pub(super) const fn squares(&self) -> R {
        self.squares
    }

    /// Keeps the pivot that is nearer to the mean of all: an outlier that came first would take the
    /// digits of everything after it.
    fn joined(self, other: Self, pivots_apart: R) -> Self {
        // Nothing is apart from none, however far from zero.
        if count_of(self.count) == 0 {
            return other;
        }
        if count_of(other.count) == 0 {
            return self;
        }
        let count = joined(self.count, other.count);
        let share = R::weight(count_of(other.count)) / R::weight(count_of(count));
        let apart = pivots_apart + (other.rest - self.rest);
        let between = apart * apart * (R::weight(count_of(self.count)) * share);
        let squares = (self.squares + other.squares) + between;
        let from_own = self.rest + apart * share;
        let from_other = other.rest - apart * (R::ONE - share);
        if from_other.magnitude() < from_own.magnitude() {
            Self { count, pivot: other.pivot, rest: from_other, squares }
        } else {
            Self { count, pivot: self.pivot, rest: from_own, squares }
        }
    }

    fn made_far(self) -> Self {
        if is_far(self.count) {
            return self;
        }
        let squares = self.squares * R::FAR * R::FAR;
        Self { count: made_far(self.count), rest: self.rest * R::FAR, squares, ..self }
    }
}

impl<R: Real> Figures for Moments<R> {
    fn and(self, other: Self) -> Self {
        let near = self.joined(other, other.pivot - self.pivot);
        if !is_far(near.count) && near.squares.is_number() {
            return near;
        }
        self.made_far().joined(other.made_far(), far_apart(self.pivot, other.pivot))
    }
}
