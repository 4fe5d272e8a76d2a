//! A device, a buffer and an encoder that a program has already: a pass of its own writes the numbers, the reduction
//! follows in the same submission, and the result stays on the GPU, in the program's buffer.
//!
//! ```sh
//! cargo run --release --example own_device
//! ```

use std::error::Error;
use wgpu_reduce::{GpuBuffer, GpuReducer, Sum};

const LEN: u32 = 1 << 20;

/// Writes 0, 1, 2 and so on.
const COUNT_UP: &str = "
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&numbers) {
        numbers[id.x] = id.x;
    }
}";

/// What a program that draws or computes with wgpu has in any case.
async fn device() -> Result<(wgpu::Device, wgpu::Queue), Box<dyn Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    // With subgroups sums are faster; without they work, too.
    let required_features = adapter.features() & wgpu::Features::SUBGROUP;
    let descriptor = wgpu::DeviceDescriptor { required_features, ..Default::default() };
    Ok(adapter.request_device(&descriptor).await?)
}

/// Records a pass that fills the buffer.
fn count_up(device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder, buffer: &wgpu::Buffer) {
    let source = wgpu::ShaderSource::Wgsl(COUNT_UP.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let entry = wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() };
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[entry],
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(LEN.div_ceil(256), 1, 1);
}

fn main() -> Result<(), Box<dyn Error>> {
    let (device, queue) = pollster::block_on(device())?;
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4 * u64::from(LEN),
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });

    let reducer = GpuReducer::from_wgpu(device.clone(), queue.clone())?;
    println!("on {}", reducer.adapter_label());
    let numbers = GpuBuffer::<u32>::from_wgpu(buffer.clone(), 0, LEN.into())?;
    let total = reducer.alloc::<u64>(1)?;

    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    count_up(&device, &mut encoder, &buffer);
    reducer.reduce(Sum, &numbers).encode(&mut encoder, &total)?;
    // Passes that read `total` could follow here.
    queue.submit([encoder.finish()]);

    let sum = total.download(&reducer)?[0];
    println!("0 + 1 + ... + {} = {sum}", LEN - 1);
    assert_eq!(sum, u64::from(LEN) * u64::from(LEN - 1) / 2);
    Ok(())
}
