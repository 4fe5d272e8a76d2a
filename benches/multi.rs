//! One input on several GPUs of a host; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench multi -- [LOG2_OF_ELEMENTS, 29] [REPETITIONS, 21]` prints CSV, a line for each number of GPUs and
//! each kind of sum: medians of microseconds of whole calls on data that lie on the GPUs, how far calls differ (what lies
//! between the quartiles, in percent of the median), 10^9 bytes in a second, and how many times as fast as on one. Every answer is checked. What `cargo test` runs is small, on software
//! adapters, too.

use std::time::{Duration, Instant};
use wgpu_reduce::{
    AdapterClass, ExactSum, GpuReducer, MultiBuffer, MultiGpu, Options, Pending, Result, Sum,
};
use wgpu_reduce_known::{Arguments, Times, hash, uniform};

/// So long a GPU takes at most to raise its clock.
const WARM_UP: Duration = Duration::from_millis(400);

/// Microseconds of calls, whose answers `check` sees.
fn call_us<R>(
    repetitions: usize,
    warm_up: Duration,
    call: impl Fn() -> Result<Pending<R>>,
    check: impl Fn(R),
) -> Times {
    let run = || {
        let start = Instant::now();
        let value = call().and_then(Pending::wait).expect("it runs");
        let us = start.elapsed().as_secs_f64() * 1e6;
        check(value);
        us
    };
    let start = Instant::now();
    while start.elapsed() < warm_up {
        run();
    }
    let times = (0..repetitions.max(1)).map(|_| run()).collect();
    Times::of(times).expect("there is one")
}

/// GPUs, or if there are none what there is.
fn reducers() -> Vec<GpuReducer> {
    let open = |number: usize| {
        let options = Options::default().adapter(number.to_string());
        pollster::block_on(GpuReducer::request(&options)).expect("it opens")
    };
    let all: Vec<_> = (0..GpuReducer::adapters().len()).map(open).collect();
    assert!(!all.is_empty(), "an adapter is needed");
    let is_gpu = |reducer: &&GpuReducer| reducer.caps().class == AdapterClass::Gpu;
    let gpus: Vec<_> = all.iter().filter(is_gpu).cloned().collect();
    if gpus.is_empty() { all } else { gpus }
}

/// Times of one kind of sum, on one GPU and on more.
struct Column {
    name: &'static str,
    on_one_us: Option<f64>,
}

impl Column {
    #[expect(clippy::cast_precision_loss, reason = "printed with two digits")]
    fn print(&mut self, adapters: usize, bytes: u64, Times { median: us, spread, .. }: Times) {
        let on_one_us = *self.on_one_us.get_or_insert(us);
        let (rate, times) = (bytes as f64 / us / 1e3, on_one_us / us);
        println!("{},{adapters},{bytes},{us:.1},{spread:.1},{rate:.1},{times:.2}", self.name);
    }
}

fn main() {
    env_logger::init();
    let arguments = Arguments::given();
    let is_bench = arguments.is_bench;
    let len = 1_u64 << arguments.number(0).unwrap_or(if is_bench { 29 } else { 12 });
    let repetitions = arguments.number(1).unwrap_or(if is_bench { 21 } else { 1 }) as usize;
    let warm_up = if is_bench { WARM_UP } else { Duration::ZERO };
    let words: Vec<u32> = (0..len).map(hash).collect();
    let total = words.iter().map(|&word| u64::from(word)).sum::<u64>();
    let floats: Vec<f32> = (0..len).map(|index| uniform(hash(index))).collect();
    let exact: ExactSum = floats.iter().collect();
    let all = reducers();
    println!("# {}", all.iter().map(GpuReducer::adapter_label).collect::<Vec<_>>().join("; "));
    println!("sum,adapters,bytes,call_us,spread,gb_per_s,times_as_fast");
    let mut columns = ["sum u32", "sum_exact f32"].map(|name| Column { name, on_one_us: None });
    for adapters in 1..=all.len() {
        let multi = MultiGpu::new(all[..adapters].to_vec()).expect("there are some");
        let of_words: MultiBuffer<u32> = multi.upload(&words).expect("they fit");
        let call = || multi.reduce(Sum, &of_words);
        let us = call_us(repetitions, warm_up, call, |sum| assert_eq!(sum, total));
        columns[0].print(adapters, 4 * len, us);
        drop(of_words);
        let of_floats = multi.upload(&floats).expect("they fit");
        let call = || multi.reduce_exact(&of_floats);
        let us = call_us(repetitions, warm_up, call, |sum| assert_eq!(sum, exact));
        columns[1].print(adapters, 4 * len, us);
    }
}
