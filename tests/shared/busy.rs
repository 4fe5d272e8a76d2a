//! A device at work for as long as a test needs, however fast it is.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A loop of one invocation: it needs no memory, and one turn waits for the one before.
const TEXT: &str = "
    @group(0) @binding(0) var<storage, read_write> number: u32;
    @compute @workgroup_size(1) fn work() {
        var mixed = number;
        for (var turn = 0u; turn < 32768u; turn++) {
            mixed = (mixed ^ (mixed >> 7u)) * 1664525u + turn;
        }
        number = mixed;
    }";

/// Binary logarithms of how many loops there are in the tries of a test: some milliseconds of a fast GPU, up to many seconds.
const TRIES: Range<u32> = 5..16;

/// Work for one device.
pub(crate) struct Busy {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

impl Busy {
    /// Compiles the loop.
    pub(crate) fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let source = wgpu::ShaderSource::Wgsl(TEXT.into());
        let module =
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let number = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: number.as_entire_binding() }],
        });
        Self { device: device.clone(), queue: queue.clone(), pipeline, group }
    }

    /// Gives the device one submission of so many loops, each of which begins when the one before has ended. Some drivers leave a
    /// loop after 65 536 turns.
    pub(crate) fn occupy(&self, loops: u32) -> Work {
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        (0..loops).for_each(|_| pass.dispatch_workgroups(1, 1, 1));
        drop(pass);
        self.queue.submit([encoder.finish()]);
        let is_done = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_done);
        self.queue.on_submitted_work_done(move || told.store(true, Ordering::Release));
        Work { device: self.device.clone(), is_done }
    }
}

/// What a device has been occupied with.
pub(crate) struct Work {
    device: wgpu::Device,
    is_done: Arc<AtomicBool>,
}

impl Work {
    /// Whether the device is still at it, and so has begun nothing that was submitted later. No device that is lost is.
    pub(crate) fn goes_on(&self) -> bool {
        let is_there = self.device.poll(wgpu::PollType::Poll).is_ok();
        is_there && !self.is_done.load(Ordering::Acquire)
    }
}

/// Tries with more and more work for the device, until it was still at it when the try was over: only then is it sure that nobody
/// has waited for the device. Each try is told how many loops to occupy it with, and says whether they went on. Returns whether there was
/// such a try.
pub(crate) fn until_busy<E>(mut attempt: impl FnMut(u32) -> Result<bool, E>) -> Result<bool, E> {
    for log2 in TRIES {
        if attempt(1 << log2)? {
            return Ok(true);
        }
    }
    Ok(false)
}
