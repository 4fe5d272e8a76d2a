//! What elements can be weighted by.

use crate::op::element::Element;
use crate::plan::shapes::bins::shader::WeightKind;

/// What elements can be weighted by: `f32`, `f64` and `u32`.
///
/// ```
/// use wgpu_reduce::Weight;
///
/// let sum: <u32 as Weight>::Sum = u64::from(u32::MAX) + 1;
/// assert_eq!(sum, 1 << 32);
/// ```
pub trait Weight: Element {
    /// The sum of weights, as a device leaves it: of the weights' type, or `u64` of `u32`.
    type Sum: Element;

    /// The type as a value.
    const WEIGHT: WeightKind;
}

impl Weight for f32 {
    type Sum = Self;

    const WEIGHT: WeightKind = WeightKind::F32;
}

impl Weight for f64 {
    type Sum = Self;

    const WEIGHT: WeightKind = WeightKind::F64;
}

impl Weight for u32 {
    type Sum = u64;

    const WEIGHT: WeightKind = WeightKind::U32;
}
