//! Results that are more than a number.

use super::words::word64;
use crate::op::element::Element;

/// An element and the index where it stands: what [`ArgMin`](crate::ArgMin), [`ArgMax`](crate::ArgMax) and those that
/// leave NaN out give, along an axis, of a segment and of a run of equal keys, too.
///
/// The first of equal elements counts, and where NaN counts, the first NaN. It has the same bits on every device.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Located;
///
/// let buffer = reducer.upload(&[2.5_f32, 7.0, 7.0, -1.0])?;
/// assert_eq!(reducer.argmax(&buffer)?, Located { index: 1, value: 7.0 });
/// // Of a slice indices are counted from its own first element.
/// assert_eq!(reducer.argmax(buffer.slice(2..)?)?.index, 0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located<T> {
    /// Its index, counted from the first element of the input; of a row, a column, a segment or a run from the first of
    /// that.
    pub index: u64,
    /// The element.
    pub value: T,
}

/// The smallest and the largest element: what [`MinMax`](crate::MinMax) gives. If there is a NaN, both are NaN.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Extrema;
///
/// let buffer = reducer.upload(&[3_i32, -1, 4])?;
/// assert_eq!(reducer.min_max(&buffer)?, Extrema { min: -1, max: 4 });
/// let extrema = reducer.min_max(&reducer.upload(&[1.0, f32::NAN])?)?;
/// assert!(extrema.min.is_nan() && extrema.max.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extrema<T> {
    /// The smallest.
    pub min: T,
    /// The largest.
    pub max: T,
}

/// What [`Stats`](crate::Stats) tells of elements of type `T`: their sum is an `S`, their mean an `M`.
///
/// Extremes with their indices and all figures of integers have the same bits on every device; sum, mean and variance of
/// floats round, and have the same bits on every run on one adapter with one tuning.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Located, Statistics};
///
/// let stats: Statistics<i32, i64, f64> = reducer.stats(&reducer.upload(&[3, -1, 4, -1])?)?;
/// assert_eq!((stats.count, stats.sum), (4, 5));
/// assert_eq!(stats.min, Located { index: 1, value: -1 });
/// assert_eq!(stats.max, Located { index: 2, value: 4 });
/// assert_eq!((stats.mean, stats.variance), (1.25, 5.1875));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics<T, S, M> {
    /// How many elements there are.
    pub count: u64,
    /// The smallest, and where it first stands; NaN if there is one.
    pub min: Located<T>,
    /// The largest, and where it first stands; NaN if there is one.
    pub max: Located<T>,
    /// As [`Sum`](crate::Sum) has it; of floats the mean by the count, as [`Stats`](crate::Stats) says.
    pub sum: S,
    /// As [`Mean`](crate::Mean) has it.
    pub mean: M,
    /// As [`Variance`](crate::Variance) has it.
    pub variance: M,
}

/// From the index's lower and upper half, and the element's bits in one word or two.
pub(super) fn located<T: Element>([low, high, bits @ ..]: [u32; 4]) -> Located<T> {
    let index = word64(low, high);
    let bits = bytemuck::bytes_of(&bits).get(..size_of::<T>());
    Located { index, value: bits.map_or_else(T::zeroed, bytemuck::pod_read_unaligned) }
}
