//! Calls of custom operators.

use super::input::sealed::Slices;
use super::plan::Request;
use super::{CustomInput, CustomOp, CustomPlan, CustomValue};
use crate::buffer::GpuSlice;
use crate::decode;
use crate::error::{Error, Result};
use crate::pending::{Finish, Pending};
use crate::reducer::GpuReducer;
use crate::timing::{Timed, Timer, split_times};

impl GpuReducer {
    /// What a custom operator makes of one input, or of two side by side, [as `CustomOp` says](CustomOp).
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::CustomOp;
    ///
    /// // x ↦ a·x + b, as (a, b): composing such functions is associative, and not commutative.
    /// const COMPOSE: &str = "
    ///     fn map(element: u32, index: u32) -> vec2<u32> { return vec2<u32>(10u, element); }
    ///     fn combine(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> {
    ///         return vec2<u32>(left.x * right.x, left.y * right.x + right.y);
    ///     }";
    /// let op = CustomOp::<u32, [u32; 2]>::new(COMPOSE, [1, 0])?;
    /// let digits = reducer.upload(&[1_u32, 9, 8, 4])?;
    /// assert_eq!(reducer.custom(&op, &digits)?, [10_000, 1984]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_custom`](Self::reduce_custom) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn custom<'a, I: CustomInput, A: CustomValue, R: CustomValue>(
        &self,
        operator: &CustomOp<I, A, R>,
        input: impl Into<I::Slices<'a>>,
    ) -> Result<R> {
        self.reduce_custom(operator, input)?.wait()
    }

    /// Starts a custom operator and returns at once. For one input `input` is a buffer, a slice or several
    /// of either, for two it is a tuple of these.
    ///
    /// Everything is combined in the order of the elements, the same on every run on one adapter with one tuning; of no
    /// elements the result is the finished identity. What NaN and ties come to is the operator's own.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::CustomOp;
    ///
    /// // The largest distance from 10.
    /// let text = "fn map(element: i32, index: u32) -> i32 { return abs(element - 10); }
    ///             fn combine(left: i32, right: i32) -> i32 { return max(left, right); }";
    /// let op = CustomOp::<i32, i32>::new(text, 0)?;
    /// let buffer = reducer.upload(&[7_i32, 12, 15, 9])?;
    /// let (all, none) = (reducer.reduce_custom(&op, &buffer)?, buffer.slice(..0)?);
    /// assert_eq!(all.wait()?, 5);
    /// assert_eq!(reducer.reduce_custom(&op, none)?.wait()?, 0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What can be told before the result is there: [`Error::LengthMismatch`] if two inputs are not of the
    /// same length, [`Error::InvalidBuffer`] if there are more than 2^32 elements; otherwise as
    /// [`reduce`](Self::reduce). The operator's text has been checked, but what a driver has against it comes
    /// as [`Error::CustomShader`], too.
    pub fn reduce_custom<'a, I: CustomInput, A: CustomValue, R: CustomValue>(
        &self,
        operator: &CustomOp<I, A, R>,
        input: impl Into<I::Slices<'a>>,
    ) -> Result<Pending<R>> {
        self.start_custom(operator, &input.into(), None, Box::new(decode::value))
    }

    /// Starts a custom operator whose GPU time is measured, where the device has timestamps; otherwise as
    /// [`reduce_custom`](Self::reduce_custom). [`reduce_timed`](Self::reduce_timed) says what the time is of.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::CustomOp;
    ///
    /// let text = "fn map(element: u32, index: u32) -> u32 { return element; }
    ///             fn combine(left: u32, right: u32) -> u32 { return left ^ right; }";
    /// let op = CustomOp::<u32, u32>::new(text, 0)?;
    /// let timed = reducer.reduce_custom_timed(&op, &reducer.upload(&[1_u32, 2, 3])?)?.wait()?;
    /// assert_eq!(timed.value, 0);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_custom`](Self::reduce_custom).
    pub fn reduce_custom_timed<'a, I: CustomInput, A: CustomValue, R: CustomValue>(
        &self,
        operator: &CustomOp<I, A, R>,
        input: impl Into<I::Slices<'a>>,
    ) -> Result<Pending<Timed<R>>> {
        let timer = Timer::new(&self.context)?;
        let period_ns = timer.as_ref().map(Timer::period_ns);
        let finish: Finish<Timed<R>> = Box::new(move |bytes| {
            let (value, gpu_ns) = split_times(bytes, result_bytes::<R>(), period_ns);
            Ok(Timed { value: decode::value(value)?, gpu_ns })
        });
        self.start_custom(operator, &input.into(), timer.as_ref(), finish)
    }

    /// Records a custom operator into the caller's encoder, as [`encode`](Self::encode) does with the
    /// operations of this crate. The result stays on the GPU, in the first element of `output`: an `[f32; 3]`
    /// has 12 bytes there.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{CustomOp, GpuBuffer};
    ///
    /// let text = "fn map(element: u32, index: u32) -> u32 { return element ^ index; }
    ///             fn combine(left: u32, right: u32) -> u32 { return left ^ right; }";
    /// let op = CustomOp::<u32, u32>::new(text, 0)?;
    /// let input = reducer.upload(&[1_u32, 2, 3])?;
    /// let output: GpuBuffer<u32> = reducer.alloc(1)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_custom(&mut encoder, &op, &input, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode) and [`reduce_custom`](Self::reduce_custom).
    pub fn encode_custom<'a, 'b, I: CustomInput, A: CustomValue, R: CustomValue>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operator: &CustomOp<I, A, R>,
        input: impl Into<I::Slices<'a>>,
        output: impl Into<GpuSlice<'b, R>>,
    ) -> Result<()> {
        let (input, output): (I::Slices<'a>, _) = (input.into(), output.into());
        if output.is_empty() {
            return Err(Error::InvalidRange { start: 0, end: 1, len: 0 });
        }
        self.context.check_alive()?;
        let inputs = input.buffers();
        let plan = self.planned_custom(&Request {
            output_offset_bytes: output.offset_bytes,
            in_place: inputs.contains(&output.buffer),
            ..self.custom_request(operator, &input)
        })?;
        self.record_into(encoder, &plan.recording, &inputs, output.buffer)
    }

    /// What a custom operator would run; [`CustomPlan`] has an example.
    ///
    /// # Errors
    ///
    /// As [`reduce_custom`](Self::reduce_custom), as far as it depends on the lengths.
    pub fn plan_custom<'a, I: CustomInput, A: CustomValue, R: CustomValue>(
        &self,
        operator: &CustomOp<I, A, R>,
        input: impl Into<I::Slices<'a>>,
    ) -> Result<CustomPlan> {
        self.planned_custom(&self.custom_request(operator, &input.into()))
    }

    /// [`Request::plan`], but its errors name the adapter.
    fn planned_custom(&self, request: &Request<'_>) -> Result<CustomPlan> {
        request.plan().map_err(|error| self.with_adapter(error))
    }

    fn custom_request<'s, I: CustomInput, A: CustomValue, R: CustomValue>(
        &'s self,
        operator: &'s CustomOp<I, A, R>,
        input: &I::Slices<'_>,
    ) -> Request<'s> {
        Request {
            operator: &operator.operator,
            identity: operator.identity_words(),
            input: input.plan_parts(),
            output_offset_bytes: 0,
            in_place: false,
            tuning: self.chosen_tuning(),
            caps: &self.context.caps,
        }
    }

    fn start_custom<I: CustomInput, A: CustomValue, R: CustomValue, F>(
        &self,
        operator: &CustomOp<I, A, R>,
        input: &I::Slices<'_>,
        timer: Option<&Timer>,
        finish: Finish<F>,
    ) -> Result<Pending<F>> {
        self.context.check_alive()?;
        let plan = self.planned_custom(&self.custom_request(operator, input))?;
        self.submit(&plan.recording, &input.buffers(), result_bytes::<R>(), timer, finish)
    }
}

const fn result_bytes<R>() -> u64 {
    size_of::<R>() as u64
}
