//! From recorded commands to wgpu's.

use crate::device::allowance::Held;
use crate::device::context::Context;
use crate::device::pipeline::{Pipeline, Pipelines};
use crate::device::pool::Pool;
use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::recording::{
    Bound, Contents, Place, RecordedDispatch, Recording, Scratch, binding,
};

/// The caller's buffers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends<'a> {
    pub(crate) inputs: &'a [&'a wgpu::Buffer],
    pub(crate) output: &'a wgpu::Buffer,
}

/// Records `recording` into `encoder`. The caller has opened an error scope.
pub(crate) fn record(
    context: &Context,
    pipelines: &Pipelines,
    recording: &Recording,
    ends: Ends<'_>,
    encoder: &mut wgpu::CommandEncoder,
    timestamps: Option<&wgpu::ComputePassTimestampWrites<'_>>,
) -> Result<()> {
    #[cfg(test)]
    if crate::tests::goldens::is_observed(context, recording) {
        return Ok(());
    }
    let ready = Ready::new(context, pipelines, recording, ends)?;
    ready.play(context, recording, ends.output, encoder, timestamps);
    #[cfg(test)]
    if context.beyond.is_wide() {
        // What tests have left in them is for nobody else.
        return Ok(());
    }
    ready.give_back(context, recording);
    Ok(())
}

/// A recording with everything that running it takes.
#[derive(Debug)]
pub(crate) struct Ready {
    compiled: Vec<Pipeline>,
    /// One for each dispatch.
    bound: Vec<wgpu::BindGroup>,
    scratch: Vec<Held>,
}

impl Ready {
    /// The caller has opened an error scope.
    pub(crate) fn new(
        context: &Context,
        pipelines: &Pipelines,
        recording: &Recording,
        ends: Ends<'_>,
    ) -> Result<Self> {
        let buffers = Buffers::new(context, recording, ends)?;
        let compiled = recording.passes.iter().map(|pass| pipelines.get(context, pass));
        let compiled = compiled.collect::<Result<Vec<_>>>()?;
        let bound = buffers.bind_groups(recording, &compiled);
        Ok(Self { compiled, bound, scratch: buffers.scratch })
    }

    /// Records the passes, as one compute pass, or as several where something must be zero each time that it runs.
    pub(crate) fn play(
        &self,
        context: &Context,
        recording: &Recording,
        output: &wgpu::Buffer,
        encoder: &mut wgpu::CommandEncoder,
        timestamps: Option<&wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let (apart, together) =
            if recording.zero_output { (recording.times, 1) } else { (1, recording.times) };
        #[cfg(not(test))]
        let _ = context;
        for turn in 1..=apart {
            self.clear(recording, output, encoder);
            #[cfg(test)]
            crate::tests::overreads::guard(context, &self.scratch, &recording.scratch);
            let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("wgpu-reduce"),
                timestamp_writes: at_ends(timestamps, turn == 1, turn == apart),
            });
            for _ in 0..together {
                dispatch_all(&mut compute, recording, &self.compiled, &self.bound);
            }
        }
    }

    /// Zeroes what must be zero.
    fn clear(
        &self,
        recording: &Recording,
        output: &wgpu::Buffer,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        for (buffer, scratch) in self.scratch.iter().zip(&recording.scratch) {
            if scratch.contents == Contents::Zero {
                encoder.clear_buffer(buffer, 0, Some(scratch.bytes));
            }
        }
        if recording.zero_output {
            encoder.clear_buffer(output, 0, None);
        }
    }

    /// The queue runs what uses its buffers in order, so the next recording may have them.
    pub(crate) fn give_back(self, context: &Context, recording: &Recording) {
        for (buffer, scratch) in self.scratch.into_iter().zip(&recording.scratch) {
            pool(context, scratch).give(buffer);
        }
    }
}

/// The timestamps that this pass of several writes: the first writes the beginning, the last the end.
fn at_ends<'a>(
    timestamps: Option<&wgpu::ComputePassTimestampWrites<'a>>,
    is_first: bool,
    is_last: bool,
) -> Option<wgpu::ComputePassTimestampWrites<'a>> {
    let timestamps = timestamps.filter(|_| is_first || is_last)?;
    let begin = timestamps.beginning_of_pass_write_index;
    let end = timestamps.end_of_pass_write_index;
    Some(wgpu::ComputePassTimestampWrites {
        query_set: timestamps.query_set,
        beginning_of_pass_write_index: begin.filter(|_| is_first),
        end_of_pass_write_index: end.filter(|_| is_last),
    })
}

fn dispatch_all(
    compute: &mut wgpu::ComputePass<'_>,
    recording: &Recording,
    compiled: &[Pipeline],
    bound: &[wgpu::BindGroup],
) {
    let mut bound = bound.iter();
    for (pass, pipeline) in recording.passes.iter().zip(compiled) {
        compute.set_pipeline(&pipeline.compute);
        for (dispatch, group) in pass.dispatches.iter().zip(&mut bound) {
            compute.set_bind_group(0, group, &[]);
            let [x, y, z] = dispatch.grid;
            compute.dispatch_workgroups(x, y, z);
        }
    }
}

/// Where a scratch buffer comes from and goes back to.
const fn pool<'a>(context: &'a Context, scratch: &Scratch) -> &'a Pool {
    match scratch.contents {
        Contents::Anything | Contents::Zero => &context.scratch,
        Contents::Counters => &context.counters,
    }
}

/// The buffers of a recording.
struct Buffers<'a> {
    context: &'a Context,
    ends: Ends<'a>,
    scratch: Vec<Held>,
    parameters: Held,
    unread: Held,
}

impl<'a> Buffers<'a> {
    fn new(context: &'a Context, recording: &Recording, ends: Ends<'a>) -> Result<Self> {
        let scratch = recording
            .scratch
            .iter()
            .map(|scratch| pool(context, scratch).take(context, scratch.bytes))
            .collect::<Result<_>>()?;
        let parameters = parameter_bytes(recording, &context.caps);
        let parameters = context.parameters.get(context, parameters)?;
        Ok(Self { context, ends, scratch, parameters, unread: context.unread()? })
    }

    /// One for each dispatch.
    fn bind_groups(&self, recording: &Recording, compiled: &[Pipeline]) -> Vec<wgpu::BindGroup> {
        let mut parameters = 0;
        let mut groups = Vec::new();
        for (pass, pipeline) in recording.passes.iter().zip(compiled) {
            for dispatch in &pass.dispatches {
                groups.push(self.bind_group(pipeline, dispatch, parameters));
                parameters += parameters_stride(dispatch, &self.context.caps);
            }
        }
        groups
    }

    fn bind_group(
        &self,
        pipeline: &Pipeline,
        dispatch: &RecordedDispatch,
        parameters_offset: u64,
    ) -> wgpu::BindGroup {
        let parameters = wgpu::BufferBinding {
            buffer: &self.parameters,
            offset: parameters_offset,
            size: wgpu::BufferSize::new(dispatch.parameters.len() as u64 * 4),
        };
        let mut entries: Vec<_> = dispatch.bindings.iter().map(|bound| self.entry(bound)).collect();
        // Unless an earlier pass tells.
        if dispatch.bound(binding::PARAMETERS).is_none() {
            entries.push(wgpu::BindGroupEntry {
                binding: binding::PARAMETERS,
                resource: wgpu::BindingResource::Buffer(parameters),
            });
        }
        self.context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("wgpu-reduce"),
            layout: &pipeline.bindings,
            entries: &entries,
        })
    }

    /// Binds what is bound; something else where the shader reads none of it, since a binding
    /// cannot be empty.
    fn entry(&self, bound: &Bound) -> wgpu::BindGroupEntry<'_> {
        let (buffer, offset, size) = match &bound.bytes {
            Some(bytes) => (self.place(bound.place), bytes.start, bytes.end - bytes.start),
            None => (&self.unread.buffer, 0, self.unread.size()),
        };
        #[cfg(test)]
        let size =
            crate::tests::overreads::widened(self.context, bound, buffer.size() - offset, size);
        let size = wgpu::BufferSize::new(size);
        let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size });
        wgpu::BindGroupEntry { binding: bound.binding, resource }
    }

    fn place(&self, place: Place) -> &wgpu::Buffer {
        match place {
            Place::Input(number) => self.ends.inputs.get(number).copied().unwrap_or(&self.unread),
            Place::Output => self.ends.output,
            Place::Scratch(index) => self.scratch.get(index).unwrap_or(&self.unread),
        }
    }
}

/// Bytes from the parameters of a dispatch to those of the next.
fn parameters_stride(dispatch: &RecordedDispatch, caps: &Caps) -> u64 {
    (dispatch.parameters.len() as u64 * 4).next_multiple_of(caps.uniform_alignment_bytes.max(1))
}

/// The parameters of all dispatches.
fn parameter_bytes(recording: &Recording, caps: &Caps) -> Vec<u8> {
    let mut bytes = Vec::new();
    for dispatch in recording.passes.iter().flat_map(|pass| &pass.dispatches) {
        let end = bytes.len() as u64 + parameters_stride(dispatch, caps);
        bytes.extend_from_slice(bytemuck::cast_slice(&dispatch.parameters));
        bytes.resize(usize::try_from(end).unwrap_or(bytes.len()), 0);
    }
    bytes
}
