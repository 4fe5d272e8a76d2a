//! What a run of a prepared request makes: nothing on the device, and on the heap nothing beside what wgpu makes for its commands.

use crate::device::encode::{Ends, Ready};
use crate::plan::planned::Plan;
use crate::{GpuReducer, Sum};
use allocation_counter::measure;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

/// Runs that are counted together, after as many that fill what is kept.
const RUNS: u64 = 50;

/// Allocations of this thread by so many runs.
fn heap_allocations(mut run: impl FnMut()) -> u64 {
    (0..RUNS).for_each(|_| run());
    measure(|| (0..RUNS).for_each(|_| run())).count_total
}

/// The least that runs a plan's commands in plain wgpu and brings the result to the host, with errors caught.
struct Plain<'a> {
    reducer: &'a GpuReducer,
    plan: Plan,
    ready: Ready,
    result: wgpu::Buffer,
    is_mapped: Arc<AtomicBool>,
}

impl<'a> Plain<'a> {
    fn new(reducer: &'a GpuReducer, plan: Plan, input: &wgpu::Buffer) -> Self {
        let result = reducer.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 64,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_DST
                | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let ends = Ends { inputs: &[input], output: &result };
        let (context, pipelines) = (&reducer.context, &reducer.pipelines);
        let ready = Ready::new(context, pipelines, &plan.recording, ends).unwrap();
        Self { reducer, plan, ready, result, is_mapped: Arc::default() }
    }

    fn run(&self) -> u64 {
        let Self { reducer, plan, ready, result, is_mapped } = self;
        let (device, queue) = (reducer.device(), reducer.queue());
        is_mapped.store(false, Ordering::Release);
        let submission = caught(device, || {
            let descriptor = wgpu::CommandEncoderDescriptor::default();
            let mut encoder = device.create_command_encoder(&descriptor);
            ready.play(&reducer.context, &plan.recording, result, &mut encoder, None);
            let submission = queue.submit([encoder.finish()]);
            let told = Arc::clone(is_mapped);
            result.map_async(wgpu::MapMode::Read, .., move |outcome| {
                told.store(outcome.is_ok(), Ordering::Release);
            });
            submission
        });
        while !is_mapped.load(Ordering::Acquire) {
            let submission_index = Some(submission.clone());
            device.poll(wgpu::PollType::Wait { submission_index, timeout: None }).unwrap();
        }
        let total = bytemuck::pod_read_unaligned(&result.get_mapped_range(..8).unwrap());
        caught(device, || result.unmap());
        total
    }
}

/// What `work` returns, of which wgpu has reported nothing.
fn caught<R>(device: &wgpu::Device, work: impl FnOnce() -> R) -> R {
    use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
    let [internal, memory, validation] =
        [Internal, OutOfMemory, Validation].map(|filter| device.push_error_scope(filter));
    let value = work();
    for told in [validation.pop(), memory.pop(), internal.pop()] {
        let told = pin!(told).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(told, Poll::Ready(None)), "{told:?}");
    }
    value
}

/// Buffers, groups and pipelines that there are on the device.
fn on_device(reducer: &GpuReducer) -> [isize; 3] {
    let counters = reducer.device().get_internal_counters().hal;
    [counters.buffers.read(), counters.bind_groups.read(), counters.compute_pipelines.read()]
}

#[test]
fn a_prepared_run_makes_nothing() {
    let Ok(reducer) = GpuReducer::new() else {
        assert!(std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some(), "no adapter");
        return;
    };
    // Each question to the device allocates, so it is asked once.
    let reducer = reducer.with_spin(std::time::Duration::ZERO);
    let input = reducer.upload(&[1_u32, 2]).unwrap();
    let total = reducer.alloc::<u64>(1).unwrap();
    let request = reducer.reduce(Sum, &input);
    let back = request.prepare().unwrap();
    let stays = request.clone().output(&total).prepare().unwrap();
    let plain = Plain::new(&reducer, request.plan().unwrap(), input.as_wgpu());
    let by_wgpu = heap_allocations(|| assert_eq!(plain.run(), 3));
    let runs: [(&str, &dyn Fn()); 2] = [
        ("back", &|| assert_eq!(back.run(), Ok(3))),
        ("stays", &|| assert_eq!(stays.run(), Ok(()))),
    ];
    for (name, run) in runs {
        run();
        let before = (on_device(&reducer), reducer.pipelines.made());
        let ours = heap_allocations(run);
        // wgpu's lists grow now and then.
        assert!(ours < by_wgpu + RUNS, "{name}: {ours} allocations, but {by_wgpu} by wgpu");
        assert_eq!((on_device(&reducer), reducer.pipelines.made()), before, "{name}");
    }
}
