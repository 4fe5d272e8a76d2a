//! Where the smallest element is.

use super::arg::{find, smallest};

/// The smallest element and the index where it first stands, counted from the first element of the
/// input.
///
/// The first of equal elements counts, as in NumPy, but −0 is less than +0, which NumPy takes for equal. If there is a
/// NaN, it is the first NaN that is found, as in NumPy; [`NanArgMin`](crate::NanArgMin) leaves NaN out. NaN is told by
/// integer operations on the bits. The result has the same bits on every device, with every tuning. Without
/// elements there is no result: [`Error::Empty`](crate::Error::Empty).
///
/// What a device leaves are four words: the index's lower and upper half, then the element's bits (of a
/// NaN, those of [`f32::NAN`] or [`f64::NAN`]) in one word and 0, or in two.
///
/// ```
/// use wgpu_reduce::{ArgMin, Located, Operation};
///
/// let found = ArgMin.on_cpu(&[3_i32, -1, 4, -1, 4])?;
/// assert_eq!(found, Located { index: 1, value: -1 });
/// assert_eq!(ArgMin.on_cpu(&[1.0, f32::NAN, f32::NAN])?.index, 1);
/// assert_eq!(ArgMin.on_cpu(&[0.0_f32, -0.0])?.index, 1);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ArgMin;

find!(ArgMin, "argmin", "ops/argmin.wgsl", Smallest, smallest);
