//! Many inputs in one submission, a result for each.

use crate::element::{Element, ElementKind};
use crate::error::Result;
use crate::op::{OpRecord, Operation};
use crate::pending::{Finish, Pending};
use crate::plan::{Part, PlanRequest};
use crate::recording::{
    Bound, Constants, Place, RecordedDispatch, RecordedPass, Recording, binding,
};
use crate::reducer::{GpuReducer, read_output};
use crate::shader::Shader;
use crate::slices::GpuSlices;
use crate::variant::{Collective, Kernel, Sink, Variant};
use crate::window::{Run, WORD_BYTES};

/// Inputs of no more than so many bytes share dispatches, a workgroup for each. A larger one is
/// better off with several workgroups of its own.
const SMALL_BYTES: u64 = 32 << 10;

impl GpuReducer {
    /// Starts a reduction of each of several inputs, in one submission, and returns at once. The
    /// results come together, in the order of the inputs.
    ///
    /// For many small inputs this takes a fraction of the time that a call for each takes, since
    /// submitting and waiting take longer than reducing them. Each result is that of
    /// [`reduce`](Self::reduce), but for rounding: inputs of up to 32 KiB get one workgroup each, whose
    /// invocations add every n-th element one after another, n being the size of the workgroup, so
    /// that an element of an `f32` sum passes through at most its length ÷ n + 2 · log2 n additions
    /// where subgroups are full. All inputs of up to 32 KiB are reduced so, if there is more than one
    /// input: equal ones give equal bits.
    ///
    /// ```no_run
    /// # fn run(reducer: &wgpu_reduce::GpuReducer) -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::Sum;
    ///
    /// let rows = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32])?];
    /// assert_eq!(reducer.reduce_many(Sum, &rows)?.wait()?, [3, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// No inputs give no results.
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce), for the first input that has one; then nothing is submitted.
    pub fn reduce_many<'a, T: Element, O: Operation<T>, I: Into<GpuSlices<'a, T>>>(
        &self,
        operation: O,
        inputs: impl IntoIterator<Item = I>,
    ) -> Result<Pending<Vec<O::Output>>> {
        self.context.check_alive()?;
        let inputs: Vec<GpuSlices<'a, T>> = inputs.into_iter().map(Into::into).collect();
        let result_bytes = size_of::<O::Raw>();
        let lengths: Vec<_> = inputs.iter().map(GpuSlices::len).collect();
        for &len in &lengths {
            let record = operation.record();
            record.check_len(len)?;
            record.check_caps(T::KIND, &self.caps()).map_err(|error| self.with_adapter(error))?;
        }
        let mut batch = Batch {
            reducer: self,
            operation: operation.record(),
            element: T::KIND,
            results: inputs.len() as u64,
            recording: Recording::new(),
            buffers: Vec::new(),
        };
        let mut slot = 0;
        while let Some(rest) = inputs.get(slot..).filter(|rest| !rest.is_empty()) {
            slot += batch.push(rest, slot)?;
        }
        let count = inputs.len();
        let finish: Finish<Vec<O::Output>> = Box::new(move |bytes| {
            let raw = bytes.chunks(result_bytes.max(1)).zip(lengths);
            raw.map(|(bytes, len)| operation.finish(read_output(bytes)?, len)).collect()
        });
        let bytes = (count * result_bytes).max(result_bytes) as u64;
        self.submit(&batch.recording, &batch.buffers, bytes, None, finish)
    }
}

/// Recordings of several reductions, one after another.
struct Batch<'a> {
    reducer: &'a GpuReducer,
    operation: &'static OpRecord,
    element: ElementKind,
    /// How many there will be.
    results: u64,
    recording: Recording,
    /// What the recording calls inputs.
    buffers: Vec<&'a wgpu::Buffer>,
}

impl<'a> Batch<'a> {
    /// Records the first of `inputs`, or the first few if they are small; their results go to `slot`
    /// and the next ones. Returns how many it was.
    fn push<T>(&mut self, inputs: &[GpuSlices<'a, T>], slot: usize) -> Result<usize> {
        let small: Vec<_> = inputs
            .iter()
            .take(binding::INPUTS as usize)
            .map_while(|input| match input.parts() {
                [part] if part.len() <= SMALL_BYTES / self.element.size_bytes() => Some(part),
                _ => None,
            })
            .collect();
        if small.len() > 1 || self.results > 1 && !small.is_empty() {
            let parts =
                small.iter().map(|part| Part { offset_bytes: part.offset_bytes, len: part.len });
            let pass = self.shared_pass(&parts.collect::<Vec<_>>(), slot)?;
            let passes = vec![pass];
            self.recording.append(Recording { passes, ..Recording::new() }, self.buffers.len());
            self.buffers.extend(small.iter().map(|part| part.buffer));
            return Ok(small.len());
        }
        if let Some(input) = inputs.first() {
            let caps = self.reducer.caps();
            let plan = self.reducer.planned(&PlanRequest {
                output_offset_bytes: slot as u64 * self.result_bytes()?,
                ..self.reducer.plan_request(self.operation, self.element, input.plan_parts())
            })?;
            self.recording.append(plan.recording(&caps), self.buffers.len());
            self.buffers.extend(input.buffers());
        }
        Ok(1)
    }

    fn result_bytes(&self) -> Result<u64> {
        Ok(self.operation.over(self.element)?.output_bytes)
    }

    /// One dispatch of `kernels/inputs.wgsl`.
    fn shared_pass(&self, parts: &[Part], slot: usize) -> Result<RecordedPass> {
        let (operation, element) = (self.operation, self.element);
        let caps = self.reducer.caps();
        let tuning = self.reducer.tuning(operation, element, SMALL_BYTES / element.size_bytes());
        let over = operation.over(element)?;
        let tuning = tuning.fitted(&caps, over.accumulator.size_bytes());
        tuning.validate(&caps, over.accumulator.size_bytes())?;
        let collective = Collective::for_caps(&caps);
        let sink = Sink::Result;
        let variant =
            Variant { kernel: Kernel::Inputs, collective, operation, element, sink, over };
        let mut constants: Constants = vec![("WORKGROUP_SIZE", tuning.workgroup_size)];
        constants.extend(collective.constants(&caps));
        let dispatch = self.shared_dispatch(parts, slot)?;
        Ok(RecordedPass {
            shader: Shader::Reduction(variant),
            constants,
            dispatches: vec![dispatch],
        })
    }

    fn shared_dispatch(&self, parts: &[Part], slot: usize) -> Result<RecordedDispatch> {
        let element_bytes = self.element.size_bytes();
        let alignment = self.reducer.caps().storage_alignment_bytes.max(1);
        let results_bytes = self.results * self.result_bytes()?;
        let target =
            Bound { binding: binding::TARGET, place: Place::Output, bytes: Some(0..results_bytes) };
        let mut bindings = vec![target];
        let mut parameters = Vec::with_capacity(4 * binding::INPUTS as usize + 4);
        for (number, binding) in (binding::FIRST_INPUT..).take(binding::INPUTS as usize).enumerate()
        {
            let part = parts.get(number).copied().unwrap_or(Part { offset_bytes: 0, len: 0 });
            let run = Run { offset_bytes: part.offset_bytes, len: part.len, element_bytes };
            let end = run.end_bytes()?.next_multiple_of(WORD_BYTES);
            let start = part.offset_bytes - part.offset_bytes % alignment;
            let first = (part.offset_bytes - start) / element_bytes;
            let bytes = (part.len > 0).then_some(start..end);
            bindings.push(Bound { binding, place: Place::Input(number), bytes });
            parameters.extend([to_u32(first), to_u32(part.len), 0, 0]);
        }
        parameters.extend([to_u32(parts.len() as u64), to_u32(slot as u64), 0, 0]);
        let workgroups = to_u32(parts.len() as u64);
        let [x, y] = self.reducer.caps().grid(workgroups);
        Ok(RecordedDispatch { bindings, parameters, grid: [x, y, 1] })
    }
}

/// Lengths of small inputs, their number, and offsets below an alignment: they fit.
fn to_u32(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
