//! The largest element.

use super::ends::{end, largest};

/// The largest element, as it is.
///
/// −0 is less than +0, and infinities are ordinary values. If there is a NaN, the result is NaN (always
/// the one with the bits of [`f32::NAN`] or [`f64::NAN`]); [`NanMax`](crate::NanMax) leaves NaN out. NaN is told by
/// integer operations on the bits, so no compiler's assumption about it matters. The result has the
/// same bits on every device, with every tuning. Of no elements there is no result:
/// [`Error::Empty`](crate::Error::Empty).
///
/// ```
/// use wgpu_reduce::{Max, Operation};
///
/// assert_eq!(Max.on_cpu(&[2.5_f32, -1.0, 7.0])?, 7.0);
/// assert!(Max.on_cpu(&[2.5, f32::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Max;

end!(Max, "max", "ops/max.wgsl", Largest, largest);
