//! What keys can be.

use crate::op::element::Element;

/// A type of keys: 32 or 64 bits that are equal or not.
///
/// Keys that are floats are equal as numbers are: −0 is +0, and a NaN is equal to nothing, so that each is a
/// run of its own. That is told by integer operations on the bits, so that keys of `f64` need no device that computes with
/// it. Keys of 64 bits are told apart in a pass of their own, and take longer.
///
/// Sealed: shaders know these types.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Sum;
///
/// let keys = reducer.upload(&[0.0_f32, -0.0, f32::NAN, f32::NAN])?;
/// let values = reducer.upload(&[1_u32, 2, 3, 4])?;
/// let runs = reducer.reduce(Sum, &values).runs(&keys).start()?.wait()?;
/// let sums: Vec<_> = runs.iter().map(|&(_, sum)| sum).collect();
/// assert_eq!(sums, [3, 3, 4]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub trait Key: Element + PartialEq + sealed::Sealed {
    /// Whether they are floats.
    const IS_FLOAT: bool;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! keys {
    ($($key:ty: $is_float:literal),*) => {$(
        impl sealed::Sealed for $key {}

        impl Key for $key {
            const IS_FLOAT: bool = $is_float;
        }
    )*};
}
keys!(u32: false, i32: false, f32: true, u64: false, i64: false, f64: true);
