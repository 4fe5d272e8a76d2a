//! Figures that are far, as in `shaders/parts/far.wgsl`: the highest bit of their count tells.

use super::real::Real;

const FAR_BIT: u64 = 1 << 63;

/// How many elements there are.
pub(in crate::op) const fn count_of(count: u64) -> u64 {
    count & !FAR_BIT
}

pub(in crate::op) const fn is_far(count: u64) -> bool {
    count >= FAR_BIT
}

pub(super) const fn made_far(count: u64) -> u64 {
    count | FAR_BIT
}

/// The count of both, far if one of them is.
pub(super) const fn joined(a: u64, b: u64) -> u64 {
    count_of(count_of(a).wrapping_add(count_of(b))) | ((a | b) & FAR_BIT)
}

/// How far `b` is from `a`, of far figures.
pub(super) fn far_apart<R: Real>(a: R, b: R) -> R {
    b * R::FAR - a * R::FAR
}
