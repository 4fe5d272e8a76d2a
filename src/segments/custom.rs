//! Custom operators over segments.

use super::judge::Judge;
use super::output::check_output;
use super::run::judged;
use super::{Built, Job, Layout, build};
use crate::buffer::{GpuBuffer, GpuSlice};
use crate::custom::{CustomInput, CustomOp, CustomValue};
use crate::element::Element;
use crate::error::Result;
use crate::folding::Folding;
use crate::part::Part;
use crate::pending::{Continue, Pending, Then};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;

impl GpuReducer {
    /// Starts a custom operator over each of several consecutive segments of the input, and returns at once. The
    /// results come together, in the order of the segments; `offsets` are as for
    /// [`reduce_segments`](Self::reduce_segments).
    ///
    /// Elements are combined in their order. The index that `map` sees is the element's number in the input, not in
    /// its segment. Of an empty segment the result is `finish` of the identity.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::CustomOp;
    ///
    /// // The first element that is not 0.
    /// const FIRST: &str = "
    ///     fn map(element: u32, index: u32) -> u32 { return element; }
    ///     fn combine(left: u32, right: u32) -> u32 { return select(left, right, left == 0u); }";
    /// let op = CustomOp::<u32, u32>::new(FIRST, 0)?;
    /// let values = reducer.upload(&[0_u32, 7, 5, 0, 0, 3])?;
    /// let offsets = reducer.upload(&[0_u32, 3, 3, 5, 6])?;
    /// assert_eq!(reducer.reduce_segments_custom(&op, &values, &offsets)?.wait()?, [7, 0, 0, 3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the results come: [`Error::InvalidOffsets`](crate::Error::InvalidOffsets) if offsets decrease or reach
    /// beyond the input, with the first that is wrong. Before: as
    /// [`reduce_segments`](Self::reduce_segments) and [`reduce_custom`](Self::reduce_custom).
    pub fn reduce_segments_custom<'a, 'b, T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
    ) -> Result<Pending<Vec<R>>>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let (input, offsets) = (input.into(), offsets.into());
        self.context.check_alive()?;
        let place = offsets.plan_part();
        let plan = self.segments_custom(operator, &input, place, None)?;
        let layout = Layout::new(&plan);
        let judge = Judge::new(self, offsets, plan.len);
        let then: Continue<Vec<R>> = Box::new(move |bytes| judged(judge, layout.values(bytes)));
        let (buffers, bytes) = (input.buffers_and(&[offsets]), plan.host_bytes());
        self.submit_then(&plan.recording, &buffers, bytes, None, Then::Continue(then))
    }

    /// Records a custom operator over segments into the caller's encoder, as
    /// [`encode_segments`](Self::encode_segments) does with the operations of this crate. Segment i's result is left in
    /// element i of `output`: an `[f32; 3]` has 12 bytes there.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{CustomOp, GpuBuffer};
    ///
    /// let text = "fn map(element: u32, index: u32) -> u32 { return element; }
    ///             fn combine(left: u32, right: u32) -> u32 { return left * 10u + right; }";
    /// let op = CustomOp::<u32, u32>::new(text, 0)?;
    /// let values = reducer.upload(&[4_u32, 2, 7])?;
    /// let offsets = reducer.upload(&[0_u32, 2, 3])?;
    /// let output: GpuBuffer<u32> = reducer.alloc(2)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_segments_custom(&mut encoder, &op, &values, &offsets, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [42, 7]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`] if `output` has fewer elements than there are segments, [`Error::InvalidBuffer`] if it
    /// lies in the same buffer as input or offsets, or begins at no multiple of a result's size; otherwise what
    /// [`reduce_segments_custom`](Self::reduce_segments_custom) finds before it runs.
    ///
    /// [`Error::InvalidBuffer`]: crate::Error::InvalidBuffer
    /// [`Error::InvalidRange`]: crate::Error::InvalidRange
    pub fn encode_segments_custom<'a, 'b, 'c, T, A, R>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operator: &CustomOp<T, A, R>,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
        output: impl Into<GpuSlice<'c, R>>,
    ) -> Result<()>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let (input, offsets, output) = (input.into(), offsets.into(), output.into());
        self.context.check_alive()?;
        let inputs = input.buffers_and(&[offsets]);
        check_output(&inputs, offsets, output)?;
        let (place, at) = (offsets.plan_part(), Some(output.offset_bytes));
        let plan = self.segments_custom(operator, &input, place, at)?;
        if plan.recording.passes.is_empty() {
            return Ok(());
        }
        self.record_into(encoder, &plan.recording, &inputs, output.buffer)
    }

    /// Starts a custom operator over segments whose results stay on the GPU, in a buffer of their own, as
    /// [`segments_to_buffer`](Self::segments_to_buffer) does with the operations of this crate.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::CustomOp;
    ///
    /// let text = "fn map(element: u32, index: u32) -> u32 { return 31u * index ^ element; }
    ///             fn combine(left: u32, right: u32) -> u32 { return left ^ right; }";
    /// let op = CustomOp::<u32, u32>::new(text, 0)?;
    /// let values = reducer.upload(&[5_u32, 6, 7])?;
    /// let offsets = reducer.upload(&[0_u32, 1, 1, 3])?;
    /// let checks = reducer.segments_to_buffer_custom(&op, &values, &offsets)?;
    /// assert_eq!(checks.download(&reducer)?, [5, 0, 31 ^ 6 ^ 62 ^ 7]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What [`reduce_segments_custom`](Self::reduce_segments_custom) finds before it runs, and as [`alloc`](Self::alloc).
    pub fn segments_to_buffer_custom<'a, 'b, T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        input: impl Into<GpuSlices<'a, T>>,
        offsets: impl Into<GpuSlice<'b, u32>>,
    ) -> Result<GpuBuffer<R>>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let offsets = offsets.into();
        let output = self.alloc(offsets.len.saturating_sub(1))?;
        self.submit_encoded(|encoder| {
            self.encode_segments_custom(encoder, operator, input, offsets, &output)
        })?;
        Ok(output)
    }

    pub(super) fn segments_custom<T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        input: &GpuSlices<'_, T>,
        offsets: Part,
        output_offset_bytes: Option<u64>,
    ) -> Result<Built>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        build(&Job {
            folding: Folding::of_operator(operator),
            element: T::KIND,
            input: &input.plan_parts(),
            offsets,
            count_offset_bytes: None,
            output_offset_bytes,
            tuning: self.segments_tuning(T::KIND),
            caps: &self.context.caps,
        })
        .map_err(|error| self.with_adapter(error))
    }
}
