//! Sums of segments in GPU time and as the caller sees them; see `METHODOLOGY.md`.
//!
//!     cargo bench --bench segments -- [LOG2 OF THE ELEMENTS, 26] [REPETITIONS, 21] [TUNING]
//!
//! TUNING is `WORKGROUP_SIZE,QUADS,MAX_WORKGROUPS`, as `128,5,2112`. Prints CSV, a line for each shape of
//! segments, and one for runs of equal keys: bytes are those of values, offsets and results, each once; times are medians of microseconds.
//! Every answer is compared with a sum on the host. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the
//! adapter. `benches/peers/segments.sh` sets CUB beside it.

use std::time::Instant;
use wgpu_reduce::{
    ElementKind, GpuBuffer, GpuReducer, Operation, Pending, Plan, SegmentsTuning, Sum,
};
use wgpu_reduce_known::{hash, uniform};

/// Segments of `len` elements together, each as long as `length` says of its number.
fn offsets_of(len: u32, length: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut offsets = vec![0];
    let mut end = 0;
    while end < len {
        let number = u32::try_from(offsets.len() - 1).expect("there are no more than elements");
        end += length(number).min(len - end);
        offsets.push(end);
    }
    offsets
}

/// 4 / u for uniform u, at most 2^22: as many elements in segments of 4 to 8 as of 1024 to 2048.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length")]
fn ragged(number: u32) -> u32 {
    let uniform = (f64::from(hash(u64::from(number) + 1) >> 8) + 0.5) / f64::from(1 << 24);
    (4.0 / uniform).min(f64::from(1 << 22)) as u32
}

struct Case {
    name: &'static str,
    offsets: Vec<u32>,
}

fn cases(len: u32) -> Vec<Case> {
    let case = |name, offsets| Case { name, offsets };
    let empty = std::iter::repeat_n(len / 2, 1 << 20);
    vec![
        case("ragged", offsets_of(len, ragged)),
        case("one", vec![0, len]),
        case("of 16", offsets_of(len, |_| 16)),
        case("of 1 to 4", offsets_of(len, |number| 1 + (hash(number.into()) >> 16) % 4)),
        case("of 2^16", offsets_of(len, |_| 1 << 16)),
        case("2^20 empty in one", [0].into_iter().chain(empty).chain([len]).collect()),
    ]
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn parse(text: &str) -> SegmentsTuning {
    let numbers: Vec<u32> =
        text.split(',').map(|number| number.parse().expect("a number")).collect();
    let [workgroup_size, quads, max_workgroups] = numbers[..] else {
        panic!("{text} is not three numbers");
    };
    SegmentsTuning { workgroup_size, quads, max_workgroups }
}

/// Runs of 1 to 31 equal keys, as in `peers/segments.cu`.
fn by_key(reducer: &GpuReducer, input: &GpuBuffer<f32>, values: &[f32], repetitions: u32) {
    let len = u32::try_from(values.len()).expect("it is a power of two below");
    let offsets = offsets_of(len, |number| 1 + (hash(number.into()) >> 16) % 31);
    let keys: Vec<u32> = (0..)
        .zip(offsets.windows(2))
        .flat_map(|(key, ends)| std::iter::repeat_n(key, (ends[1] - ends[0]) as usize))
        .collect();
    let keys = reducer.upload(&keys).expect("the keys fit");
    let plan = reducer.plan_by_key(Sum, &keys, input).expect("it has a plan");
    let (mut gpu_us, mut call_us) = (Vec::new(), Vec::new());
    for repetition in 0..repetitions + 2 {
        let start = Instant::now();
        let pending = reducer.reduce_by_key_timed(Sum, &keys, input);
        let timed = pending.and_then(Pending::wait).expect("it runs");
        let passed = start.elapsed().as_secs_f64() * 1e6;
        assert_eq!(timed.value.len(), offsets.len() - 1, "by key: runs");
        for ((ends, number), &(key, sum)) in offsets.windows(2).zip(0..).zip(&timed.value) {
            let run = &values[ends[0] as usize..ends[1] as usize];
            assert_eq!(key, number, "by key");
            check(run, sum, &plan.of_run(run.len() as u64), "by key");
        }
        if repetition >= 2 {
            gpu_us.extend(timed.gpu_ns.map(|ns| ns / 1e3));
            call_us.push(passed);
        }
    }
    // Keys and values, and for each run its key and its sum.
    let bytes = 8 * values.len() + 8 * (offsets.len() - 1);
    print("by key", [values.len(), offsets.len() - 1, bytes], gpu_us, call_us);
}

/// Panics on a wrong answer: a time for it would mean nothing.
fn check(segment: &[f32], sum: f32, plan: &Plan, what: &str) {
    let expected = Sum.on_cpu(segment).expect("it has one");
    let is_near = f64::from((sum - expected).abs()) <= Sum.tolerance(segment, plan);
    assert!(is_near, "{what}: {sum} is not {expected}");
}

fn print(name: &str, counts: [usize; 3], gpu_us: Vec<f64>, call_us: Vec<f64>) {
    let gpu_us = if gpu_us.is_empty() { String::new() } else { format!("{:.2}", median(gpu_us)) };
    let [elements, segments, bytes] = counts;
    println!("{name},{elements},{segments},{bytes},{gpu_us},{:.1}", median(call_us));
}

fn main() {
    env_logger::init();
    let arguments: Vec<_> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let number = |at: usize, default: u32| {
        arguments.get(at).map_or(default, |text| text.parse().expect("a number"))
    };
    let (log_len, repetitions) = (number(0, 26), number(1, 21));
    let reducer = GpuReducer::new().expect("an adapter is needed");
    let default = SegmentsTuning::for_element(&reducer.caps(), ElementKind::F32);
    let tuning = arguments.get(2).map_or(default, |text| parse(text));
    let info = reducer.adapter_info();
    eprintln!("adapter: {}, driver {} {}", reducer.adapter_label(), info.driver, info.driver_info);
    eprintln!("tuning: {tuning}");
    let values: Vec<f32> = (0..1_u64 << log_len).map(|index| uniform(hash(index))).collect();
    let input = reducer.upload(&values).expect("the data fits");
    println!("case,elements,segments,bytes,gpu_us,call_us");
    for Case { name, offsets } in cases(1 << log_len) {
        let on_gpu = reducer.upload(&offsets).expect("the offsets fit");
        let plan = reducer.plan_segments(Sum, &input, &on_gpu).expect("it has a plan");
        let (mut gpu_us, mut call_us) = (Vec::new(), Vec::new());
        for repetition in 0..repetitions + 2 {
            let start = Instant::now();
            let pending = reducer.reduce_segments_with(&tuning, Sum, &input, &on_gpu);
            let timed = pending.and_then(Pending::wait).expect("it runs");
            let passed = start.elapsed().as_secs_f64() * 1e6;
            for (ends, &sum) in offsets.windows(2).zip(&timed.value) {
                let segment = &values[ends[0] as usize..ends[1] as usize];
                check(segment, sum, &plan.of_segment(segment.len() as u64), name);
            }
            if repetition >= 2 {
                gpu_us.extend(timed.gpu_ns.map(|ns| ns / 1e3));
                call_us.push(passed);
            }
        }
        let bytes = usize::try_from(plan.least_bytes()).expect("they fit");
        print(name, [values.len(), offsets.len() - 1, bytes], gpu_us, call_us);
    }
    by_key(&reducer, &input, &values, repetitions);
}
