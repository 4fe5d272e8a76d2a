//! GPU times of runs one after another. Runs in flight would overlap, where none needs what another leaves.

#[path = "../clock/mod.rs"]
mod clock;

use wgpu_reduce::{GpuReducer, Result, Timed};
use wgpu_reduce_known::{Arguments, Times};

/// What a bench is given: a reducer, so many elements, and so many repetitions, whose usual numbers are 2^`log` and `repetitions`. Prints
/// the adapter and the columns' names.
#[allow(dead_code, reason = "a bench may have several lengths")]
pub(crate) fn begin(columns: &str, [log, repetitions]: [u32; 2]) -> (GpuReducer, u64, u32) {
    env_logger::init();
    let arguments = Arguments::given();
    let [log, repetitions] = if arguments.is_bench { [log, repetitions] } else { [10, 2] };
    let reducer = GpuReducer::new().expect("an adapter is needed");
    println!("# {}", reducer.adapter_label());
    println!("{columns}");
    let len = 1_u64 << arguments.number(0).unwrap_or(log);
    (reducer, len, arguments.number(1).unwrap_or(repetitions))
}

/// The last of so many results, and as CSV the times without the first: the median of microseconds, how far they differ (what lies between
/// the quartiles, in percent of the median), and 10^9 bytes in a second.
pub(crate) fn time<R>(
    reducer: &GpuReducer,
    repetitions: u32,
    bytes: u64,
    run: impl Fn() -> Result<Timed<R>>,
) -> (String, R) {
    clock::raise(reducer);
    let mut gpu_us = Vec::new();
    let mut last = None;
    for number in 0..repetitions {
        let timed = run().expect("it runs");
        if let (1.., Some(gpu_ns)) = (number, timed.gpu_ns) {
            gpu_us.push(gpu_ns / 1e3);
        }
        last = Some(timed.value);
    }
    #[expect(clippy::cast_precision_loss, reason = "printed with two digits")]
    let shown = |Times { median, spread, .. }| {
        format!("{median:.2},{spread:.1},{:.2}", bytes as f64 / median / 1e3)
    };
    (Times::of(gpu_us).map_or(",,".into(), shown), last.expect("it has run"))
}
