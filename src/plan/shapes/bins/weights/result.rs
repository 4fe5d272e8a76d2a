//! Histograms of weights as the host has them.

/// The sum of the weights of the elements in each bin: `S` is `u64` for weights of `u32`, and the weights' own type for floats.
/// [`Request::weights`](crate::Request::weights) makes it, the same on every device.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Bins, WeightedHistogram};
///
/// let (input, weights) = (reducer.upload(&[1_u8, 2, 2, 7])?, reducer.upload(&[10_u32, 5, 6, 1])?);
/// let histogram: WeightedHistogram<u64> =
///     reducer.bin(&input, &Bins::edges(&[1, 2, 3])?).weights(&weights).run()?;
/// assert_eq!((&histogram.sums[..], histogram.above), (&[10, 11][..], 1));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WeightedHistogram<S> {
    /// The sum of weights in each bin.
    pub sums: Vec<S>,
    /// The bins' edges, one more than there are bins: what elements were compared with.
    pub edges: Vec<f64>,
    /// The sum of weights of elements below the first edge.
    pub below: S,
    /// The sum of weights of elements above the last edge.
    pub above: S,
    /// The sum of weights of elements that are NaN.
    pub nan: S,
}

impl<S> WeightedHistogram<S> {
    pub(crate) fn new(sums: Vec<S>, edges: Vec<f64>, [below, above, nan]: [S; 3]) -> Self {
        Self { sums, edges, below, above, nan }
    }
}
