//! The smallest element that is not NaN.

use super::ends::{end_but_nan, smallest};

/// The smallest element that is not NaN; NaN if all are, as NumPy's `nanmin` has it.
///
/// −0, infinities, no elements and the bits of the result are as of [`Min`](crate::Min). There is none of integers, which have
/// no NaN: [`Min`](crate::Min) is the same.
///
/// ```
/// use wgpu_reduce::{NanMin, Operation};
///
/// assert_eq!(NanMin.on_cpu(&[2.5, f32::NAN, -1.0])?, -1.0);
/// assert!(NanMin.on_cpu(&[f32::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanMin;

end_but_nan!(NanMin, "nan_min", "ops/nan_min.wgsl", Smallest, smallest);
