//! Calls that reduce segments.

use super::judge::Judge;
use super::output::check_output;
use super::{Layout, SegmentsPlan, SegmentsRequest, SegmentsTuning};
use crate::buffer::{GpuBuffer, GpuSlice};
use crate::element::{Element, ElementKind};
use crate::error::{Error, Result};
use crate::op::Operation;
use crate::pending::{Continue, Next, Pending, Then};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer, split_times};

impl GpuReducer {
    /// Starts a reduction of each of several consecutive segments of the input, and returns at once. The
    /// results come together, in the order of the segments.
    ///
    /// `offsets` has one number more than there are segments, as in sparse matrices by rows: segment i has
    /// the elements from number `offsets[i]` on, up to but without number `offsets[i + 1]`. The first may be
    /// above 0 and the last below the input's length; what is outside is not looked at. Segments may have any
    /// lengths, from millions of empty ones to one that has everything, also side by side: the work is
    /// balanced by elements and segments together, not by segments.
    ///
    /// Each result is that of [`reduce`](Self::reduce) over the segment alone, but for rounding: NaN, ties and
    /// overflow are as the operation says, and indices count from the segment's first element. An empty
    /// segment has the operation's result of none. For what is rounded,
    /// [`SegmentsPlan::accuracy_of`] with [`Operation::tolerance`] gives the bound, and the bits are the same
    /// on every run on one adapter with one tuning; they may depend on where the segment lies.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Max, Sum};
    ///
    /// let values = reducer.upload(&[3_i32, 1, 4, 1, 5, 9])?;
    /// let offsets = reducer.upload(&[0_u32, 2, 2, 6])?;
    /// assert_eq!(reducer.reduce_segments(Sum, &values, &offsets)?.wait()?, [4, 0, 19]);
    ///
    /// let offsets = reducer.upload(&[1_u32, 4, 5])?;
    /// assert_eq!(reducer.reduce_segments(Max, &values, &offsets)?.wait()?, [4, 5]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// The method: tiles of equal work by the merge of ends and elements (Merrill and Garland, *Merge-based
    /// parallel sparse matrix-vector multiplication*, 2016), and in each a segmented scan.
    ///
    /// # Errors
    ///
    /// When the results come: [`Error::InvalidOffsets`] if offsets decrease or reach beyond the input, a single one of
    /// no segments included, with the first that is wrong; [`Error::EmptySegment`] if the operation has no result of none and a segment is empty, or has nothing
    /// but NaN where that does not count. Before: [`Error::InvalidOffsets`] if there is no offset at all,
    /// [`Error::Unsupported`] if there are 2^32 - 1 elements or more, or so many segments that one binding
    /// ([`Caps::max_binding_bytes`](crate::Caps::max_binding_bytes)) does not hold offsets or results;
    /// otherwise as [`reduce`](Self::reduce).
    pub fn reduce_segments<'a, 'b, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
    ) -> Result<Pending<Vec<O::Output>>> {
        let tuning = self.segments_tuning(T::KIND);
        self.start_segments(operation, &tuning, &input.into(), offsets.into(), None, |value, _| {
            value
        })
    }

    /// Starts a reduction of segments with a tuning of the caller's, and measures the GPU time where the
    /// device has timestamps.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ElementKind, SegmentsTuning, Sum};
    ///
    /// let values = reducer.upload(&[3_i32, 1, 4, 1, 5, 9])?;
    /// let offsets = reducer.upload(&[0_u32, 2, 2, 6])?;
    /// let default = reducer.segments_tuning(ElementKind::I32);
    /// let tuning = SegmentsTuning { max_workgroups: 8, ..default };
    /// let timed = reducer.reduce_segments_timed_with(&tuning, Sum, &values, &offsets)?.wait()?;
    /// assert_eq!(timed.value, [4, 0, 19]);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if the tuning does not fit the device; otherwise as
    /// [`reduce_segments`](Self::reduce_segments).
    pub fn reduce_segments_timed_with<'a, 'b, T: Element, O: Operation<T>>(
        &self,
        tuning: &SegmentsTuning,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
    ) -> Result<Pending<Timed<Vec<O::Output>>>> {
        let timer = Timer::new(&self.context)?;
        let with_time = |value, gpu_ns| Timed { value, gpu_ns };
        self.start_segments(
            operation,
            tuning,
            &input.into(),
            offsets.into(),
            timer.as_ref(),
            with_time,
        )
    }

    /// Records a reduction of segments into the caller's encoder, as [`encode`](Self::encode) does for one
    /// result. Segment i's is left in element i of `output`, as the operation's [`Raw`](Operation::Raw).
    ///
    /// Nobody looks at the offsets before they are used. Where they decrease or reach beyond the input, all
    /// that is said of the results is that nothing else is written; where an operation has no result of an
    /// empty segment, some value is left there.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Sum};
    ///
    /// let values = reducer.upload(&[1_u32, 2, 3])?;
    /// let offsets = reducer.upload(&[0_u32, 1, 3])?;
    /// let sums: GpuBuffer<u64> = reducer.alloc(2)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_segments(&mut encoder, Sum, &values, &offsets, &sums)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(sums.download(&reducer)?, [1, 5]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`] if `output` has fewer elements than there are segments,
    /// [`Error::InvalidBuffer`] if it lies in the same buffer as input or offsets; otherwise what
    /// [`reduce_segments`](Self::reduce_segments) finds before it runs.
    pub fn encode_segments<'a, 'b, 'c, T: Element, O: Operation<T>>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
        output: impl Into<GpuSlice<'c, O::Raw>>,
    ) -> Result<()> {
        let tuning = self.segments_tuning(T::KIND);
        self.encode_segments_with(encoder, &tuning, operation, input, offsets, output)
    }

    /// [`encode_segments`](Self::encode_segments) with a tuning of the caller's.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ElementKind, GpuBuffer, Max, SegmentsTuning};
    ///
    /// let values = reducer.upload(&[1_u32, 2, 3])?;
    /// let offsets = reducer.upload(&[0_u32, 1, 3])?;
    /// let most: GpuBuffer<u32> = reducer.alloc(2)?;
    /// let default = reducer.segments_tuning(ElementKind::U32);
    /// let tuning = SegmentsTuning { max_workgroups: 8, ..default };
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_segments_with(&mut encoder, &tuning, Max, &values, &offsets, &most)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(most.download(&reducer)?, [1, 3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if the tuning does not fit the device; otherwise as
    /// [`encode_segments`](Self::encode_segments).
    pub fn encode_segments_with<'a, 'b, 'c, T: Element, O: Operation<T>>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        tuning: &SegmentsTuning,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
        output: impl Into<GpuSlice<'c, O::Raw>>,
    ) -> Result<()> {
        let (input, offsets, output) = (input.into(), offsets.into(), output.into());
        self.context.check_alive()?;
        let inputs = input.buffers_and(&[offsets]);
        check_output(&inputs, offsets, output)?;
        let request = SegmentsRequest {
            output_offset_bytes: Some(output.offset_bytes),
            ..self.segments_request(operation, tuning, &input, offsets)
        };
        let plan = self.planned_segments(&request)?;
        if plan.pass_count() == 0 {
            return Ok(());
        }
        self.record_into(encoder, &plan.built.recording, &inputs, output.buffer)
    }

    /// Starts a reduction of segments whose results stay on the GPU, in a buffer of their own: one for each segment, as
    /// the operation's [`Raw`](Operation::Raw). What is submitted later finds them there.
    ///
    /// Nobody looks at the offsets, as with [`encode_segments`](Self::encode_segments).
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Max, Sum};
    ///
    /// let values = reducer.upload(&[3.0_f32, 1.0, 4.0, 1.0, 5.0, 9.0])?;
    /// let offsets = reducer.upload(&[0_u32, 2, 2, 6])?;
    /// let sums = reducer.segments_to_buffer(Sum, &values, &offsets)?;
    /// assert_eq!(reducer.reduce(Max, &sums)?.wait()?, 19.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What [`reduce_segments`](Self::reduce_segments) finds before it runs, and as [`alloc`](Self::alloc).
    pub fn segments_to_buffer<'a, 'b, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
    ) -> Result<GpuBuffer<O::Raw>> {
        let offsets = offsets.into();
        let output = self.alloc(offsets.len.saturating_sub(1))?;
        self.submit_encoded(|encoder| {
            self.encode_segments(encoder, operation, input, offsets, &output)
        })?;
        Ok(output)
    }

    /// What a reduction of segments would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let (values, offsets) = (reducer.alloc::<f32>(1000)?, reducer.alloc::<u32>(11)?);
    /// let plan = reducer.plan_segments(Sum, &values, &offsets)?;
    /// assert_eq!(plan.segments(), 10);
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`SegmentsPlan::new`].
    pub fn plan_segments<'a, 'b, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
    ) -> Result<SegmentsPlan> {
        self.plan_segments_with(&self.segments_tuning(T::KIND), operation, input, offsets)
    }

    /// What a reduction of segments with a tuning of the caller's would run: for printing, and for bounds of
    /// what its results are off by.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Sum, SegmentsTuning};
    ///
    /// let (values, offsets) = (reducer.alloc::<f32>(1000)?, reducer.alloc::<u32>(11)?);
    /// let default = reducer.plan_segments(Sum, &values, &offsets)?.tuning();
    /// let tuning = SegmentsTuning { max_workgroups: 1, ..default };
    /// println!("{}", reducer.plan_segments_with(&tuning, Sum, &values, &offsets)?);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`SegmentsPlan::new`].
    pub fn plan_segments_with<'a, 'b, T: Element, O: Operation<T>>(
        &self,
        tuning: &SegmentsTuning,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
    ) -> Result<SegmentsPlan> {
        let request = self.segments_request(operation, tuning, &input.into(), offsets.into());
        self.planned_segments(&request)
    }

    /// The tuning in force for reductions of segments of elements of a type, and for those by key of values of it.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ElementKind;
    ///
    /// println!("{}", reducer.segments_tuning(ElementKind::F32));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn segments_tuning(&self, element: ElementKind) -> SegmentsTuning {
        SegmentsTuning::for_element(&self.context.caps, element)
    }

    /// With a report for the host behind the results.
    pub(super) fn segments_request<T: Element, O: Operation<T>>(
        &self,
        operation: O,
        tuning: &SegmentsTuning,
        input: &GpuSlices<'_, T>,
        offsets: GpuSlice<'_, u32>,
    ) -> SegmentsRequest {
        SegmentsRequest {
            operation: operation.record(),
            element: T::KIND,
            input: input.plan_parts(),
            offsets: offsets.plan_part(),
            count_offset_bytes: None,
            output_offset_bytes: None,
            tuning: *tuning,
            caps: self.context.caps,
        }
    }

    pub(super) fn planned_segments(&self, request: &SegmentsRequest) -> Result<SegmentsPlan> {
        SegmentsPlan::new(request).map_err(|error| self.with_adapter(error))
    }

    fn start_segments<T: Element, O: Operation<T>, R: 'static>(
        &self,
        operation: O,
        tuning: &SegmentsTuning,
        input: &GpuSlices<'_, T>,
        offsets: GpuSlice<'_, u32>,
        timer: Option<&Timer>,
        finish: fn(Vec<O::Output>, Option<f64>) -> R,
    ) -> Result<Pending<R>> {
        self.context.check_alive()?;
        let request = self.segments_request(operation, tuning, input, offsets);
        let plan = self.planned_segments(&request)?;
        let layout = Layout::new(&plan.built);
        let bytes = plan.built.host_bytes();
        let period_ns = timer.map(Timer::period_ns);
        let judge = Judge::new(self, offsets, plan.len());
        let on_host: Continue<R> = Box::new(move |read| {
            let (read, gpu_ns) = split_times(read, bytes, period_ns);
            let results = layout.results(operation, read);
            judged(judge, results.map(|results| finish(results, gpu_ns)))
        });
        let buffers = input.buffers_and(&[offsets]);
        self.submit_then(&plan.built.recording, &buffers, bytes, timer, Then::Continue(on_host))
    }
}

/// The results; or which offset is wrong, if one is, which takes another look at them.
pub(super) fn judged<R>(judge: Judge, results: Result<R>) -> Result<Next<R>> {
    match results {
        Err(Error::InvalidOffsets { .. }) => judge.ask().map(Next::from),
        results => results.map(Next::Value),
    }
}
