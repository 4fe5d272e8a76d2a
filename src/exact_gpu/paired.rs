//! Exact dot products of what lies on the GPU.

use super::{ExactPartial, ExactPlan, ExactTuning};
use crate::error::Result;
use crate::exact::ExactSum;
use crate::pending::Pending;
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer};

impl GpuReducer {
    /// The real dot product of two inputs of the same length, rounded once to the nearest `f32`, ties to
    /// even: the same bits on every device, in any order of the pairs.
    ///
    /// No product overflows, underflows or is rounded before the end. Of no pairs the result is +0, of
    /// products that are only −0 it is −0, and an exact sum of 0 otherwise is +0. A finite result beyond the
    /// range of `f32` is infinite. 0 · inf, +inf with −inf, or any NaN, gives NaN, with the bits
    /// `0x7FC0_0000`.
    ///
    /// `docs/exact.md` in the repository has the method, its limits, and what it costs.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let left = reducer.upload(&[3e38_f32, 1.0, -3e38])?;
    /// let right = reducer.upload(&[2e38_f32, 1e-30, 2e38])?;
    /// assert_eq!(reducer.dot_exact(&left, &right)?, 1e-30);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_pair_exact`](Self::reduce_pair_exact) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn dot_exact<'a, 'b>(
        &self,
        left: impl Into<GpuSlices<'a, f32>>,
        right: impl Into<GpuSlices<'b, f32>>,
    ) -> Result<f32> {
        Ok(self.reduce_pair_exact(left, right)?.wait()?.round())
    }

    /// Starts an exact dot product and returns at once. What comes is the sum before it is rounded: it
    /// can be merged with other sums, of products or of elements, in any order, to the same bits as one.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// let numbers = reducer.upload(&[0.1_f32, 0.2, 0.3])?;
    /// let squares = reducer.reduce_pair_exact(&numbers, &numbers)?.await?;
    /// let mut expected = wgpu_reduce::ExactSum::new();
    /// expected.add_products(&[0.1, 0.2, 0.3], &[0.1, 0.2, 0.3])?;
    /// assert_eq!(squares, expected);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if one input has more elements than the
    /// other; otherwise what can be told before the result is there, as [`reduce`](Self::reduce).
    pub fn reduce_pair_exact<'a, 'b>(
        &self,
        left: impl Into<GpuSlices<'a, f32>>,
        right: impl Into<GpuSlices<'b, f32>>,
    ) -> Result<Pending<ExactSum>> {
        let (left, right) = (left.into(), right.into());
        let plan = self.plan_pair_exact(left.clone(), right.clone())?;
        self.start_exact(&plan, &left.buffers_and(right.parts()), None, |partial, _| partial.into())
    }

    /// Starts an exact dot product and returns at once. What comes is what the GPU has left, as of
    /// [`reduce_exact_partial`](Self::reduce_exact_partial): 256 bytes for each dispatch.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::ExactSum;
    ///
    /// let numbers = reducer.upload(&[1.5_f32, 2.0])?;
    /// let partial = reducer.reduce_pair_exact_partial(&numbers, &numbers)?.await?;
    /// assert_eq!(ExactSum::from(partial).round(), 6.25);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_pair_exact`](Self::reduce_pair_exact).
    pub fn reduce_pair_exact_partial<'a, 'b>(
        &self,
        left: impl Into<GpuSlices<'a, f32>>,
        right: impl Into<GpuSlices<'b, f32>>,
    ) -> Result<Pending<ExactPartial>> {
        let (left, right) = (left.into(), right.into());
        let plan = self.plan_pair_exact(left.clone(), right.clone())?;
        self.start_exact(&plan, &left.buffers_and(right.parts()), None, |partial, _| partial)
    }

    /// Starts an exact dot product with a tuning of the caller's, and measures the GPU time where the
    /// device has timestamps.
    /// Every tuning gives the same bits.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let (a, b) = (reducer.upload(&[1e30_f32, 1.0])?, reducer.upload(&[1e30_f32, 2.0])?);
    /// let tuning = reducer.exact_pair_tuning(a.len());
    /// let timed = reducer.reduce_pair_exact_timed_with(&tuning, &a, &b)?.wait()?;
    /// assert_eq!(timed.value.round(), f32::INFINITY);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`](crate::Error::InvalidTuning) if the tuning does not fit the device;
    /// otherwise as [`reduce_pair_exact`](Self::reduce_pair_exact).
    pub fn reduce_pair_exact_timed_with<'a, 'b>(
        &self,
        tuning: &ExactTuning,
        left: impl Into<GpuSlices<'a, f32>>,
        right: impl Into<GpuSlices<'b, f32>>,
    ) -> Result<Pending<Timed<ExactSum>>> {
        let (left, right) = (left.into(), right.into());
        let plan = self.plan_pair_exact_with(tuning, left.clone(), right.clone())?;
        let timer = Timer::new(&self.context)?;
        self.start_exact(
            &plan,
            &left.buffers_and(right.parts()),
            timer.as_ref(),
            |partial, gpu_ns| Timed { value: partial.into(), gpu_ns },
        )
    }

    /// The tuning in force for the exact dot product of so many pairs.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// println!("{}", reducer.exact_pair_tuning(1 << 20));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn exact_pair_tuning(&self, len: u64) -> ExactTuning {
        ExactTuning::for_pairs(&self.context.caps, len)
    }

    /// What an exact dot product would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let numbers = reducer.upload(&[0.5_f32; 1000])?;
    /// let plan = reducer.plan_pair_exact(&numbers, &numbers)?;
    /// assert_eq!(plan.input_bytes(), 8000);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ExactPlan::of_pairs`].
    pub fn plan_pair_exact<'a, 'b>(
        &self,
        left: impl Into<GpuSlices<'a, f32>>,
        right: impl Into<GpuSlices<'b, f32>>,
    ) -> Result<ExactPlan> {
        let left = left.into();
        self.plan_pair_exact_with(&self.exact_pair_tuning(left.len()), left, right)
    }

    /// What an exact dot product with a tuning of the caller's would run.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ExactTuning;
    ///
    /// let numbers = reducer.upload(&[0.5_f32; 1000])?;
    /// let tuning = ExactTuning { max_workgroups: 1, ..reducer.exact_pair_tuning(numbers.len()) };
    /// let plan = reducer.plan_pair_exact_with(&tuning, &numbers, &numbers)?;
    /// assert_eq!(plan.dispatches[0].workgroups, 1);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ExactPlan::of_pairs`].
    pub fn plan_pair_exact_with<'a, 'b>(
        &self,
        tuning: &ExactTuning,
        left: impl Into<GpuSlices<'a, f32>>,
        right: impl Into<GpuSlices<'b, f32>>,
    ) -> Result<ExactPlan> {
        let (left, right) = (left.into().plan_parts(), right.into().plan_parts());
        ExactPlan::of_pairs(&left, &right, tuning, &self.context.caps)
            .map_err(|error| self.with_adapter(error))
    }
}
