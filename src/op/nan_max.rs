//! The largest element that is not NaN.

use super::ends::{end_but_nan, largest};

/// The largest element that is not NaN; NaN if all are, as NumPy's `nanmax` has it.
///
/// −0, infinities, no elements and the bits of the result are as of [`NanMin`](crate::NanMin). There is none of integers:
/// [`Max`](crate::Max) is the same.
///
/// ```
/// use wgpu_reduce::{NanMax, Operation};
///
/// assert_eq!(NanMax.on_cpu(&[2.5, f32::NAN, 7.0])?, 7.0);
/// assert!(NanMax.on_cpu(&[f32::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanMax;

end_but_nan!(NanMax, "nan_max", "ops/nan_max.wgsl", Largest, largest);
