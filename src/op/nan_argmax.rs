//! Where the largest element that is not NaN is.

use super::arg::{find_but_nan, largest};

/// The largest element that is not NaN, and the index where it first stands, counted from the first
/// element of the input.
///
/// Equal elements, −0, no elements or nothing but NaN, the bits of the result and what a device leaves are as of
/// [`NanArgMin`](crate::NanArgMin). (NumPy's `nanargmax` raises an exception where there is no result.)
///
/// ```
/// use wgpu_reduce::{Located, NanArgMax, Operation};
///
/// let found = NanArgMax.on_cpu(&[f32::NAN, 2.0, 2.0])?;
/// assert_eq!(found, Located { index: 1, value: 2.0 });
/// assert!(NanArgMax.on_cpu(&[f32::NAN]).is_err());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanArgMax;

find_but_nan!(NanArgMax, "nan_argmax", "ops/nan_argmax.wgsl", Largest, largest);
