//! What levels can sum.

use crate::op::element::Element;

/// An element that levels of the ladder can sum: `f32`, `i32` or `u32`.
///
/// ```
/// use wgpu_reduce::ladder::LadderElement;
///
/// assert_eq!(u32::MAX.plus(2), 1);
/// ```
pub trait LadderElement: Element {
    /// Their sum in this type; integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

impl LadderElement for f32 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

impl LadderElement for i32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl LadderElement for u32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}
