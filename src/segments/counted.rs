//! Inputs whose length lies on the device: one segment, from the first element on.

use super::{Built, SegmentsShader};
use crate::buffer::GpuSlice;
use crate::custom::{CustomInput, CustomOp, CustomValue};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::Operation;
use crate::part::Part;
use crate::recording::{
    Bound, Contents, Place, RecordedDispatch, RecordedPass, Recording, Scratch, binding, low_word,
};
use crate::reducer::GpuReducer;
use crate::shader::Shader;
use crate::slices::GpuSlices;
use crate::window::{QUAD_BYTES, WORD_BYTES};

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
        let alignment = self.context.caps.storage_alignment_bytes.max(1);
        let recording = counted(plan()?, input.parts().len(), count.offset_bytes, alignment);
        self.record_into(encoder, &recording, &inputs, output.buffer)
    }
}

/// Where a plan finds the offsets of one segment, in a buffer of their own.
const MADE_OFFSETS: Part = Part { offset_bytes: 0, len: 2 };

/// The plan's passes behind one that makes its offsets, of the count in the buffer behind the inputs.
fn counted(plan: Built, inputs: usize, count_at: u64, alignment: u64) -> Recording {
    let len = low_word(plan.len);
    let mut recording = plan.recording;
    let offsets = Place::Scratch(recording.scratch.len());
    let dispatches = recording.passes.iter_mut().flat_map(|pass| &mut pass.dispatches);
    for bound in dispatches.flat_map(|dispatch| &mut dispatch.bindings) {
        if bound.place == Place::Input(inputs) {
            bound.place = offsets;
        }
    }
    recording.scratch.push(Scratch { bytes: QUAD_BYTES, contents: Contents::Anything });
    let start = count_at - count_at % alignment;
    let count = Bound {
        binding: binding::SOURCE,
        place: Place::Input(inputs),
        bytes: Some(start..count_at + WORD_BYTES),
    };
    let target = Bound { binding: binding::TARGET, place: offsets, bytes: Some(0..QUAD_BYTES) };
    let dispatch = RecordedDispatch {
        bindings: vec![count, target],
        parameters: vec![low_word((count_at - start) / WORD_BYTES), len, 0, 0],
        grid: [1, 1, 1],
    };
    let pass = RecordedPass {
        shader: Shader::Segments(SegmentsShader::Counted),
        constants: Vec::new(),
        dispatches: vec![dispatch],
    };
    recording.passes.insert(0, pass);
    recording
}
