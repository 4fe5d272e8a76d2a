//! The smallest element that is not NaN.

use super::ends::{end_but_nan, smallest};

/// The smallest element that is not NaN; NaN if all are, as NumPy's `nanmin` has it.
///
/// −0 is less than +0, and infinities are ordinary values. NaN is told by integer operations on the
/// bits. The result has the same bits on every device, with every tuning. Of no elements there is no
/// result: [`Error::Empty`](crate::Error::Empty). Integers have no NaN, so there is none of them:
/// [`Min`](crate::Min) is the same.
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
