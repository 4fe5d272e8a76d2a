//! Pipelines: created lazily, once per key, and kept. The one place that creates them.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::scope::{Checks, scoped};
use crate::shader::{Kernel, Variant};
use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll, Waker};

/// What a pipeline is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    pub(crate) variant: Variant,
    pub(crate) workgroup_size: u32,
}

/// The pipelines of one device.
#[derive(Debug)]
pub(crate) struct Pipelines {
    elements_layout: Layout,
    partials_layout: Layout,
    slots: Mutex<HashMap<PipelineKey, Arc<Slot>>>,
}

/// Locked while its pipeline is made, so that it is made once; others are not held up.
type Slot = Mutex<Option<wgpu::ComputePipeline>>;

#[derive(Debug)]
struct Layout {
    bindings: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

/// Binding numbers, the same in every kernel (see `shaders/README.md`).
pub(crate) mod binding {
    /// What is read: words or partials.
    pub(crate) const SOURCE: u32 = 0;
    /// The same bytes as 16-byte quads.
    pub(crate) const QUADS: u32 = 1;
    /// What is written.
    pub(crate) const TARGET: u32 = 2;
    /// The dispatch's parameters.
    pub(crate) const WINDOW: u32 = 3;
}

impl Pipelines {
    pub(crate) fn new(context: &Context) -> Result<Self> {
        let (pipelines, _) = scoped(&context.device, 0, || {
            use binding::{QUADS, SOURCE, TARGET, WINDOW};
            Ok(Self {
                elements_layout: Layout::new(&context.device, &[SOURCE, QUADS, TARGET, WINDOW]),
                partials_layout: Layout::new(&context.device, &[SOURCE, TARGET, WINDOW]),
                slots: Mutex::default(),
            })
        })?;
        Ok(pipelines)
    }

    pub(crate) fn bindings(&self, kernel: Kernel) -> &wgpu::BindGroupLayout {
        &self.layout(kernel).bindings
    }

    fn layout(&self, kernel: Kernel) -> &Layout {
        match kernel {
            Kernel::Elements => &self.elements_layout,
            Kernel::Partials => &self.partials_layout,
        }
    }

    /// The pipeline of `key`, made if need be.
    pub(crate) fn get(
        &self,
        context: &Context,
        key: PipelineKey,
        checks: &mut Checks,
    ) -> Result<wgpu::ComputePipeline> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(key).or_default())
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = &*slot {
            return Ok(pipeline.clone());
        }
        log::debug!("compiling {}, workgroups of {}", key.variant, key.workgroup_size);
        let (pipeline, outstanding) = self.create(context, key)?;
        checks.merge(outstanding);
        *slot = Some(pipeline.clone());
        Ok(pipeline)
    }

    fn create(
        &self,
        context: &Context,
        key: PipelineKey,
    ) -> Result<(wgpu::ComputePipeline, Checks)> {
        let label = key.variant.to_string();
        let mut module = None;
        let created = scoped(&context.device, 0, || {
            let module =
                module.insert(context.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(&label),
                    source: wgpu::ShaderSource::Wgsl(key.variant.wgsl().into()),
                }));
            let mut constants = vec![("WORKGROUP_SIZE", f64::from(key.workgroup_size))];
            if let (crate::Collective::Subgroup, Some(sizes)) =
                (key.variant.collective, context.caps.subgroups)
            {
                constants.push(("MAX_SUBGROUP_SIZE", f64::from(sizes.max)));
            }
            Ok(context.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&label),
                layout: Some(&self.layout(key.variant.kernel).pipeline),
                module,
                entry_point: Some("reduce"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    // Every kernel writes its workgroup memory before it reads it.
                    zero_initialize_workgroup_memory: false,
                },
                cache: None,
            }))
        });
        created.map_err(|error| shader_error(error, key.variant, module.as_ref()))
    }
}

/// `error` with file and line, where the compiler told them.
fn shader_error(error: Error, variant: Variant, module: Option<&wgpu::ShaderModule>) -> Error {
    let Error::Validation { message } = error else {
        return error;
    };
    let reported = module.and_then(|module| {
        let information = pin!(module.get_compilation_info());
        match information.poll(&mut task::Context::from_waker(Waker::noop())) {
            Poll::Ready(information) => information.messages.into_iter().find(is_error),
            Poll::Pending => None,
        }
    });
    let line = reported.as_ref().and_then(|m| m.location.as_ref()).map_or(0, |l| l.line_number);
    let (file, line) = variant.locate(line);
    let message = reported.map_or(message, |m| m.message);
    Error::Shader { file: format!("shaders/{file}"), line, message }
}

fn is_error(message: &wgpu::CompilationMessage) -> bool {
    message.message_type == wgpu::CompilationMessageType::Error
}

impl Layout {
    fn new(device: &wgpu::Device, numbers: &[u32]) -> Self {
        let entries: Vec<_> = numbers.iter().map(|&number| entry(number)).collect();
        let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("wgpu-reduce"),
            entries: &entries,
        });
        let pipeline = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("wgpu-reduce"),
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        Self { bindings, pipeline }
    }
}

fn entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let ty = match binding {
        binding::WINDOW => wgpu::BufferBindingType::Uniform,
        number => wgpu::BufferBindingType::Storage { read_only: number != binding::TARGET },
    };
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}
