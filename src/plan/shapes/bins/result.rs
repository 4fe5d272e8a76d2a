//! Histograms as the host has them.

use crate::error::{Error, Result};
use crate::plan::shapes::bins::Bins;
use crate::plan::shapes::bins::plan::OUTSIDE;

/// How many elements are in each bin: what [`histogram`](crate::GpuReducer::histogram) gives. It is the same on every device.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Bins;
///
/// let buffer = reducer.upload(&[0.5_f32, 1.5, 1.75, 9.0, f32::NAN])?;
/// let histogram = reducer.histogram(&buffer, &Bins::edges(&[0, 1, 2])?)?;
/// assert_eq!((histogram.counts.as_slice(), histogram.edges.len()), (&[1, 2][..], 3));
/// assert_eq!((histogram.below, histogram.above, histogram.nan), (0, 1, 1));
/// assert_eq!((histogram.inside(), histogram.total()), (3, 5));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// How many elements each bin has.
    pub counts: Vec<u64>,
    /// The bins' edges, one more than there are bins: what elements were compared with.
    pub edges: Vec<f64>,
    /// Elements below the first edge, −inf among them.
    pub below: u64,
    /// Elements above the last edge, +inf among them.
    pub above: u64,
    /// Elements that are NaN.
    pub nan: u64,
}

impl Histogram {
    /// Elements in all bins.
    #[must_use]
    pub fn inside(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Elements in bins and outside.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.inside() + self.below + self.above + self.nan
    }
}

impl Histogram {
    pub(crate) fn new(counts: Vec<u64>, edges: Vec<f64>, [below, above, nan]: [u64; 3]) -> Self {
        Self { counts, edges, below, above, nan }
    }
}

/// How histograms lie in the bytes that come back: of each channel a number for each bin, and three for what is below
/// them, above them, and NaN.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) edges: Vec<f64>,
    pub(crate) channels: u32,
}

impl Layout {
    /// What `make` makes of the numbers of bins, the edges, and the three numbers, for each channel.
    pub(crate) fn read<S: bytemuck::Pod, H>(
        &self,
        bytes: &[u8],
        make: fn(Vec<S>, Vec<f64>, [S; 3]) -> H,
    ) -> Result<Vec<H>> {
        let numbers = bytes.chunks_exact(size_of::<S>()).map(bytemuck::pod_read_unaligned);
        let numbers: Vec<S> = numbers.collect();
        let bins = self.edges.len() - 1;
        let of_channels = numbers.chunks_exact(bins + OUTSIDE as usize);
        let histograms: Vec<_> = of_channels
            .take(self.channels as usize)
            .filter_map(|numbers| match numbers.split_at_checked(bins)? {
                (of_bins, &[below, above, nan]) => {
                    Some(make(of_bins.to_vec(), self.edges.clone(), [below, above, nan]))
                }
                _ => None,
            })
            .collect();
        if histograms.len() == self.channels as usize {
            return Ok(histograms);
        }
        let message = format!("{} bytes came back, too few for the histograms", bytes.len());
        Err(Error::Internal { message })
    }
}

impl Bins {
    /// Numbers that a histogram leaves on the GPU for each channel ([`Request::encode`](crate::Request::encode)): of the
    /// bins, then of what is below them, above them, and NaN.
    #[must_use]
    pub fn output_len(&self) -> u64 {
        u64::from(self.count() + OUTSIDE)
    }
}
