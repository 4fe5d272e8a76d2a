//! Tunings of sums side by side, in GPU time; see `METHODOLOGY.md`.
//!
//!     cargo bench --bench tunings -- [LAPS, 31] [LOG2_OF_THE_SHORTEST, 10] [LOG2_OF_THE_LONGEST, 23]
//!
//! Sums of so few microseconds differ by several percent from one process to the next, whatever the tuning: buffers
//! and code lie elsewhere. What is to be compared to a few percent is run in several processes, and averaged. Prints
//! CSV, a line for each type, length and tuning; the median is of five runs of each lap, in which all tunings take
//! turns, and the spread what lies between the quartiles, in percent of it. Every answer is checked. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter.

mod clock;

use wgpu_reduce::{
    AdapterClass, Element, GpuBuffer, GpuReducer, Operation, Pending, Sum, Timed, Tuning,
};
use wgpu_reduce_known::{Arguments, Times};

/// Workgroup size, most workgroups, loads in flight and least quads of an invocation: of inputs that one workgroup
/// sums, and of longer ones.
const OF_ONE: [[u32; 4]; 9] = [
    [256, 1, 4, 4],
    [512, 1, 1, 4],
    [512, 1, 2, 4],
    [512, 1, 4, 4],
    [512, 1, 8, 8],
    [1024, 1, 2, 4],
    [1024, 1, 4, 4],
    [1024, 1, 8, 8],
    [128, 256, 2, 2],
];
const OF_MANY: [[u32; 4]; 15] = [
    [128, 256, 2, 2],
    [128, 256, 4, 4],
    [256, 128, 2, 2],
    [256, 128, 4, 4],
    [256, 256, 2, 2],
    [256, 256, 2, 4],
    [256, 256, 4, 4],
    [256, 256, 8, 8],
    [512, 128, 4, 4],
    [512, 128, 8, 8],
    [512, 256, 1, 1],
    [512, 256, 1, 2],
    [512, 256, 2, 2],
    [512, 256, 4, 4],
    [512, 256, 8, 8],
];

const OF_LONG: [[u32; 4]; 12] = [
    [256, 4224, 4, 8],
    [512, 528, 8, 8],
    [512, 1056, 4, 8],
    [512, 2112, 8, 8],
    [512, 4224, 4, 8],
    [1024, 528, 8, 8],
    [1024, 1056, 8, 8],
    [1024, 1056, 4, 8],
    [1024, 2112, 8, 8],
    [1024, 2112, 4, 8],
    [1024, 4224, 8, 8],
    [1024, 4224, 4, 8],
];

/// Up to here one workgroup sums.
const SHORT: u64 = 1 << 15;

/// Up to here what takes time is that workgroups start and wait for each other.
const MEDIUM: u64 = 1 << 23;

const LOG_LENGTHS: [u32; 16] = [10, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 28, 29];

/// Runs that wait for the GPU together; the first finds it at rest, and does not count.
const IN_FLIGHT: usize = 6;

/// The default first.
fn tunings<T: Element>(reducer: &GpuReducer, len: u64) -> Vec<Tuning> {
    let default = Tuning::for_len(&reducer.caps(), T::KIND, len);
    let list = if len <= SHORT {
        &OF_ONE[..]
    } else if len <= MEDIUM {
        &OF_MANY[..]
    } else {
        &OF_LONG[..]
    };
    let mut tunings = vec![default];
    for &[workgroup_size, max_workgroups, loads_in_flight, min_quads_per_invocation] in list {
        let tuning = Tuning {
            workgroup_size,
            max_workgroups,
            loads_in_flight,
            min_quads_per_invocation,
            ..default
        };
        if workgroup_size <= reducer.caps().max_workgroup_size && !tunings.contains(&tuning) {
            tunings.push(tuning);
        }
    }
    tunings
}

/// Times of some runs in flight, in nanoseconds.
fn times<T: Element, R: PartialEq + std::fmt::Debug>(
    reducer: &GpuReducer,
    ones: &GpuBuffer<T>,
    (len, sum): (u64, R),
) -> Vec<f64>
where
    Sum: Operation<T, Output = R>,
{
    let start = |_| {
        let input = ones.slice(..len).expect("there are more");
        reducer.reduce(Sum, input).timed().start().expect("it starts")
    };
    let waiting: Vec<Pending<Timed<R>>> = (0..IN_FLIGHT).map(start).collect();
    let runs = waiting.into_iter().map(|run| run.wait().expect("it runs"));
    let time = |run: Timed<R>| {
        assert_eq!(run.value, sum, "{len} ones");
        run.gpu_ns
    };
    runs.filter_map(time).skip(1).collect()
}

fn compare<T: Element, R: PartialEq + std::fmt::Debug + Copy>(
    reducer: &GpuReducer,
    one: T,
    (laps, log_lengths): (usize, &[u32]),
    sum: impl Fn(u32) -> R,
) where
    Sum: Operation<T, Output = R>,
{
    for &log_len in log_lengths {
        let len = 1 << log_len;
        let ones = reducer.upload(&vec![one; 1 << log_len]).expect("they fit");
        let tunings = tunings::<T>(reducer, len);
        let mut of_tunings = vec![Vec::new(); tunings.len()];
        clock::raise(reducer);
        // The first lap makes pipelines.
        for lap in 0..=laps {
            for (tuning, found) in tunings.iter().zip(&mut of_tunings) {
                let times = times(&reducer.with_tuning(*tuning), &ones, (len, sum(log_len)));
                found.extend(times.into_iter().filter(|_| lap > 0));
            }
        }
        for (number, (tuning, times)) in tunings.iter().zip(of_tunings).enumerate() {
            let which = if number == 0 { "default" } else { "" };
            let times = times.into_iter().map(|ns| ns / 1e3).collect();
            let shown = |Times { median, spread, .. }| format!("{median:.2},{spread:.1}");
            let shown = Times::of(times).map_or(",".into(), shown);
            println!("{},{len},{which},\"{tuning}\",{shown}", T::KIND);
        }
    }
}

fn main() {
    env_logger::init();
    let arguments = Arguments::given();
    let laps = arguments.number(0).and_then(|laps| usize::try_from(laps).ok());
    let shortest = arguments.number(1).unwrap_or(0);
    let longest = arguments.number(2).unwrap_or(23);
    let reducer = GpuReducer::new().expect("an adapter is needed");
    eprintln!("adapter: {}", reducer.adapter_label());
    let is_gpu = reducer.caps().class == AdapterClass::Gpu;
    let measures = arguments.is_bench && is_gpu;
    let asked = if measures { shortest..=longest } else { 0..=LOG_LENGTHS[1] };
    let lengths: Vec<_> = LOG_LENGTHS.into_iter().filter(|log| asked.contains(log)).collect();
    let extent = (laps.unwrap_or(if measures { 31 } else { 1 }), &lengths[..]);
    println!("dtype,elements,which,tuning,gpu_us,spread");
    compare(&reducer, 1.0_f32, extent, |log_len| f32::from(2_u8).powi(log_len.cast_signed()));
    compare(&reducer, 1_i32, extent, |log_len| 1_i64 << log_len);
    compare(&reducer, 1_u32, extent, |log_len| 1_u64 << log_len);
}
