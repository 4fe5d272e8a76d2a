//! From a plan to recorded commands.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::pipeline::{PipelineKey, Pipelines, binding};
use crate::plan::{Dispatch, Pass, Place, Plan};
use crate::scope::{Checks, scoped};
use crate::shader::Kernel;
use std::ops::Range;

/// The caller's side of a plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends<'a> {
    pub(crate) input: &'a wgpu::Buffer,
    pub(crate) output: &'a wgpu::Buffer,
}

/// Records `plan` into `encoder`, as one compute pass.
pub(crate) fn record(
    context: &Context,
    pipelines: &Pipelines,
    plan: &Plan,
    ends: Ends<'_>,
    encoder: &mut wgpu::CommandEncoder,
    timestamps: Option<wgpu::ComputePassTimestampWrites<'_>>,
) -> Result<Checks> {
    let mut checks = Checks::default();
    let recorder = Recorder::new(context, pipelines, plan, ends)?;
    let compiled = plan
        .passes
        .iter()
        .map(|pass| {
            let workgroup_size = plan.tuning.workgroup_size;
            let key = PipelineKey { variant: pass.variant, workgroup_size };
            pipelines.get(context, key, &mut checks)
        })
        .collect::<Result<Vec<_>>>()?;
    let ((), outcome) = scoped(&context.device, 0, || {
        let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("wgpu-reduce"),
            timestamp_writes: timestamps,
        });
        let mut number = 0;
        for (pass, pipeline) in plan.passes.iter().zip(&compiled) {
            compute.set_pipeline(pipeline);
            for dispatch in &pass.dispatches {
                compute.set_bind_group(0, &recorder.bind_group(pass, dispatch, number), &[]);
                compute.dispatch_workgroups(dispatch.grid[0], dispatch.grid[1], 1);
                number += 1;
            }
        }
        Ok(())
    })?;
    checks.merge(outcome);
    Ok(checks)
}

/// The buffers of a recording.
struct Recorder<'a> {
    context: &'a Context,
    pipelines: &'a Pipelines,
    ends: Ends<'a>,
    scratch: Vec<wgpu::Buffer>,
    parameters: wgpu::Buffer,
    parameters_stride: u64,
}

/// Bytes of [`Dispatch::parameters`].
const PARAMETERS_BYTES: u64 = 32;

impl<'a> Recorder<'a> {
    fn new(
        context: &'a Context,
        pipelines: &'a Pipelines,
        plan: &Plan,
        ends: Ends<'a>,
    ) -> Result<Self> {
        let scratch = plan
            .scratch_bytes
            .iter()
            .map(|&bytes| {
                context.create_buffer(
                    "wgpu-reduce scratch",
                    bytes,
                    wgpu::BufferUsages::STORAGE,
                    false,
                )
            })
            .collect::<Result<_>>()?;
        let stride = PARAMETERS_BYTES.next_multiple_of(context.caps.uniform_alignment_bytes.max(1));
        let parameters = upload_parameters(context, plan, stride)?;
        Ok(Self { context, pipelines, ends, scratch, parameters, parameters_stride: stride })
    }

    fn bind_group(&self, pass: &Pass, dispatch: &Dispatch, number: u64) -> wgpu::BindGroup {
        let source = self.place(pass.source);
        let parameters_start = number * self.parameters_stride;
        let parameters = parameters_start..parameters_start + PARAMETERS_BYTES;
        let mut entries = vec![
            self.entry(binding::SOURCE, source, dispatch.source_bytes.as_ref()),
            self.entry(binding::TARGET, self.place(pass.target), Some(&pass.target_bytes)),
            self.entry(binding::WINDOW, &self.parameters, Some(&parameters)),
        ];
        if pass.variant.kernel == Kernel::Elements {
            entries.push(self.entry(binding::QUADS, source, dispatch.quad_bytes.as_ref()));
        }
        self.context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("wgpu-reduce"),
            layout: self.pipelines.bindings(pass.variant.kernel),
            entries: &entries,
        })
    }

    /// Binds `bytes` of `buffer`; something else where the kernel reads none of it, since a binding
    /// cannot be empty.
    fn entry<'b>(
        &'b self,
        binding: u32,
        buffer: &'b wgpu::Buffer,
        bytes: Option<&Range<u64>>,
    ) -> wgpu::BindGroupEntry<'b> {
        let (buffer, offset, size) = match bytes {
            Some(bytes) => (buffer, bytes.start, bytes.end - bytes.start),
            None => (&self.context.unread, 0, self.context.unread.size()),
        };
        let size = wgpu::BufferSize::new(size);
        let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size });
        wgpu::BindGroupEntry { binding, resource }
    }

    fn place(&self, place: Place) -> &wgpu::Buffer {
        match place {
            Place::Input => self.ends.input,
            Place::Output => self.ends.output,
            Place::Scratch(index) => self.scratch.get(index).unwrap_or(&self.context.unread),
        }
    }
}

/// One buffer for the parameters of all dispatches, `stride` bytes apart.
fn upload_parameters(context: &Context, plan: &Plan, stride: u64) -> Result<wgpu::Buffer> {
    let mut bytes = Vec::new();
    for dispatch in plan.passes.iter().flat_map(|pass| &pass.dispatches) {
        bytes.extend_from_slice(bytemuck::cast_slice(&dispatch.parameters));
        bytes.resize(bytes.len().next_multiple_of(usize::try_from(stride).unwrap_or(1)), 0);
    }
    let usage = wgpu::BufferUsages::UNIFORM;
    let buffer =
        context.create_buffer("wgpu-reduce parameters", bytes.len() as u64, usage, true)?;
    // The buffer was made, so its memory is mapped unless the device has gone.
    buffer
        .get_mapped_range_mut(..)
        .map_err(|error| Error::DeviceLost { reason: error.to_string() })?
        .copy_from_slice(&bytes);
    buffer.unmap();
    Ok(buffer)
}
