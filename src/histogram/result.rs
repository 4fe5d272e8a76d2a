//! Histograms as the host has them.

use super::plan::OUTSIDE;
use super::{Bins, HistogramPlan};
use crate::error::{Error, Result};

/// How many elements are in each bin.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// Of each bin.
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

/// How histograms lie in the bytes that come back.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    edges: Vec<f64>,
    channels: u32,
    bytes: u64,
}

impl Layout {
    pub(super) fn new(plan: &HistogramPlan) -> Self {
        let (edges, bytes) = (plan.edges.clone(), plan.output_bytes());
        Self { edges, channels: plan.channels, bytes }
    }

    pub(super) const fn size_bytes(&self) -> u64 {
        self.bytes
    }

    /// One for each channel.
    pub(super) fn histograms(&self, bytes: &[u8]) -> Result<Vec<Histogram>> {
        let counts: Vec<u64> = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        let bins = self.edges.len() - 1;
        let of_channels = counts.chunks_exact(bins + OUTSIDE as usize);
        let histograms: Vec<_> = of_channels
            .take(self.channels as usize)
            .filter_map(|counts| match counts.split_at_checked(bins)? {
                (counts, &[below, above, nan]) => Some(Histogram {
                    counts: counts.to_vec(),
                    edges: self.edges.clone(),
                    below,
                    above,
                    nan,
                }),
                _ => None,
            })
            .collect();
        if histograms.len() == self.channels as usize {
            return Ok(histograms);
        }
        let message = format!("{} bytes came back, too few for the counts", bytes.len());
        Err(Error::Internal { message })
    }
}

impl Bins {
    /// Counts of the output of [`GpuReducer::encode_histogram`](crate::GpuReducer::encode_histogram), for each
    /// channel: bins, then what is below them, above them, and NaN.
    #[must_use]
    pub fn output_len(&self) -> u64 {
        u64::from(self.count() + OUTSIDE)
    }
}
