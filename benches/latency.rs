//! The call as its user sees it, and where its time goes; see `METHODOLOGY.md`.
//!
//! `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wgpu_reduce::{AdapterClass, Error, GpuBuffer, GpuReducer, GpuSlice, Pending, Result, Sum};
use wgpu_reduce_known::{Arguments, Times, hash, is_near};

/// log2 of the lengths of single calls. The last is for GPUs only.
const SIZES: [u32; 3] = [10, 20, 28];

/// log2 of the length of which there are many, and whose call is taken apart.
const SHORT: u32 = 10;

/// Calls that are one after another, or in flight together.
const MANY: usize = 1000;

/// How often everything is done; once is enough to see that it works.
#[derive(Debug, Clone, Copy)]
struct Repetitions {
    warm_up: usize,
    calls: usize,
    many: usize,
}

const MEASURED: Repetitions = Repetitions { warm_up: 20, calls: 301, many: 9 };
const TRIED: Repetitions = Repetitions { warm_up: 0, calls: 1, many: 1 };

/// Element `index`: of 12 bits, so that sums of 2^12 of them are exact in any order.
#[expect(clippy::cast_precision_loss, reason = "12 bits")]
fn element(index: u64) -> f32 {
    (hash(index) >> 20) as f32 / 4096.0
}

/// Elements on the GPU, and what the first of them sum to.
struct Subject<'a> {
    reducer: &'a GpuReducer,
    buffer: GpuBuffer<f32>,
    sums: Vec<(u32, f64)>,
}

impl<'a> Subject<'a> {
    /// Takes the largest of `sizes` that there is memory for.
    fn new(reducer: &'a GpuReducer, sizes: &[u32]) -> Self {
        let (&largest, smaller) = sizes.split_last().expect("the smallest fits everywhere");
        let buffer = match reducer.alloc(1 << largest) {
            Err(Error::OutOfMemory { .. }) => {
                println!("2^{largest} is left out: there is no memory for it\n");
                return Self::new(reducer, smaller);
            }
            buffer => buffer.expect("the buffer is made"),
        };
        let mut sums = Vec::new();
        let (mut start, mut sum) = (0_u64, 0.0);
        for &size in sizes {
            while start < 1 << size {
                let end = (start + (1 << 22)).min(1 << size);
                let chunk: Vec<f32> = (start..end).map(element).collect();
                reducer
                    .write(buffer.slice(start..).expect("it is there"), &chunk)
                    .expect("written");
                sum += chunk.iter().copied().map(f64::from).sum::<f64>();
                start = end;
            }
            sums.push((size, sum));
        }
        Self { reducer, buffer, sums }
    }

    fn slice(&self, size: u32) -> GpuSlice<'_, f32> {
        self.buffer.slice(..1_u64 << size).expect("it is there")
    }

    /// Panics on a wrong answer: a time for it would mean nothing.
    fn check(&self, size: u32, sum: f32, expected: f64) {
        let plan = self.reducer.reduce(Sum, self.slice(size)).plan().expect("it has a plan");
        let is_right = is_near(sum, expected, plan.accuracy().error_bound(expected));
        assert!(is_right, "2^{size}: {sum} is not {expected}");
    }

    /// How long the call takes, in its two parts.
    fn call(&self, size: u32, expected: f64) -> [Duration; 2] {
        let (sum, parts) = call_in_parts(self.reducer, self.slice(size));
        self.check(size, sum, expected);
        parts
    }

    /// On the GPU, if it says how long that takes.
    fn gpu(&self, size: u32, expected: f64) -> Option<Duration> {
        let timed =
            self.reducer.reduce(Sum, self.slice(size)).timed().start().and_then(Pending::wait);
        let timed = timed.expect("the sum runs");
        self.check(size, timed.value, expected);
        timed.gpu_ns.map(|ns| Duration::from_secs_f64(ns * 1e-9))
    }
}

/// Single calls, with the GPU idle before each.
fn single_calls(reducer: &GpuReducer, repetitions: Repetitions) {
    let caps = reducer.caps();
    let sizes: Vec<u32> = SIZES
        .into_iter()
        .filter(|&size| size < 28 || caps.class == AdapterClass::Gpu)
        .filter(|&size| 4 << size <= caps.max_buffer_bytes)
        .collect();
    let subject = Subject::new(reducer, &sizes);
    println!("`sum` of f32, median of {} calls:\n", repetitions.calls);
    println!(
        "| elements | GPU µs | call µs | call − GPU µs | `reduce` µs | `wait` − GPU µs | fastest µs \
         | 90 % below µs | spread % |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for &(size, expected) in &subject.sums {
        // Apart, since a call that is timed on the GPU leaves more to clean up.
        let runs = 0..repetitions.warm_up + repetitions.calls;
        let calls: Vec<_> = runs.clone().map(|_| subject.call(size, expected)).collect();
        let gpu: Vec<_> = runs.map(|_| subject.gpu(size, expected)).collect();
        let calls = &calls[repetitions.warm_up..];
        let [reduce, wait] = [0, 1].map(|part| median(calls.iter().map(|parts| parts[part])));
        let gpu = median(gpu[repetitions.warm_up..].iter().copied().flatten());
        let calls = times(calls.iter().map(|[reduce, wait]| *reduce + *wait));
        let Times { least, median: call, ninth_decile, spread } = calls.expect("calls take time");
        println!(
            "| 2^{size} | {} | {} | {} | {} | {} | {} | {} | {spread:.1} |",
            microseconds(gpu),
            microseconds(Some(call)),
            microseconds(gpu.map(|gpu| (call - gpu).max(0.0))),
            microseconds(reduce),
            microseconds(wait.zip(gpu).map(|(wait, gpu)| (wait - gpu).max(0.0))),
            microseconds(Some(least)),
            microseconds(Some(ninth_decile)),
        );
    }
    println!();
}

/// In microseconds.
fn times(times: impl IntoIterator<Item = Duration>) -> Option<Times> {
    Times::of(times.into_iter().map(|time| time.as_secs_f64() * 1e6).collect())
}

/// In microseconds, too.
fn median(of: impl IntoIterator<Item = Duration>) -> Option<f64> {
    times(of).map(|times| times.median)
}

/// What gives the time since it was last asked.
fn laps() -> impl FnMut() -> Duration {
    let mut last = Instant::now();
    move || {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut last, now))
    }
}

fn microseconds(time: Option<f64>) -> String {
    time.map_or("-".into(), |us| format!("{us:.1}"))
}

/// The steps of a call in plain wgpu, in order.
const STEPS: [&str; 7] =
    ["create encoder", "record", "finish", "submit", "map_async", "poll until mapped", "read"];

/// The least that a sum in plain wgpu takes: one dispatch of one workgroup, with everything that can be
/// made before made before.
struct Floor<'a> {
    reducer: &'a GpuReducer,
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    result: wgpu::Buffer,
    /// Where the result is copied to, unless the host can map it.
    copy: Option<wgpu::Buffer>,
}

/// The sum of 2^10 elements.
const FLOOR: &str = "
    @group(0) @binding(0) var<storage, read> values: array<f32, 1024>;
    @group(0) @binding(1) var<storage, read_write> total: f32;
    var<workgroup> partials: array<f32, 256>;

    @compute @workgroup_size(256)
    fn main(@builtin(local_invocation_index) lane: u32) {
        partials[lane] =
            values[lane] + values[lane + 256u] + values[lane + 512u] + values[lane + 768u];
        for (var half = 128u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if lane < half {
                partials[lane] += partials[lane + half];
            }
        }
        if lane == 0u {
            total = partials[0];
        }
    }
";

impl<'a> Floor<'a> {
    fn new(reducer: &'a GpuReducer, values: &GpuBuffer<f32>, is_copied: bool) -> Self {
        use wgpu::BufferUsages as Usages;
        let device = reducer.device();
        let buffer = |usage| {
            let size = size_of::<f32>() as u64;
            let descriptor =
                wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
            device.create_buffer(&descriptor)
        };
        let reached_by = if is_copied { Usages::COPY_SRC } else { Usages::MAP_READ };
        let result = buffer(Usages::STORAGE | reached_by);
        let copy = is_copied.then(|| buffer(Usages::COPY_DST | Usages::MAP_READ));
        let source = wgpu::ShaderSource::Wgsl(FLOOR.into());
        let module =
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: values.as_wgpu().as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: result.as_entire_binding() },
            ],
        });
        Self { reducer, pipeline, bindings, result, copy }
    }

    /// The sum, and how long each step took.
    fn call(&self) -> (f32, [Duration; STEPS.len()]) {
        let (device, queue) = (self.reducer.device(), self.reducer.queue());
        let mapped = self.copy.as_ref().unwrap_or(&self.result);
        let is_mapped = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_mapped);
        let mut lap = laps();

        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let create = lap();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        if let Some(copy) = &self.copy {
            encoder.copy_buffer_to_buffer(&self.result, 0, copy, 0, copy.size());
        }
        let record = lap();
        let commands = encoder.finish();
        let finish = lap();
        queue.submit([commands]);
        let submit = lap();
        mapped.map_async(wgpu::MapMode::Read, .., move |outcome| {
            outcome.expect("the result can be mapped");
            told.store(true, Ordering::Release);
        });
        let map = lap();
        while !is_mapped.load(Ordering::Acquire) {
            device.poll(self.poll_type()).expect("the device is there");
        }
        let poll = lap();
        let view = mapped.get_mapped_range(..).expect("it is mapped");
        let sum = bytemuck::pod_read_unaligned(&view);
        drop(view);
        mapped.unmap();
        (sum, [create, record, finish, submit, map, poll, lap()])
    }

    /// As the library waits: a software adapter needs the core that spinning would take.
    fn poll_type(&self) -> wgpu::PollType {
        match self.reducer.caps().class {
            AdapterClass::Cpu => wgpu::PollType::wait_indefinitely(),
            _ => wgpu::PollType::Poll,
        }
    }
}

/// Our call in two parts: until [`GpuReducer::reduce`] returns, and until the value is there.
fn call_in_parts(reducer: &GpuReducer, values: GpuSlice<'_, f32>) -> (f32, [Duration; 2]) {
    let mut lap = laps();
    let pending = reducer.reduce(Sum, values).start().expect("the sum starts");
    let reduce = lap();
    let sum = pending.wait().expect("the sum runs");
    (sum, [reduce, lap()])
}

/// Where the time of a short call goes, ours beside plain wgpu's. They take turns.
fn profile(reducer: &GpuReducer, repetitions: Repetitions) {
    let elements: Vec<f32> = (0..1 << SHORT).map(element).collect();
    let expected: f32 = elements.iter().sum();
    let values = reducer.upload(&elements).expect("the data fits");
    let direct = reducer.caps().mappable_results.then(|| Floor::new(reducer, &values, false));
    let floors = [direct, Some(Floor::new(reducer, &values, true))];
    let mut floor_times = [Vec::new(), Vec::new()];
    let mut our_times = Vec::new();
    let prepared = reducer.reduce(Sum, &values).prepare().expect("the sum is prepared");
    let mut prepared_times = Vec::new();
    for repetition in 0..repetitions.warm_up + repetitions.calls {
        for (floor, times) in floors.iter().zip(&mut floor_times) {
            let Some((sum, steps)) = floor.as_ref().map(Floor::call) else { continue };
            assert!(sum.total_cmp(&expected).is_eq(), "plain wgpu: {sum} is not {expected}");
            if repetition >= repetitions.warm_up {
                times.push(steps);
            }
        }
        let (sum, parts) = call_in_parts(reducer, (&values).into());
        assert!(sum.total_cmp(&expected).is_eq(), "{sum} is not {expected}");
        let start = Instant::now();
        let again = prepared.run().expect("the sum runs");
        let time = start.elapsed();
        assert!(again.total_cmp(&expected).is_eq(), "{again} is not {expected}");
        if repetition >= repetitions.warm_up {
            our_times.push(parts);
            prepared_times.push(time);
        }
    }

    println!("A call at 2^{SHORT} in plain wgpu, step by step, and ours; medians of µs:\n");
    println!("| step | result mapped in place | spread % | result copied | spread % |");
    println!("|---|---:|---:|---:|---:|");
    for (index, step) in STEPS.iter().enumerate() {
        let of_step = |times: &Vec<[Duration; STEPS.len()]>| {
            with_spread(times.iter().map(|steps| steps[index]))
        };
        let [direct, copied] = [&floor_times[0], &floor_times[1]].map(of_step);
        println!("| {step} | {direct} | {copied} |");
    }
    let whole = |times: &Vec<[Duration; STEPS.len()]>| {
        with_spread(times.iter().map(|steps| steps.iter().sum()))
    };
    println!("| plain wgpu, all | {} | {} |", whole(&floor_times[0]), whole(&floor_times[1]));
    let ours = |part: fn(&[Duration; 2]) -> Duration| with_spread(our_times.iter().map(part));
    let is_copied = !reducer.caps().mappable_results;
    for (name, time) in [
        ("`reduce`", ours(|parts| parts[0])),
        ("`wait`", ours(|parts| parts[1])),
        ("`sum`", ours(|parts| parts[0] + parts[1])),
        ("`run` of what is prepared", with_spread(prepared_times.iter().copied())),
    ] {
        let nothing = with_spread([]);
        let (direct, copied) = if is_copied { (nothing, time) } else { (time, nothing) };
        println!("| ours: {name} | {direct} | {copied} |");
    }
    println!();
}

/// Two cells: the median in microseconds, and what lies between the quartiles in percent of it. Empty without a time.
fn with_spread(of: impl IntoIterator<Item = Duration>) -> String {
    let shown = |Times { median, spread, .. }| format!("{median:.1} | {spread:.1}");
    times(of).map_or_else(|| " | ".to_owned(), shown)
}

/// A way to do many reductions: its name, and the sums that it gives.
type Way = (&'static str, fn(&GpuReducer, &[GpuSlice<'_, f32>]) -> Result<Vec<f32>>);

/// The first is what the others are compared with.
const WAYS: [Way; 3] = [
    ("`sum`, one after another", one_by_one),
    ("`reduce` all, `wait` for all", together),
    ("`batch`", in_one_submission),
];

fn one_by_one(reducer: &GpuReducer, inputs: &[GpuSlice<'_, f32>]) -> Result<Vec<f32>> {
    inputs.iter().map(|&input| reducer.sum(input)).collect()
}

fn together(reducer: &GpuReducer, inputs: &[GpuSlice<'_, f32>]) -> Result<Vec<f32>> {
    let pending: Vec<_> =
        inputs.iter().map(|&input| reducer.reduce(Sum, input).start()).collect::<Result<_>>()?;
    pending.into_iter().map(Pending::wait).collect()
}

fn in_one_submission(reducer: &GpuReducer, inputs: &[GpuSlice<'_, f32>]) -> Result<Vec<f32>> {
    reducer
        .batch(inputs.iter().map(|&input| reducer.reduce(Sum, input)).collect::<Vec<_>>())
        .start()?
        .wait()
}

/// Many short sums. The ways take turns.
fn many_calls(reducer: &GpuReducer, repetitions: Repetitions) {
    let elements: Vec<f32> = (0..(MANY as u64) << SHORT).map(element).collect();
    let values = reducer.upload(&elements).expect("the data fits");
    let inputs: Vec<_> = (0..MANY as u64)
        .map(|index| values.slice(index << SHORT..(index + 1) << SHORT).expect("it is there"))
        .collect();
    let expected: Vec<f32> = elements.chunks(1 << SHORT).map(|part| part.iter().sum()).collect();
    let mut times_of_ways = WAYS.map(|_| Vec::new());
    for repetition in 0..=repetitions.many {
        for ((name, way), times) in WAYS.iter().zip(&mut times_of_ways) {
            let start = Instant::now();
            let sums = way(reducer, &inputs).expect("the sums run");
            let time = start.elapsed();
            assert_eq!(sums, expected, "{name}");
            // The first warms up.
            if repetition > 0 {
                times.push(time);
            }
        }
    }
    println!("{MANY} independent sums of 2^{SHORT}, median of {} times:\n", repetitions.many);
    println!("| way | all ms | spread % | each µs | times as fast |\n|---|---:|---:|---:|---:|");
    let all = times_of_ways.map(|of| times(of).expect("it ran"));
    for ((name, _), Times { median, spread, .. }) in WAYS.iter().zip(&all) {
        #[expect(clippy::cast_precision_loss, reason = "a count of thousands")]
        let each = median / MANY as f64;
        let (ms, speed_up) = (median / 1e3, all[0].median / median);
        println!("| {name} | {ms:.2} | {spread:.1} | {each:.2} | {speed_up:.1} |");
    }
}

fn main() {
    env_logger::init();
    let repetitions = if Arguments::given().is_bench { MEASURED } else { TRIED };
    let reducer = GpuReducer::new().expect("an adapter is needed");
    let info = reducer.adapter_info();
    println!("adapter: {}, driver {} {}\n", reducer.adapter_label(), info.driver, info.driver_info);
    single_calls(&reducer, repetitions);
    profile(&reducer, repetitions);
    many_calls(&reducer, repetitions);
}
