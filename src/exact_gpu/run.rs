//! Exact sums of what lies on the GPU.

use super::{ExactPartial, ExactPlan, ExactTuning};
use crate::error::{Error, Result};
use crate::exact::ExactSum;
use crate::pending::{Finish, Pending};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer, split_times};

impl GpuReducer {
    /// The real sum of all elements, rounded once to the nearest `f32`, ties to even: the same bits on
    /// every device, in any order of the elements.
    ///
    /// Subnormal elements count in full, and nothing overflows before the end. Of no elements the sum is
    /// +0, of only −0 it is −0, and an exact sum of 0 otherwise is +0. A finite sum beyond the range of
    /// `f32` is infinite. +inf with −inf, or any NaN, gives NaN, with the bits `0x7FC0_0000`.
    ///
    /// `docs/exact.md` in the repository has the method, its limits, and what it costs.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1e30_f32, 1.0, -1e30, 1e-45])?;
    /// assert_eq!(reducer.sum_exact(&buffer)?, 1.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_exact`](Self::reduce_exact) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn sum_exact<'a>(&self, input: impl Into<GpuSlices<'a, f32>>) -> Result<f32> {
        Ok(self.reduce_exact(input)?.wait()?.round())
    }

    /// The real sum of all elements divided by their number, rounded once as by
    /// [`sum_exact`](Self::sum_exact).
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// // Their sum is beyond the range of f32, their mean is not.
    /// let buffer = reducer.upload(&[f32::MAX, f32::MAX])?;
    /// assert_eq!(reducer.mean_exact(&buffer)?, f32::MAX);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) if there are no elements; otherwise as `sum_exact`.
    #[cfg(not(target_family = "wasm"))]
    pub fn mean_exact<'a>(&self, input: impl Into<GpuSlices<'a, f32>>) -> Result<f32> {
        self.reduce_exact(input)?.wait()?.mean()
    }

    /// Starts an exact sum and returns at once. What comes is the sum before it is rounded: sums of
    /// several buffers, devices or machines can be merged, in any order, to the same bits as one.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// let parts = [reducer.upload(&[0.1_f32, 0.2])?, reducer.upload(&[0.3_f32])?];
    /// let pending = [reducer.reduce_exact(&parts[0])?, reducer.reduce_exact(&parts[1])?];
    /// let mut sum = wgpu_reduce::ExactSum::new();
    /// for part in pending {
    ///     sum += &part.await?;
    /// }
    /// assert_eq!(sum.round(), 0.6);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What can be told before the result is there, as [`reduce`](Self::reduce).
    pub fn reduce_exact<'a>(
        &self,
        input: impl Into<GpuSlices<'a, f32>>,
    ) -> Result<Pending<ExactSum>> {
        let input = input.into();
        let plan = self.plan_exact(input.clone())?;
        self.start_exact(&plan, &input.buffers(), None, |partial, _| partial.into())
    }

    /// The real sum of all elements as the GPU leaves it, before the host makes an [`ExactSum`] of it.
    /// Not in browsers.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ExactSum;
    ///
    /// let partial = reducer.exact_partial(&reducer.upload(&[1.5_f32, 2.5])?)?;
    /// assert_eq!(ExactSum::from(partial).round(), 4.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_exact`](Self::reduce_exact) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn exact_partial<'a>(&self, input: impl Into<GpuSlices<'a, f32>>) -> Result<ExactPartial> {
        self.reduce_exact_partial(input)?.wait()
    }

    /// Starts an exact sum and returns at once. What comes is what the GPU has left: 128 bytes for each dispatch,
    /// which can be kept or sent, and be made an [`ExactSum`] anywhere. [`reduce_exact`](Self::reduce_exact) is this
    /// and that.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// let numbers = reducer.upload(&[0.1_f32, 0.2, 0.3])?;
    /// let partial = reducer.reduce_exact_partial(&numbers)?.await?;
    /// assert_eq!(partial.words().len(), 32 * partial.workgroups().len());
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What can be told before the result is there, as [`reduce`](Self::reduce).
    pub fn reduce_exact_partial<'a>(
        &self,
        input: impl Into<GpuSlices<'a, f32>>,
    ) -> Result<Pending<ExactPartial>> {
        let input = input.into();
        let plan = self.plan_exact(input.clone())?;
        self.start_exact(&plan, &input.buffers(), None, |partial, _| partial)
    }

    /// Starts an exact sum with a tuning of the caller's, and measures the GPU time where the device has
    /// timestamps.
    /// Every tuning gives the same bits.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let numbers = reducer.upload(&[1e30_f32, 1.0, -1e30])?;
    /// let tuning = reducer.exact_tuning(numbers.len());
    /// let timed = reducer.reduce_exact_timed_with(&tuning, &numbers)?.wait()?;
    /// assert_eq!(timed.value.round(), 1.0);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`](crate::Error::InvalidTuning) if the tuning does not fit the device;
    /// otherwise as [`reduce_exact`](Self::reduce_exact).
    pub fn reduce_exact_timed_with<'a>(
        &self,
        tuning: &ExactTuning,
        input: impl Into<GpuSlices<'a, f32>>,
    ) -> Result<Pending<Timed<ExactSum>>> {
        let input = input.into();
        let plan = self.plan_exact_with(tuning, input.clone())?;
        let timer = Timer::new(&self.context)?;
        self.start_exact(&plan, &input.buffers(), timer.as_ref(), |partial, gpu_ns| Timed {
            value: partial.into(),
            gpu_ns,
        })
    }

    /// The tuning in force for the exact sum of so many elements.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// println!("{}", reducer.exact_tuning(1 << 20));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn exact_tuning(&self, len: u64) -> ExactTuning {
        ExactTuning::for_len(&self.context.caps, len)
    }

    /// What an exact sum would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let numbers = reducer.upload(&[0.5_f32; 1000])?;
    /// let plan = reducer.plan_exact(&numbers)?;
    /// assert_eq!(plan.input_bytes(), 4000);
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ExactPlan::new`].
    pub fn plan_exact<'a>(&self, input: impl Into<GpuSlices<'a, f32>>) -> Result<ExactPlan> {
        let input = input.into();
        self.plan_exact_with(&self.exact_tuning(input.len()), input)
    }

    /// What an exact sum with a tuning of the caller's would run.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ExactTuning;
    ///
    /// let numbers = reducer.upload(&[0.5_f32; 1000])?;
    /// let tuning = ExactTuning { max_workgroups: 1, ..reducer.exact_tuning(numbers.len()) };
    /// let plan = reducer.plan_exact_with(&tuning, &numbers)?;
    /// assert_eq!(plan.dispatches[0].workgroups, 1);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ExactPlan::new`].
    pub fn plan_exact_with<'a>(
        &self,
        tuning: &ExactTuning,
        input: impl Into<GpuSlices<'a, f32>>,
    ) -> Result<ExactPlan> {
        ExactPlan::new(&input.into().plan_parts(), tuning, &self.context.caps)
            .map_err(|error| self.with_adapter(error))
    }

    /// Runs a plan, and hands what it leaves to `finish`, with the GPU time if there is a timer.
    pub(super) fn start_exact<R: 'static>(
        &self,
        plan: &ExactPlan,
        inputs: &[&wgpu::Buffer],
        timer: Option<&Timer>,
        finish: fn(ExactPartial, Option<f64>) -> R,
    ) -> Result<Pending<R>> {
        self.context.check_alive()?;
        let records = plan.records();
        let bytes = records.size_bytes();
        let period_ns = timer.map(Timer::period_ns);
        let finish: Finish<R> = Box::new(move |read| {
            let (read, gpu_ns) = split_times(read, bytes, period_ns);
            let partial = ExactPartial::of(records, bytemuck::pod_collect_to_vec(read));
            let partial = partial.map_err(|what| Error::Internal {
                message: format!("the exact sum that came back is none: {what}"),
            })?;
            Ok(finish(partial, gpu_ns))
        });
        self.submit(&plan.recording(), inputs, bytes, timer, finish)
    }
}
