//! The largest element.

use super::ends::{end, largest};

/// The largest element, as it is.
///
/// −0, infinities, NaN, no elements and the bits of the result are as of [`Min`](crate::Min);
/// [`NanMax`](crate::NanMax) leaves NaN out.
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
