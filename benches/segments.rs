//! Sums of segments in GPU time and as the caller sees them; see `METHODOLOGY.md`.
//!
//!     cargo bench --bench segments -- [LOG2 OF THE ELEMENTS, 26] [REPETITIONS, 21] [TUNING]
//!
//! TUNING is `WORKGROUP_SIZE,QUADS,MAX_WORKGROUPS`, as `128,5,2112`; runs of keys have the default. Prints
//! CSV, a line for each shape of segments, and one for runs of equal keys: bytes are those of values, offsets
//! and results, each once. GPU times are medians of runs in flight, with results that stay on the GPU, and `spread` is how
//! far runs differ: what lies between the quartiles, in percent of the median; a call is one that brings them to the host. Every answer of the last run and of the call is compared with a sum on
//! the host. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. `benches/peers/segments.sh` sets CUB
//! beside it.

mod flight;

use flight::Flight;
use std::time::Instant;
use wgpu_reduce::{
    Accuracy, ElementKind, GpuBuffer, GpuReducer, Operation, Pending, RunBuffers, SegmentsTuning,
    Sum,
};
use wgpu_reduce_known::{Arguments, Times, agrees, hash, uniform};

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

/// This sequence of numbers that look random is the one that makes 1.2 million segments of 2^26 elements.
const SEED: u32 = 10 << 24;

/// The last step of `MurmurHash3` (Appleby, 2011).
const fn mixed(number: u32) -> u32 {
    let number = (number ^ (number >> 16)).wrapping_mul(0x85eb_ca6b);
    let number = (number ^ (number >> 13)).wrapping_mul(0xc2b2_ae35);
    number ^ (number >> 16)
}

/// 4 / u for uniform u, at most 2^22: as many elements in segments of 4 to 8 as of 1024 to 2048.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length")]
fn ragged(number: u32) -> u32 {
    let uniform = (f64::from(mixed(SEED + number + 1) >> 8) + 0.5) / f64::from(1 << 24);
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

fn parse(text: &str, default: SegmentsTuning) -> SegmentsTuning {
    let numbers: Vec<u32> =
        text.split(',').map(|number| number.parse().expect("a number")).collect();
    let [workgroup_size, quads, max_workgroups] = numbers[..] else {
        panic!("{text} is not three numbers");
    };
    SegmentsTuning { workgroup_size, quads, max_workgroups, ..default }
}

/// Panics on a wrong answer: a time for it would mean nothing.
fn check(
    segments: &[u32],
    values: &[f32],
    sums: &[f32],
    accuracy: impl Fn(u64) -> Accuracy,
    what: &str,
) {
    assert!(sums.len() + 1 >= segments.len(), "{what}: {} sums", sums.len());
    for (ends, &sum) in segments.windows(2).zip(sums) {
        let segment = &values[ends[0] as usize..ends[1] as usize];
        let expected = Sum.on_cpu(segment).expect("it has one");
        let bound = Sum.tolerance(segment, &accuracy(segment.len() as u64));
        assert!(agrees(sum.into(), expected.into(), bound), "{what}: {sum} is not {expected}");
    }
}

fn print(name: &str, counts: [u64; 3], gpu_us: Option<Times>, call_us: f64) {
    let gpu = gpu_us.map_or(",".into(), |us| format!("{:.2},{:.1}", us.median, us.spread));
    let [elements, segments, bytes] = counts;
    println!("{name},{elements},{segments},{bytes},{gpu},{call_us:.1}");
}

struct Subject {
    reducer: GpuReducer,
    flight: Flight,
    tuning: SegmentsTuning,
    values: Vec<f32>,
    input: GpuBuffer<f32>,
}

impl Subject {
    fn new(log_len: u32, repetitions: u32, tuning: Option<&str>) -> Self {
        let reducer = GpuReducer::new().expect("an adapter is needed");
        let default = SegmentsTuning::for_element(&reducer.caps(), ElementKind::F32);
        let tuning = tuning.map_or(default, |text| parse(text, default));
        let values: Vec<f32> = (0..1_u64 << log_len).map(|index| uniform(hash(index))).collect();
        let input = reducer.upload(&values).expect("the data fits");
        let flight = Flight::new(&reducer, repetitions);
        Self { reducer, flight, tuning, values, input }
    }

    /// Two calls as a caller makes them, and how long the second takes.
    fn call_us<R>(call: impl Fn() -> wgpu_reduce::Result<Pending<R>>) -> (R, f64) {
        call().and_then(Pending::wait).expect("it runs");
        let start = Instant::now();
        let value = call().and_then(Pending::wait).expect("it runs");
        (value, start.elapsed().as_secs_f64() * 1e6)
    }

    /// Places for so many results, with a wrong one in each.
    fn results(&self, len: usize) -> GpuBuffer<f32> {
        self.reducer.upload(&vec![f32::NAN; len]).expect("the results fit")
    }

    fn segments(&self, Case { name, offsets }: Case) {
        let Self { reducer, tuning, values, input, .. } = self;
        let on_gpu = reducer.upload(&offsets).expect("the offsets fit");
        let plan = reducer
            .reduce(Sum, input)
            .segments(&on_gpu)
            .tuned(*tuning)
            .plan()
            .expect("it has a plan");
        let accuracy = |len| plan.accuracy_of(len);
        let results = self.results(offsets.len() - 1);
        let gpu_us = self.flight.gpu_us(|encoder| {
            reducer
                .reduce(Sum, input)
                .segments(&on_gpu)
                .tuned(*tuning)
                .encode(encoder, &results)
                .expect("it is recorded");
        });
        if gpu_us.is_some() {
            let sums = results.download(reducer).expect("they can be read");
            check(&offsets, values, &sums, accuracy, name);
        }
        let call = || reducer.reduce(Sum, input).segments(&on_gpu).tuned(*tuning).timed().start();
        let (timed, call_us) = Self::call_us(call);
        check(&offsets, values, &timed.value, accuracy, name);
        let counts = [plan.len, plan.results, plan.least_bytes()];
        print(name, counts, gpu_us, call_us);
    }

    /// The sum of all, which is how fast the elements can be read, as a length that the host knows and as one that lies on the GPU.
    fn all(&self) {
        let Self { reducer, values, input, .. } = self;
        let plan = reducer.reduce(Sum, input).plan().expect("it has a plan");
        let count = reducer.upload(&[u32::MAX]).expect("it fits");
        let result = self.results(1);
        let bytes = 4 * values.len() as u64;
        for (name, is_counted) in [("sum", false), ("sum of a counted length", true)] {
            let gpu_us = self.flight.gpu_us(|encoder| {
                let recorded = if is_counted {
                    reducer.reduce(Sum, input).counted(&count).encode(encoder, &result)
                } else {
                    reducer.reduce(Sum, input).encode(encoder, &result)
                };
                recorded.expect("it is recorded");
            });
            let all = [0, u32::try_from(values.len()).expect("it is a power of two below")];
            if gpu_us.is_some() {
                let sum = result.download(reducer).expect("it can be read");
                let accuracy = |_| plan.accuracy();
                check(&all, values, &sum, accuracy, name);
            }
            let (_, call_us) = Self::call_us(|| reducer.reduce(Sum, input).start());
            print(name, [plan.len, 1, bytes], gpu_us, call_us);
        }
    }

    /// Runs of 1 to 31 equal keys, as in `peers/segments.cu`.
    fn by_key(&self) {
        let Self { reducer, values, input, .. } = self;
        let len = u32::try_from(values.len()).expect("it is a power of two below");
        let offsets = offsets_of(len, |number| 1 + (hash(number.into()) >> 16) % 31);
        let keys: Vec<u32> = (0..)
            .zip(offsets.windows(2))
            .flat_map(|(key, ends)| std::iter::repeat_n(key, (ends[1] - ends[0]) as usize))
            .collect();
        let keys = reducer.upload(&keys).expect("the keys fit");
        let plan = reducer.reduce(Sum, input).runs(&keys).plan().expect("it has a plan");
        let accuracy = |len| plan.accuracy_of(len);
        let run_keys = reducer.upload(&vec![u32::MAX; values.len()]).expect("the keys fit");
        let results = self.results(values.len());
        let count = reducer.upload(&[0_u32]).expect("it fits");
        let output = RunBuffers {
            keys: (&run_keys).into(),
            results: (&results).into(),
            count: (&count).into(),
        };
        let gpu_us = self.flight.gpu_us(|encoder| {
            reducer.reduce(Sum, input).runs(&keys).encode(encoder, output).expect("it is recorded");
        });
        let runs = offsets.len() - 1;
        let check_runs = |run_keys: &[u32], sums: &[f32]| {
            check(&offsets, values, sums, accuracy, "by key");
            assert!(run_keys.iter().copied().eq((0..).take(run_keys.len())), "by key: keys");
        };
        if gpu_us.is_some() {
            assert_eq!(
                count.download(reducer).expect("it can be read"),
                [u32::try_from(runs).expect("keys have 32 bits")]
            );
            let run_keys = run_keys.download(reducer).expect("they can be read");
            check_runs(&run_keys[..runs], &results.download(reducer).expect("they can be read"));
        }
        let (found, call_us) = Self::call_us(|| reducer.reduce(Sum, input).runs(&keys).start());
        assert_eq!(found.len(), runs, "by key: runs");
        let (run_keys, sums): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        check_runs(&run_keys, &sums);
        // Keys and values, and for each run its key and its sum.
        let (len, runs) = (u64::from(len), runs as u64);
        print("by key", [len, runs, 8 * len + 8 * runs], gpu_us, call_us);
    }
}

fn main() {
    env_logger::init();
    let arguments = Arguments::given();
    let (log, runs) = if arguments.is_bench { (26, 21) } else { (16, 2) };
    let log_len = arguments.number(0).unwrap_or(log);
    let repetitions = arguments.number(1).unwrap_or(runs);
    let subject = Subject::new(log_len, repetitions, arguments.words.get(2).map(String::as_str));
    let (reducer, info) = (&subject.reducer, subject.reducer.adapter_info());
    eprintln!("adapter: {}, driver {} {}", reducer.adapter_label(), info.driver, info.driver_info);
    eprintln!("tuning: {}", subject.tuning);
    println!("case,elements,segments,bytes,gpu_us,spread,call_us");
    for case in cases(1 << log_len) {
        subject.segments(case);
    }
    subject.by_key();
    subject.all();
}
