//! A solver that asks for the norm of its residual in every step: the request is prepared once, and running it again plans,
//! looks up and allocates nothing.
//!
//! ```sh
//! cargo run --release --example residual
//! ```

use std::error::Error;
use wgpu_reduce::{GpuReducer, NormL2};

const LEN: u32 = 1 << 16;

/// Stands for a step of a solver: it halves the residual.
const STEP: &str = "
@group(0) @binding(0) var<storage, read_write> residual: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { residual[id.x] *= 0.5; }";

fn main() -> Result<(), Box<dyn Error>> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());
    let residual = reducer.upload(&vec![1.0_f32; 1 << 16])?;
    let norm = reducer.reduce(NormL2, &residual).prepare()?;

    let device = reducer.device();
    let source = wgpu::ShaderSource::Wgsl(STEP.into());
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source }),
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let resource = residual.as_wgpu().as_entire_binding();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
    });

    let mut steps = 0;
    loop {
        let found = norm.run()?;
        println!("after {steps} steps {found}");
        // 256 = √65536, halved each time.
        let expected = 256.0 * 0.5_f32.powi(steps);
        assert!((found - expected).abs() <= 1e-5 * expected);
        if found < 1e-3 {
            break;
        }
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(LEN / 64, 1, 1);
        drop(pass);
        reducer.queue().submit([encoder.finish()]);
        steps += 1;
    }
    assert_eq!(steps, 18);
    Ok(())
}
