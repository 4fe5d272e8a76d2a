//! Calls along an axis.

use super::output::check_output;
use super::{AxisPlan, AxisRequest, AxisTuning, View};
use crate::buffer::{GpuBuffer, GpuSlice};
use crate::decode;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::Operation;
use crate::pending::{Finish, Pending};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer, split_times};

impl GpuReducer {
    /// Starts a reduction along one axis of a view and returns at once: what comes is a result for each
    /// position of the other axes, in their row-major order. [`View::without`] tells the shape.
    ///
    /// Every result is that of [`reduce`](Self::reduce) over the elements along the axis, in all but
    /// rounding: NaN, ties and no elements are as the operation defines them, and the indices of
    /// [`ArgMin`](crate::ArgMin) and its like count along the axis. A result of floats has the same bits on
    /// every run on one adapter with one tuning; [`AxisPlan::accuracy`] leads to bounds. Nothing outside the view is read.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Max, View};
    ///
    /// let buffer = reducer.upload(&[1_i32, 5, 3, 4, 2, 6, 0, 0, 9, 1, 1, 1])?;
    /// let view = View::new(&[2, 3, 2])?;
    /// assert_eq!(reducer.reduce_axis(Max, &buffer, view, 1)?.wait()?, [3, 6, 9, 1]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// No positions give no results. An input of several buffers is one sequence of elements, and a row may begin in one
    /// and end in the next.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`] if there is no such axis, or elements of the view lie behind the end of
    /// `input`; [`Error::Empty`] if the axis has no elements, there are positions, and the operation has no
    /// result of none; when the results come, [`Error::EmptyResult`] if one of them is of elements none of which
    /// counts; otherwise as [`reduce`](Self::reduce).
    pub fn reduce_axis<'a, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
    ) -> Result<Pending<Vec<O::Output>>> {
        let (input, view) = (input.into(), view.into());
        let plan = self.axis_planned(&self.axis_request(operation, &input, view, axis))?;
        let (results, len) = (plan.results, plan.len);
        let finish: Finish<Vec<O::Output>> =
            Box::new(move |bytes| finished::<T, O>(operation, bytes, results, len));
        self.start_axis::<T, O, _>(&plan, &input, None, finish)
    }

    /// Starts a reduction along an axis with a tuning of the caller's, and measures the GPU time where the
    /// device has timestamps.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{AxisTuning, Matrix, Sum};
    ///
    /// let input = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// let tuning = AxisTuning { rows_in_flight: 1, ..reducer.axis_tuning() };
    /// let matrix = Matrix { rows: 2, columns: 3 };
    /// let timed = reducer.reduce_axis_timed_with(&tuning, Sum, &input, matrix, 1)?.wait()?;
    /// assert_eq!(timed.value, [6, 15]);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if the tuning does not fit the device; otherwise as
    /// [`reduce_axis`](Self::reduce_axis).
    pub fn reduce_axis_timed_with<'a, T: Element, O: Operation<T>>(
        &self,
        tuning: &AxisTuning,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
    ) -> Result<Pending<Timed<Vec<O::Output>>>> {
        let (input, view) = (input.into(), view.into());
        let request = self.axis_request(operation, &input, view, axis);
        let plan = self.axis_planned(&AxisRequest { tuning: *tuning, ..request })?;
        let timer = Timer::new(&self.context)?;
        let period_ns = timer.as_ref().map(Timer::period_ns);
        let (results, len) = (plan.results, plan.len);
        let bytes_of_results = result_bytes::<T, O>(&plan);
        let finish: Finish<Timed<Vec<O::Output>>> = Box::new(move |bytes| {
            let (value, gpu_ns) = split_times(bytes, bytes_of_results, period_ns);
            Ok(Timed { value: finished::<T, O>(operation, value, results, len)?, gpu_ns })
        });
        self.start_axis::<T, O, _>(&plan, &input, timer.as_ref(), finish)
    }

    /// Records a reduction along an axis into the caller's encoder, as [`encode`](Self::encode) does with one
    /// of everything. The results stay on the GPU, in the first elements of `output`, as the operation's
    /// [`Raw`](Operation::Raw).
    ///
    /// `output` may lie in the same buffer as `input`, before the first or behind the last of the elements that are read.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Matrix, Sum};
    ///
    /// let input = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// let output: GpuBuffer<i64> = reducer.alloc(2)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// let matrix = Matrix { rows: 2, columns: 3 };
    /// reducer.encode_axis(&mut encoder, Sum, &input, matrix, 1, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [6, 15]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`] if `output` has fewer elements than there are results, [`Error::InvalidBuffer`] if
    /// results would lie among the elements that are read, or between two of them; otherwise as
    /// [`reduce_axis`](Self::reduce_axis) and [`encode`](Self::encode).
    pub fn encode_axis<'a, 'b, T: Element, O: Operation<T>>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
        output: impl Into<GpuSlice<'b, O::Raw>>,
    ) -> Result<()> {
        let (input, view, output) = (input.into(), view.into(), output.into());
        self.context.check_alive()?;
        let request = self.axis_request(operation, &input, view, axis);
        let plan = self.axis_planned_into::<T, O>(request, &input, output)?;
        self.record_into(encoder, &plan.recording, &input.buffers(), output.buffer)
    }

    /// Submits a reduction along an axis with a tuning of the caller's, and measures the GPU time where the
    /// device has timestamps. The results stay on the GPU as with [`encode_axis`](Self::encode_axis); several
    /// runs may be on their way, in order.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Matrix, Sum};
    ///
    /// let input = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// let output: GpuBuffer<i64> = reducer.alloc(3)?;
    /// let (tuning, matrix) = (reducer.axis_tuning(), Matrix { rows: 2, columns: 3 });
    /// let run = reducer.axis_into_timed_with(&tuning, Sum, &input, matrix, 0, &output)?;
    /// println!("{:?} ns", run.wait()?.gpu_ns);
    /// assert_eq!(output.download(&reducer)?, [5, 7, 9]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if the tuning does not fit the device; otherwise as
    /// [`encode_axis`](Self::encode_axis).
    pub fn axis_into_timed_with<'a, 'b, T: Element, O: Operation<T>>(
        &self,
        tuning: &AxisTuning,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
        output: impl Into<GpuSlice<'b, O::Raw>>,
    ) -> Result<Pending<Timed<()>>> {
        let (input, view, output) = (input.into(), view.into(), output.into());
        self.context.check_alive()?;
        let request = self.axis_request(operation, &input, view, axis);
        let request = AxisRequest { tuning: *tuning, ..request };
        let plan = self.axis_planned_into::<T, O>(request, &input, output)?;
        let timer = Timer::new(&self.context)?;
        let finish = |gpu_ns| Timed { value: (), gpu_ns };
        self.submit_into(&plan.recording, &input.buffers(), output.buffer, timer.as_ref(), finish)
    }

    /// The plan that leaves its results in `output`, if there is room for them.
    fn axis_planned_into<T: Element, O: Operation<T>>(
        &self,
        request: AxisRequest,
        input: &GpuSlices<'_, T>,
        output: GpuSlice<'_, O::Raw>,
    ) -> Result<AxisPlan> {
        let view = request.view;
        let plan = self.axis_planned(&AxisRequest {
            output_offset_bytes: output.offset_bytes,
            in_place: input.buffers().contains(&output.buffer),
            ..request
        })?;
        check_output(input, &view, plan.results, output)?;
        Ok(plan)
    }

    /// Starts a reduction along an axis whose results stay on the GPU, in a buffer of their own, as the
    /// operation's [`Raw`](Operation::Raw). What is submitted later finds them there.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Matrix, Sum};
    ///
    /// let matrix = reducer.upload(&[0.5_f32; 6])?;
    /// let sums = reducer.axis_to_buffer(Sum, &matrix, Matrix { rows: 2, columns: 3 }, 0)?;
    /// assert_eq!(reducer.sum(&sums)?, 3.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_axis`](Self::reduce_axis) and [`alloc`](Self::alloc).
    pub fn axis_to_buffer<'a, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
    ) -> Result<GpuBuffer<O::Raw>> {
        let (input, view) = (input.into(), view.into());
        let results = view.without(axis)?.iter().product();
        let output = self.alloc(results)?;
        self.submit_encoded(|encoder| {
            self.encode_axis(encoder, operation, input, view, axis, &output)
        })?;
        Ok(output)
    }

    /// What a reduction along an axis would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Matrix, Sum};
    ///
    /// let input = reducer.alloc::<f32>(1 << 20)?;
    /// let plan = reducer.plan_axis(Sum, &input, Matrix { rows: 1 << 10, columns: 1 << 10 }, 1)?;
    /// assert_eq!((plan.results, plan.len), (1 << 10, 1 << 10));
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`AxisPlan::new`]; [`Error::InvalidView`] if elements of the view lie behind the end of `input`.
    pub fn plan_axis<'a, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
    ) -> Result<AxisPlan> {
        self.axis_planned(&self.axis_request(operation, &input.into(), view.into(), axis))
    }

    /// The tuning in force for reductions along an axis.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// println!("{}", reducer.axis_tuning());
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn axis_tuning(&self) -> AxisTuning {
        AxisTuning::for_caps(&self.context.caps)
    }

    fn axis_planned(&self, request: &AxisRequest) -> Result<AxisPlan> {
        AxisPlan::new(request).map_err(|error| self.with_adapter(error))
    }

    fn axis_request<T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: &GpuSlices<'_, T>,
        view: View,
        axis: usize,
    ) -> AxisRequest {
        AxisRequest {
            operation: operation.record(),
            element: T::KIND,
            view,
            axis,
            input: input.plan_parts(),
            output_offset_bytes: 0,
            in_place: false,
            tuning: self.axis_tuning(),
            caps: self.context.caps,
        }
    }

    fn start_axis<T: Element, O: Operation<T>, R>(
        &self,
        plan: &AxisPlan,
        input: &GpuSlices<'_, T>,
        timer: Option<&Timer>,
        finish: Finish<R>,
    ) -> Result<Pending<R>> {
        self.context.check_alive()?;
        let bytes = result_bytes::<T, O>(plan);
        self.context.caps.check_buffer(bytes)?;
        self.submit(&plan.recording, &input.buffers(), bytes, timer, finish)
    }
}

/// Room for the results; for one where there is none.
const fn result_bytes<T: Element, O: Operation<T>>(plan: &AxisPlan) -> u64 {
    let results = if plan.results == 0 { 1 } else { plan.results };
    results.saturating_mul(size_of::<O::Raw>() as u64)
}

fn finished<T: Element, O: Operation<T>>(
    operation: O,
    bytes: &[u8],
    results: u64,
    len: u64,
) -> Result<Vec<O::Output>> {
    let results = usize::try_from(results).unwrap_or(usize::MAX);
    let result = |(raw, result): (Result<O::Raw>, u64)| {
        operation.finish(raw?, len).map_err(|error| match error {
            Error::Empty { operation } => Error::EmptyResult { operation, result },
            error => error,
        })
    };
    decode::values(bytes).take(results).zip(0..).map(result).collect()
}
