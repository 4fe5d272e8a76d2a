//! Inputs whose length lies on the device: one segment, from the first element on.

use super::Built;
use super::made_offsets::{MADE_OFFSETS, counted};
use crate::buffer::GpuSlice;
use crate::custom::{CustomInput, CustomOp, CustomValue};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::Operation;
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;

impl GpuReducer {
    /// Records a reduction of so many elements as the first of `count` says when the device comes to it, such
    /// as an earlier pass has left there; all of `input`, if it says more. The result is left in the first
    /// element of `output`, as by [`encode`](Self::encode).
    ///
    /// The bits of a rounded result may differ from those of `encode`, but not from one run to another. What
    /// is left of no elements is the operation's result of none, and where there is none, some value: whoever
    /// reads the count can tell.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Sum};
    ///
    /// let values = reducer.upload(&[1_u32, 2, 3, 4])?;
    /// let count = reducer.upload(&[3_u32])?;
    /// let sum: GpuBuffer<u64> = reducer.alloc(1)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_counted(&mut encoder, Sum, &values, &count, &sum)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(sum.download(&reducer)?, [6]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`] if `count` or `output` has no element, [`Error::InvalidBuffer`] if `output` lies in
    /// the same buffer as `input` or `count`, [`Error::Unsupported`] if there are 2^32 - 1 elements or more;
    /// otherwise as [`encode`](Self::encode).
    pub fn encode_counted<'a, 'b, 'c, T: Element, O: Operation<T>>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        count: impl Into<GpuSlice<'b, u32>>,
        output: impl Into<GpuSlice<'c, O::Raw>>,
    ) -> Result<()> {
        let (input, count, output) = (input.into(), count.into(), output.into());
        self.context.check_alive()?;
        let tuning = self.segments_tuning(T::KIND);
        let mut request = self.segments_request(operation, &tuning, &input, count);
        request.offsets = MADE_OFFSETS;
        request.output_offset_bytes = Some(output.offset_bytes);
        let plan = || Ok(self.planned_segments(&request)?.built);
        self.encode_counted_as(encoder, &input, count, output, plan)
    }

    /// Records a custom operator over so many elements as the first of `count` says when the device comes to it, as
    /// [`encode_counted`](Self::encode_counted) does with the operations of this crate. Of no elements `finish` of the
    /// identity is left.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{CustomOp, GpuBuffer};
    ///
    /// let text = "fn map(element: u32, index: u32) -> u32 { return element; }
    ///             fn combine(left: u32, right: u32) -> u32 { return right; }";
    /// let last = CustomOp::<u32, u32>::new(text, 0)?;
    /// let values = reducer.upload(&[1_u32, 2, 3, 4])?;
    /// let count = reducer.upload(&[3_u32])?;
    /// let found: GpuBuffer<u32> = reducer.alloc(1)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_counted_custom(&mut encoder, &last, &values, &count, &found)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(found.download(&reducer)?, [3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`encode_counted`](Self::encode_counted) and [`reduce_custom`](Self::reduce_custom).
    pub fn encode_counted_custom<'a, 'b, 'c, T, A, R>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operator: &CustomOp<T, A, R>,
        input: impl Into<GpuSlices<'a, T>>,
        count: impl Into<GpuSlice<'b, u32>>,
        output: impl Into<GpuSlice<'c, R>>,
    ) -> Result<()>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let (input, count, output) = (input.into(), count.into(), output.into());
        self.context.check_alive()?;
        let place = Some(output.offset_bytes);
        let plan = || self.segments_custom(operator, &input, MADE_OFFSETS, place);
        self.encode_counted_as(encoder, &input, count, output, plan)
    }

    /// Records what `plan` makes of one segment, behind what makes its offsets.
    fn encode_counted_as<T: Element, R>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuSlices<'_, T>,
        count: GpuSlice<'_, u32>,
        output: GpuSlice<'_, R>,
        plan: impl FnOnce() -> Result<Built>,
    ) -> Result<()> {
        if count.is_empty() || output.is_empty() {
            return Err(Error::InvalidRange { start: 0, end: 1, len: 0 });
        }
        let inputs = input.buffers_and(&[count]);
        if inputs.contains(&output.buffer) {
            let what = "the result cannot lie in the buffer that it is made of".into();
            return Err(Error::InvalidBuffer { what });
        }
        let parts = input.parts().len();
        let recording = counted(plan()?, parts, count.offset_bytes, &self.context.caps)
            .map_err(|error| self.with_adapter(error))?;
        self.record_into(encoder, &recording, &inputs, output.buffer)
    }
}
