//! What a run of a prepared request makes: nothing on the device, and on the heap no more than wgpu does for its commands.

use crate::GpuReducer;
use crate::Sum;
use crate::device::encode::{Ends, Ready};
use crate::device::mapping::unmap;
use crate::device::readback::Readback;
use crate::device::waiter::Patience;
use crate::plan::planned::Plan;
use allocation_counter::measure;

/// Runs that are counted together, after as many that fill what is kept.
const RUNS: u64 = 50;

/// Allocations of this thread by so many runs.
fn heap_allocations(mut run: impl FnMut()) -> u64 {
    (0..RUNS).for_each(|_| run());
    measure(|| (0..RUNS).for_each(|_| run())).count_total
}

/// The least that runs a plan and brings its result to the host with wgpu's errors caught.
struct Plain<'a> {
    reducer: &'a GpuReducer,
    plan: Plan,
    ready: Ready,
    readback: Readback,
}

impl<'a> Plain<'a> {
    fn new(reducer: &'a GpuReducer, plan: Plan, input: &wgpu::Buffer) -> Self {
        let context = &reducer.context;
        let readback = Readback::of_result(context, 8, false).unwrap();
        let ends = Ends { inputs: &[input], output: readback.target() };
        let ready = Ready::new(context, &reducer.pipelines, &plan.recording, ends).unwrap();
        Self { reducer, plan, ready, readback }
    }

    fn run(&mut self) -> u64 {
        let Self { reducer, plan, ready, readback } = self;
        let context = &reducer.context;
        readback.mapping.renew();
        let submission = context.scoped(0, || {
            let descriptor = wgpu::CommandEncoderDescriptor::default();
            let mut encoder = context.device.create_command_encoder(&descriptor);
            ready.play(context, &plan.recording, readback.target(), &mut encoder, None);
            readback.record(&mut encoder, 8);
            let submission = context.queue.submit([encoder.finish()]);
            readback.request(context);
            Ok(submission)
        });
        readback.mapping.wait(context, &submission.unwrap(), Patience::default()).unwrap();
        let buffer = readback.mapped();
        let total = bytemuck::pod_read_unaligned(&buffer.get_mapped_range(..8).unwrap());
        unmap(context, buffer).unwrap();
        total
    }
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
    // Who asks again and again allocates with each question.
    let reducer = reducer.with_spin(std::time::Duration::ZERO);
    let input = reducer.upload(&[1_u32, 2]).unwrap();
    let total = reducer.alloc::<u64>(1).unwrap();
    let request = reducer.reduce(Sum, &input);
    let back = request.prepare().unwrap();
    let stays = request.clone().output(&total).prepare().unwrap();
    let mut plain = Plain::new(&reducer, request.plan().unwrap(), input.as_wgpu());
    let by_wgpu = heap_allocations(|| assert_eq!(plain.run(), 3));
    let runs: [(&str, &dyn Fn()); 2] = [
        ("back", &|| assert_eq!(back.run(), Ok(3))),
        ("stays", &|| assert_eq!(stays.run(), Ok(()))),
    ];
    for (name, run) in runs {
        run();
        let before = (on_device(&reducer), reducer.pipelines.made());
        let ours = heap_allocations(run);
        assert!(ours <= by_wgpu, "{name}: {ours} allocations, but {by_wgpu} by wgpu");
        assert_eq!((on_device(&reducer), reducer.pipelines.made()), before, "{name}");
    }
}
