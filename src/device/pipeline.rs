//! Pipelines: created lazily, once per key, and kept, up to a number. The one place that creates them.

use crate::device::adapter::label;
use crate::device::context::Context;
use crate::device::pipeline_store::PipelineStore;
use crate::device::scope::Subject;
use crate::error::{Error, Result};
use crate::plan::recording::{Constants, PlannedPass, binding};
use crate::shader::Shader;
use crate::shader::deep_stack::with_deep_stack;
use crate::trusted::{compilation_options, create_module};
use lru::LruCache;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What a pipeline is known by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct PipelineKey {
    shader: Shader,
    constants: Constants,
}

/// How many are kept unless [`Options::pipelines_kept`](crate::Options::pipelines_kept) says otherwise:
/// several for each operation and type that a program is likely to need.
pub(crate) const PIPELINES_KEPT: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// The pipelines of one device.
#[derive(Debug)]
pub(crate) struct Pipelines {
    /// Those used last.
    slots: Mutex<LruCache<PipelineKey, Arc<Slot>>>,
    /// By the numbers of their bindings.
    layouts: Mutex<HashMap<Vec<u32>, wgpu::BindGroupLayout>>,
    /// How many have been made.
    made: AtomicUsize,
    /// Late failures of the device that those in the slots, and the layouts, have been made after.
    late_failures: AtomicUsize,
    /// What the driver keeps of them for the next process, if it is to.
    store: Option<PipelineStore>,
}

/// Locked while its pipeline is made, so that it is made once; others are not held up.
type Slot = Mutex<Option<Pipeline>>;

/// A compiled shader and the layout of its bindings.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline {
    pub(crate) compute: wgpu::ComputePipeline,
    pub(crate) bindings: wgpu::BindGroupLayout,
}

impl Pipelines {
    /// None yet; so many are kept, and what they are compiled to in `folder`.
    pub(crate) fn new(context: &Context, most: NonZeroUsize, folder: Option<&Path>) -> Self {
        Self {
            slots: Mutex::new(LruCache::new(most)),
            layouts: Mutex::default(),
            made: AtomicUsize::new(0),
            late_failures: AtomicUsize::new(0),
            store: folder.and_then(|folder| PipelineStore::open(context, folder)),
        }
    }

    /// How many have been made.
    pub(crate) fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    /// Forgets them: they are made anew.
    #[cfg(test)]
    pub(crate) fn forget(&self) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Keeps what they are compiled to for the next process, where that is wanted.
    pub(crate) fn store(&self) {
        if let Some(store) = &self.store {
            store.store();
        }
    }

    /// The pipeline of `pass`, made if need be.
    pub(crate) fn get(&self, context: &Context, pass: &PlannedPass) -> Result<Pipeline> {
        let key = PipelineKey { shader: pass.shader.clone(), constants: pass.constants.clone() };
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            let failures = context.late_failures.load(Ordering::Relaxed);
            if self.late_failures.swap(failures, Ordering::Relaxed) != failures {
                slots.clear();
                self.layouts.lock().unwrap_or_else(PoisonError::into_inner).clear();
            }
            Arc::clone(slots.get_or_insert(key, Arc::default))
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = &*slot {
            return Ok(pipeline.clone());
        }
        log::debug!("compiling {} with {:?}", pass.shader, pass.constants);
        let bindings = self.layout(context, pass.binding_numbers())?;
        let cache = self.store.as_ref().map(PipelineStore::cache);
        let create = || create(context, pass, &bindings, cache);
        let compute = if pass.shader.is_trusted() { create() } else { with_deep_stack(create) }?;
        self.made.fetch_add(1, Ordering::Relaxed);
        if let Some(store) = &self.store {
            store.note_made();
        }
        let pipeline = Pipeline { compute, bindings };
        *slot = Some(pipeline.clone());
        Ok(pipeline)
    }

    /// The layout with these bindings, made if need be. Pipelines share them.
    fn layout(&self, context: &Context, numbers: Vec<u32>) -> Result<wgpu::BindGroupLayout> {
        let mut layouts = self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = layouts.get(&numbers) {
            return Ok(layout.clone());
        }
        check_storage_buffers(context, &numbers)?;
        let entries: Vec<_> = numbers.iter().map(|&number| entry(number)).collect();
        let layout = context.scoped(0, || {
            Ok(context.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("wgpu-reduce"),
                entries: &entries,
            }))
        })?;
        layouts.insert(numbers, layout.clone());
        Ok(layout)
    }
}

/// Fails where a shader may not have so many.
fn check_storage_buffers(context: &Context, numbers: &[u32]) -> Result<()> {
    let most = context.caps.max_storage_buffers;
    let count = numbers.iter().filter(|&&number| number != binding::PARAMETERS).count();
    if u32::try_from(count).is_ok_and(|count| count <= most) {
        return Ok(());
    }
    Err(Error::Unsupported {
        what: format!("{count} storage buffers in one shader, but {most}"),
        adapter: label(&context.info),
    })
}

fn create(
    context: &Context,
    pass: &PlannedPass,
    bindings: &wgpu::BindGroupLayout,
    cache: Option<&wgpu::PipelineCache>,
) -> Result<wgpu::ComputePipeline> {
    let label = pass.shader.to_string();
    let device = &context.device;
    let guarded = context.guarded_shaders || !pass.shader.is_trusted();
    let subject = |(module, _): &(wgpu::ShaderModule, _)| {
        Subject::Shader(pass.shader.clone(), module.clone())
    };
    let created = context.scoped_about(subject, || {
        #[cfg(test)]
        context.meet(crate::tests::faults::Fault::Compilation)?;
        let source = source(context, pass);
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(&label), source };
        let module = create_module(device, descriptor, guarded);
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("wgpu-reduce"),
            bind_group_layouts: &[Some(bindings)],
            immediate_size: 0,
        });
        let constants: Vec<_> =
            pass.constants.iter().map(|&(name, value)| (name, f64::from(value))).collect();
        let compute = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&label),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(pass.shader.entry_point()),
            compilation_options: compilation_options(&constants, context.guarded_shaders),
            cache,
        });
        Ok((module, compute))
    });
    created.map(|(_, compute)| compute)
}

/// What the device's compiler is given.
fn source(context: &Context, pass: &PlannedPass) -> wgpu::ShaderSource<'static> {
    let text = text(context, &pass.shader);
    #[cfg(feature = "rewritten")]
    if let Some(rewrite) = context.rewrite {
        let module = rewrite(&text, pass.shader.entry_point(), &pass.constants);
        return wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module));
    }
    wgpu::ShaderSource::Wgsl(text.into())
}

/// The text as the device's compiler takes it.
fn text(context: &Context, shader: &Shader) -> String {
    let is_browser = context.info.backend == wgpu::Backend::BrowserWebGpu;
    if !is_browser || context.caps.subgroups.is_none() || !shader.is_trusted() {
        return shader.wgsl();
    }
    shader.browser_wgsl()
}

fn entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let ty = match binding {
        binding::PARAMETERS => wgpu::BufferBindingType::Uniform,
        number => wgpu::BufferBindingType::Storage { read_only: binding::is_read_only(number) },
    };
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}
