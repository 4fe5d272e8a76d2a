//! Where the smallest element that is not NaN is.

use super::arg::{find_but_nan, smallest};

/// The smallest element that is not NaN, and the index where it first stands, counted from the first
/// element of the input.
///
/// The first of equal elements counts, but −0 is less than +0. NaN is told by integer operations on the
/// bits. The result has the same bits on every device, with every tuning. Where there is nothing but
/// NaN, or nothing at all, there is no result: [`Error::Empty`](crate::Error::Empty). (NumPy's
/// `nanargmin` raises an exception there, too.)
///
/// What a device leaves are four words: the index's lower and upper half, then the element's bits, in one
/// word and 0 or in two.
/// Where there is nothing but NaN, the element's bits are those of [`f32::NAN`].
///
/// ```
/// use wgpu_reduce::{Located, NanArgMin, Operation};
///
/// let found = NanArgMin.on_cpu(&[f32::NAN, 2.0, 2.0])?;
/// assert_eq!(found, Located { index: 1, value: 2.0 });
/// assert!(NanArgMin.on_cpu(&[f32::NAN]).is_err());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanArgMin;

find_but_nan!(NanArgMin, "nan_argmin", "ops/nan_argmin.wgsl", Smallest, smallest);
