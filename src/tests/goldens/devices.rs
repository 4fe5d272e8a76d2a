//! Devices that run nothing, with what a device says of itself.

use crate::api::reducer::GpuReducer;
use crate::device::context::Context;
use crate::device::pipeline::{PIPELINES_KEPT, Pipelines};
use crate::plan::caps::{Caps, DOUBLES};
use std::sync::Arc;

/// Names, and reducers.
pub(crate) fn all() -> [(&'static str, GpuReducer); 3] {
    [("gpu", gpu()), ("least", least()), ("tight", tight())]
}

/// One of NVIDIA's.
fn gpu() -> GpuReducer {
    let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, wgpu::Backend::Vulkan);
    info.vendor = 0x10de;
    "NVIDIA".clone_into(&mut info.driver);
    (info.subgroup_min_size, info.subgroup_max_size) = (32, 32);
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: (2 << 30) - 4,
        max_buffer_size: 1 << 40,
        max_storage_buffers_per_shader_stage: 64,
        min_storage_buffer_offset_alignment: 16,
        min_uniform_buffer_offset_alignment: 64,
        max_compute_workgroups_per_dimension: 65_535,
        max_compute_workgroup_size_x: 1024,
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_storage_size: 48 << 10,
        ..wgpu::Limits::defaults()
    };
    let features = wgpu::Features::SUBGROUP | wgpu::Features::SHADER_FLOAT32_ATOMIC | DOUBLES;
    with(Caps::new(&limits, features, &info))
}

/// What every implementation of WebGPU promises.
fn least() -> GpuReducer {
    with(Caps::baseline())
}

/// A software adapter on which inputs of thousands of elements need several bindings, and grids have two sides.
fn tight() -> GpuReducer {
    let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::Cpu, wgpu::Backend::Vulkan);
    (info.subgroup_min_size, info.subgroup_max_size) = (4, 8);
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: 64 << 10,
        max_compute_workgroups_per_dimension: 3,
        max_storage_buffers_per_shader_stage: 8,
        ..wgpu::Limits::downlevel_defaults()
    };
    with(Caps::new(&limits, wgpu::Features::SUBGROUP | DOUBLES, &info))
}

fn with(caps: Caps) -> GpuReducer {
    let noop = wgpu::NoopBackendOptions { enable: true, ..wgpu::NoopBackendOptions::default() };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::NOOP,
        backend_options: wgpu::BackendOptions { noop, ..wgpu::BackendOptions::default() },
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let adapter = adapter.expect("it is always there");
    let opened = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()));
    let (device, queue) = opened.expect("it opens");
    let info = adapter.get_info();
    let mut context =
        Context::new(device, queue, info, wgpu::Features::empty(), Arc::default()).unwrap();
    context.caps = caps;
    let pipelines = Pipelines::new(&context, PIPELINES_KEPT, None);
    GpuReducer::with_context(context, pipelines)
}
