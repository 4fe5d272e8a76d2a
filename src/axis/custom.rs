//! Custom operators along an axis.

use super::View;
use super::build::{Built, Job, build};
use super::output::check_output;
use crate::buffer::{GpuBuffer, GpuSlice};
use crate::custom::{CustomInput, CustomOp, CustomValue};
use crate::decode;
use crate::element::Element;
use crate::error::Result;
use crate::folding::Folding;
use crate::part::Part;
use crate::pending::{Finish, Pending};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;

impl GpuReducer {
    /// Starts a custom operator along one axis of a view and returns at once: what comes is a result for each position
    /// of the other axes, in their row-major order, as with [`reduce_axis`](Self::reduce_axis).
    ///
    /// Elements are combined in their order along the axis, and the index that `map` sees counts along it, modulo
    /// 2^32. Of an axis without elements the result is `finish` of the identity.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{CustomOp, Matrix};
    ///
    /// // Digits of a number, the first one first.
    /// const NUMBER: &str = "
    ///     fn map(element: u32, index: u32) -> vec2<u32> { return vec2<u32>(10u, element); }
    ///     fn combine(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> {
    ///         return vec2<u32>(left.x * right.x, left.y * right.x + right.y);
    ///     }
    ///     fn finish(total: vec2<u32>) -> u32 { return total.y; }";
    /// let op = CustomOp::<u32, [u32; 2], u32>::new(NUMBER, [1, 0])?;
    /// let digits = reducer.upload(&[1_u32, 9, 8, 4, 2, 0])?;
    /// let matrix = Matrix { rows: 2, columns: 3 };
    /// assert_eq!(reducer.reduce_axis_custom(&op, &digits, matrix, 1)?.wait()?, [198, 420]);
    /// assert_eq!(reducer.reduce_axis_custom(&op, &digits, matrix, 0)?.wait()?, [14, 92, 80]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// The method: several invocations have a run of neighbouring elements each, and their totals are combined in
    /// order, as in [`reduce_custom`](Self::reduce_custom).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`](crate::Error::InvalidView) if there is no such axis, or elements of the view lie behind the end of `input`; otherwise
    /// as [`reduce_custom`](Self::reduce_custom).
    pub fn reduce_axis_custom<'a, T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
    ) -> Result<Pending<Vec<R>>>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let input = input.into();
        self.context.check_alive()?;
        let plan = self.axis_custom(operator, &input, (view.into(), axis), None)?;
        let results = usize::try_from(plan.results).unwrap_or(usize::MAX);
        // Room for one where there is none.
        let bytes = plan.results.max(1).saturating_mul(size_of::<R>() as u64);
        self.context.caps.check_buffer(bytes)?;
        let finish: Finish<Vec<R>> =
            Box::new(move |bytes| decode::values(bytes).take(results).collect());
        self.submit(&plan.recording, &input.buffers(), bytes, None, finish)
    }

    /// Records a custom operator along an axis into the caller's encoder. The results stay on the GPU, in the first
    /// elements of `output`, which may lie in the same buffer as `input`, before the first or behind the last of the
    /// elements that are read. An `[f32; 3]` has 12 bytes there.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{CustomOp, GpuBuffer, Matrix};
    ///
    /// let text = "fn map(element: u32, index: u32) -> u32 { return element ^ index; }
    ///             fn combine(left: u32, right: u32) -> u32 { return left ^ right; }";
    /// let op = CustomOp::<u32, u32>::new(text, 0)?;
    /// let input = reducer.upload(&[1_u32, 2, 3, 4])?;
    /// let output: GpuBuffer<u32> = reducer.alloc(2)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// let matrix = Matrix { rows: 2, columns: 2 };
    /// reducer.encode_axis_custom(&mut encoder, &op, &input, matrix, 1, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [2, 6]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if `output` has fewer elements than there are results, [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if it
    /// begins at no multiple of a result's size, or results would lie among the elements that are read, or between two
    /// of them; otherwise as [`reduce_axis_custom`](Self::reduce_axis_custom).
    pub fn encode_axis_custom<'a, 'b, T, A, R>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operator: &CustomOp<T, A, R>,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
        output: impl Into<GpuSlice<'b, R>>,
    ) -> Result<()>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let (input, view, output) = (input.into(), view.into(), output.into());
        self.context.check_alive()?;
        let place = Some((output.buffer, output.offset_bytes));
        let plan = self.axis_custom(operator, &input, (view, axis), place)?;
        check_output(&input, &view, plan.results, output)?;
        self.record_into(encoder, &plan.recording, &input.buffers(), output.buffer)
    }

    /// Starts a custom operator along an axis whose results stay on the GPU, in a buffer of their own, as
    /// [`axis_to_buffer`](Self::axis_to_buffer) does with the operations of this crate.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{CustomOp, Matrix};
    ///
    /// let text = "fn map(element: f32, index: u32) -> f32 { return abs(element); }
    ///             fn combine(left: f32, right: f32) -> f32 { return max(left, right); }";
    /// let op = CustomOp::<f32, f32>::new(text, 0.0)?;
    /// let input = reducer.upload(&[1.0_f32, -3.0, 2.0, 4.0])?;
    /// let largest = reducer.axis_to_buffer_custom(&op, &input, Matrix { rows: 2, columns: 2 }, 1)?;
    /// assert_eq!(reducer.sum(&largest)?, 7.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_axis_custom`](Self::reduce_axis_custom) and [`alloc`](Self::alloc).
    pub fn axis_to_buffer_custom<'a, T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        input: impl Into<GpuSlices<'a, T>>,
        view: impl Into<View>,
        axis: usize,
    ) -> Result<GpuBuffer<R>>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let (input, view) = (input.into(), view.into());
        let output = self.alloc(view.without(axis)?.iter().product())?;
        self.submit_encoded(|encoder| {
            self.encode_axis_custom(encoder, operator, input, view, axis, &output)
        })?;
        Ok(output)
    }

    fn axis_custom<T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        input: &GpuSlices<'_, T>,
        (view, axis): (View, usize),
        output: Option<(&wgpu::Buffer, u64)>,
    ) -> Result<Built>
    where
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let parts: Vec<Part> = input.plan_parts();
        let buffers = input.buffers();
        build(&Job {
            folding: Folding::of_operator(operator),
            element: T::KIND,
            view,
            axis,
            input: &parts,
            output_offset_bytes: output.map_or(0, |(_, offset)| offset),
            in_place: output.is_some_and(|(buffer, _)| buffers.contains(&buffer)),
            tuning: self.axis_tuning(),
            caps: &self.context.caps,
        })
        .map_err(|error| self.with_adapter(error))
    }
}
