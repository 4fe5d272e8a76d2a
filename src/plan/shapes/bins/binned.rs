//! What can be binned.

use crate::op::element::{Element, element_rows};

/// Elements that histograms are made of: all types of at most 32 bits.
///
/// ```compile_fail,E0277
/// fn takes_binned<T: wgpu_reduce::Binned>() {}
/// takes_binned::<f64>();
/// ```
pub trait Binned: Element {}

macro_rules! binned {
    (@row $element:ty, [wide]) => {};
    (@row $element:ty, $class:tt) => { impl Binned for $element {} };
    ($($element:ty => $kind:ident $class:tt $rest:tt;)*) => { $(binned!(@row $element, $class);)* };
}
element_rows!(binned);
