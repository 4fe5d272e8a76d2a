//! Reductions of two inputs whose elements are paired.

use crate::buffer::GpuSlice;
use crate::decode;
use crate::element::Element;
use crate::error::Result;
use crate::op::{OpRecord, PairOperation};
use crate::pending::{Finish, Pending};
use crate::plan::{Plan, PlanRequest};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer, split_times};

impl GpuReducer {
    /// The sum of the products of the elements of two inputs of the same length, [as `Dot` defines
    /// it](crate::Dot): `i128` for signed integers of up to 32 bits, `u128` for unsigned ones, both exact; `f32` for `f32`
    /// and `f16`, `f64` for `f64`, the same bits on every run; 0 for no elements. Of `i64` and `u64` there is none.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let (a, b) = (reducer.upload(&[1_i32, 2, 3])?, reducer.upload(&[4_i32, -5, 6])?);
    /// assert_eq!(reducer.dot(&a, &b)?, 12);
    /// assert_eq!(reducer.dot(a.slice(1..)?, b.slice(..2)?)?, -7);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_pair`](Self::reduce_pair) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn dot<'a, 'b, T: Element>(
        &self,
        left: impl Into<GpuSlices<'a, T>>,
        right: impl Into<GpuSlices<'b, T>>,
    ) -> Result<<crate::op::Dot as PairOperation<T>>::Output>
    where
        crate::op::Dot: PairOperation<T>,
    {
        self.reduce_pair(crate::op::Dot, left, right)?.wait()
    }

    /// Starts a reduction of pairs, one element of each input, and returns at once.
    ///
    /// The inputs may be one and the same, or overlap, and each may be a sequence of buffers, cut
    /// wherever it is. It is fastest where they begin at the same element of a quad of 16 bytes.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::Dot;
    ///
    /// let numbers = reducer.upload(&[1_u32, 2, 3])?;
    /// assert_eq!(reducer.reduce_pair(Dot, &numbers, &numbers)?.await?, 14);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if one input has more elements than the
    /// other; otherwise as [`reduce`](Self::reduce).
    pub fn reduce_pair<'a, 'b, T: Element, O: PairOperation<T>>(
        &self,
        operation: O,
        left: impl Into<GpuSlices<'a, T>>,
        right: impl Into<GpuSlices<'b, T>>,
    ) -> Result<Pending<O::Output>> {
        let (left, right) = (left.into(), right.into());
        let len = left.len();
        let finish: Finish<O::Output> =
            Box::new(move |bytes| operation.finish(decode::value(bytes)?, len));
        self.start_pair(operation, &left, &right, None, finish)
    }

    /// Starts a reduction of pairs whose GPU time is measured, where the device has timestamps.
    /// [`reduce_timed`](Self::reduce_timed) says what the time is of.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Dot;
    ///
    /// let (a, b) = (reducer.upload(&[1_i32, 2, 3])?, reducer.upload(&[4_i32, -5, 6])?);
    /// let timed = reducer.reduce_pair_timed(Dot, &a, &b)?.wait()?;
    /// assert_eq!(timed.value, 12);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_pair`](Self::reduce_pair).
    pub fn reduce_pair_timed<'a, 'b, T: Element, O: PairOperation<T>>(
        &self,
        operation: O,
        left: impl Into<GpuSlices<'a, T>>,
        right: impl Into<GpuSlices<'b, T>>,
    ) -> Result<Pending<Timed<O::Output>>> {
        let timer = Timer::new(&self.context)?;
        let period_ns = timer.as_ref().map(Timer::period_ns);
        let (left, right) = (left.into(), right.into());
        let len = left.len();
        let finish: Finish<Timed<O::Output>> = Box::new(move |bytes| {
            let (value, gpu_ns) = split_times(bytes, size_of::<O::Raw>() as u64, period_ns);
            Ok(Timed { value: operation.finish(decode::value(value)?, len)?, gpu_ns })
        });
        self.start_pair(operation, &left, &right, timer.as_ref(), finish)
    }

    /// Records a reduction of pairs into the caller's encoder, as [`encode`](Self::encode) does for one
    /// input.
    ///
    /// `output` may lie in the same buffer as either input.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Dot, GpuBuffer};
    ///
    /// let (a, b) = (reducer.upload(&[1_i32, 2, 3])?, reducer.upload(&[4_i32, -5, 6])?);
    /// let output: GpuBuffer<i128> = reducer.alloc(1)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_pair(&mut encoder, Dot, &a, &b, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [12]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if one input has more elements than the
    /// other; otherwise as [`encode`](Self::encode).
    pub fn encode_pair<'a, 'b, 'c, T: Element, O: PairOperation<T>>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operation: O,
        left: impl Into<GpuSlices<'a, T>>,
        right: impl Into<GpuSlices<'b, T>>,
        output: impl Into<GpuSlice<'c, O::Raw>>,
    ) -> Result<()> {
        let (left, right) = (left.into(), right.into());
        let request = self.plan_request(operation.record(), T::KIND, left.plan_parts());
        let plan = |request: &PlanRequest| Plan::of_pairs(request, &right.plan_parts());
        self.encode_plan(encoder, &left.buffers_and(right.parts()), request, plan, output.into())
    }

    /// What a reduction of pairs would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Dot;
    ///
    /// let numbers = reducer.upload(&[0.5_f32; 1000])?;
    /// let plan = reducer.plan_pair(Dot, &numbers, &numbers)?;
    /// assert_eq!((plan.inputs, plan.len, plan.input_bytes()), (2, 1000, 8000));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Plan::of_pairs`].
    pub fn plan_pair<'a, 'b, T: Element, O: PairOperation<T>>(
        &self,
        operation: O,
        left: impl Into<GpuSlices<'a, T>>,
        right: impl Into<GpuSlices<'b, T>>,
    ) -> Result<Plan> {
        self.planned_pair(operation.record(), &left.into(), &right.into())
    }

    /// [`Plan::of_pairs`], but its errors name the adapter.
    fn planned_pair<T: Element>(
        &self,
        operation: &'static OpRecord,
        left: &GpuSlices<'_, T>,
        right: &GpuSlices<'_, T>,
    ) -> Result<Plan> {
        let request = self.plan_request(operation, T::KIND, left.plan_parts());
        Plan::of_pairs(&request, &right.plan_parts()).map_err(|error| self.with_adapter(error))
    }

    fn start_pair<T: Element, O: PairOperation<T>, R>(
        &self,
        operation: O,
        left: &GpuSlices<'_, T>,
        right: &GpuSlices<'_, T>,
        timer: Option<&Timer>,
        finish: Finish<R>,
    ) -> Result<Pending<R>> {
        self.context.check_alive()?;
        let plan = self.planned_pair(operation.record(), left, right)?;
        let recording = plan.recording(&self.context.caps);
        let bytes = size_of::<O::Raw>() as u64;
        self.submit(&recording, &left.buffers_and(right.parts()), bytes, timer, finish)
    }
}
