//! What can be binned.

use crate::op::element::Element;
use half::f16;

/// Elements that histograms are made of: all types of at most 32 bits.
///
/// ```compile_fail,E0277
/// fn takes_binned<T: wgpu_reduce::Binned>() {}
/// takes_binned::<f64>();
/// ```
pub trait Binned: Element {}

macro_rules! binned {
    ($($element:ty),*) => { $(impl Binned for $element {})* };
}
binned!(f32, i32, u32, u8, i8, u16, i16, f16);
