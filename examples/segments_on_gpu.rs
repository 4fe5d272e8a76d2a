//! Segments of unlike lengths, reduced by an operator of one's own. Their results stay on the GPU, where a pass of one's own
//! uses them: the softmax of each segment, and nothing comes back but that.
//!
//! ```sh
//! cargo run --release --example segments_on_gpu
//! ```

use std::error::Error;
use wgpu_reduce::{CustomOp, GpuBuffer, GpuReducer};

/// The largest element, and the sum of exponentials divided by that element's.
const LOG_SUM_EXP: &str = "
fn map(element: f32, index: u32) -> vec2<f32> { return vec2<f32>(element, 1.0); }

fn combine(left: vec2<f32>, right: vec2<f32>) -> vec2<f32> {
    let largest = max(left.x, right.x);
    let sum = left.y * exp(left.x - largest) + right.y * exp(right.x - largest);
    return vec2<f32>(largest, sum);
}

fn finish(total: vec2<f32>) -> f32 { return total.x + log(total.y); }";

/// The least finite number, as an identity from which any element can be subtracted.
const IDENTITY: [f32; 2] = [f32::MIN, 0.0];

/// A workgroup for each segment.
const SOFTMAX: &str = "
@group(0) @binding(0) var<storage, read_write> elements: array<f32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> log_sums: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) segment: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var i = offsets[segment.x] + lane; i < offsets[segment.x + 1u]; i += 64u) {
        elements[i] = exp(elements[i] - log_sums[segment.x]);
    }
}";

fn softmax(
    reducer: &GpuReducer,
    encoder: &mut wgpu::CommandEncoder,
    buffers: [&wgpu::Buffer; 3],
    segments: u32,
) {
    let device = reducer.device();
    let source = wgpu::ShaderSource::Wgsl(SOFTMAX.into());
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source }),
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let entries: Vec<_> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(segments, 1, 1);
}

fn main() -> Result<(), Box<dyn Error>> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());
    let log_sum_exp = CustomOp::<f32, [f32; 2], f32>::new(LOG_SUM_EXP, IDENTITY)?;

    let elements = reducer.upload(&[1000.0_f32, 1000.0, 0.0, -5.0, -5.0, -5.0, -5.0])?;
    let offsets = reducer.upload(&[0_u32, 2, 3, 7])?;
    let log_sums: GpuBuffer<f32> = reducer.alloc(3)?;

    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    reducer.reduce(&log_sum_exp, &elements).segments(&offsets).encode(&mut encoder, &log_sums)?;
    let buffers = [elements.as_wgpu(), offsets.as_wgpu(), log_sums.as_wgpu()];
    softmax(&reducer, &mut encoder, buffers, 3);
    reducer.queue().submit([encoder.finish()]);

    let shares = elements.download(&reducer)?;
    println!("softmax of each segment: {shares:?}");
    for (share, expected) in shares.iter().zip([0.5, 0.5, 1.0, 0.25, 0.25, 0.25, 0.25]) {
        assert!((share - expected).abs() < 1e-3, "{share} is not {expected}");
    }
    Ok(())
}
