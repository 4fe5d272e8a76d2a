//! Calls that make histograms of weights.

use super::plan::{Plan, Request};
use super::sums::{WeightedHistogram, of_digits, of_words, read};
use crate::buffer::GpuSlice;
use crate::element::Element;
use crate::error::Result;
use crate::histogram::shader::WeightKind;
use crate::histogram::{Binned, Bins};
use crate::pending::{Finish, Pending};
use crate::plan::Part;
use crate::reducer::GpuReducer;

/// What elements can be weighted by: `f32` and `u32`.
pub trait Weight: Element {
    /// The sum of weights.
    type Sum: Copy + Send + 'static;

    /// The type as a value.
    const WEIGHT: WeightKind;

    /// The sum that a shader left in so many words.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`](crate::Error::Internal) if it cannot have left that.
    fn sum(words: &[u32]) -> Result<Self::Sum>;
}

impl Weight for f32 {
    type Sum = Self;

    const WEIGHT: WeightKind = WeightKind::F32;

    fn sum(words: &[u32]) -> Result<Self> {
        of_digits(words)
    }
}

impl Weight for u32 {
    type Sum = u64;

    const WEIGHT: WeightKind = WeightKind::U32;

    fn sum(words: &[u32]) -> Result<u64> {
        of_words(words)
    }
}

impl GpuReducer {
    /// The sum of the weights of the elements in each bin: weight i is that of element i.
    ///
    /// Where elements belong is as [`histogram`](Self::histogram) says. Sums of `u32` have 64 bits and are exact.
    /// Those of `f32` are the real sums, each rounded once, as [`sum_exact`](Self::sum_exact) has them: the same
    /// bits on every device, in any order; no weights have the sum +0, and an infinite or NaN weight makes the sum
    /// of its own bin so and no other.
    ///
    /// ```no_run
    /// # fn run(reducer: &wgpu_reduce::GpuReducer) -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::Bins;
    ///
    /// let values = reducer.upload(&[1_u8, 2, 2, 7])?;
    /// let weights = reducer.upload(&[0.5_f32, 1e30, -1e30, 4.0])?;
    /// let weighted = reducer.histogram_weighted(&values, &weights, &Bins::even(1..3, 2)?)?;
    /// assert_eq!((weighted.sums, weighted.above), (vec![0.5, 0.0], 4.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_histogram_weighted`](Self::reduce_histogram_weighted) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn histogram_weighted<'a, 'b, T: Binned, W: Weight>(
        &self,
        input: impl Into<GpuSlice<'a, T>>,
        weights: impl Into<GpuSlice<'b, W>>,
        bins: &Bins,
    ) -> Result<WeightedHistogram<W::Sum>> {
        self.reduce_histogram_weighted(input, weights, bins)?.wait()
    }

    /// Starts a [`histogram_weighted`](Self::histogram_weighted) and returns at once.
    ///
    /// The method: a sum of `f32` is a fixed-point number of nine digits, to which integers are added atomically.
    /// Each digit has 32 bits more than it needs, so that carries wait for the host, which puts the digits together
    /// and rounds. Where the sums of all bins fit, workgroups have their own.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there are not as many weights as elements,
    /// [`Error::Unsupported`](crate::Error::Unsupported) if there are 2^31 or more, or no binding of the device is
    /// large enough for the sums: 88 bytes for each bin with `f32`, 8 with `u32`; otherwise as
    /// [`reduce_histogram`](Self::reduce_histogram).
    pub fn reduce_histogram_weighted<'a, 'b, T: Binned, W: Weight>(
        &self,
        input: impl Into<GpuSlice<'a, T>>,
        weights: impl Into<GpuSlice<'b, W>>,
        bins: &Bins,
    ) -> Result<Pending<WeightedHistogram<W::Sum>>> {
        let (input, weights) = (input.into(), weights.into());
        self.context.check_alive()?;
        let request = Request {
            element: T::KIND,
            weight: W::WEIGHT,
            elements: Part { offset_bytes: input.offset_bytes, len: input.len },
            weights: Part { offset_bytes: weights.offset_bytes, len: weights.len },
            bins,
            tuning: self.histogram_tuning(),
            caps: &self.context.caps,
        };
        let plan = Plan::new(&request).map_err(|error| self.with_adapter(error))?;
        let table = self.histogram_table(&plan.table)?;
        let mut inputs = vec![input.buffer, weights.buffer];
        inputs.extend(&table);
        let (edges, bytes) = (plan.edges, plan.output_bytes);
        let words = W::WEIGHT.sum_words() as usize;
        let finish: Finish<WeightedHistogram<W::Sum>> =
            Box::new(move |bytes| read(bytes, edges, words, W::sum));
        self.submit(&plan.recording, &inputs, bytes, None, finish)
    }
}
