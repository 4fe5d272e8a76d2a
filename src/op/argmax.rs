//! Where the largest element is.

use super::arg::{find, largest};

/// The largest element and the index where it first stands, counted from the first element of the input.
///
/// Equal elements, −0, NaN, no elements, the bits of the result and what a device leaves are as of
/// [`ArgMin`](crate::ArgMin); [`NanArgMax`](crate::NanArgMax) leaves NaN out.
///
/// ```
/// use wgpu_reduce::{ArgMax, Located, Operation};
///
/// let found = ArgMax.on_cpu(&[3_i32, -1, 4, -1, 4])?;
/// assert_eq!(found, Located { index: 2, value: 4 });
/// assert_eq!(ArgMax.on_cpu(&[1.0, f32::NAN, f32::NAN])?.index, 1);
/// assert_eq!(ArgMax.on_cpu(&[-0.0_f32, 0.0])?.index, 1);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ArgMax;

find!(ArgMax, "argmax", "ops/argmax.wgsl", Largest, largest);
