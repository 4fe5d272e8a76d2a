//! What is measured, how often, and on what.

use std::time::{Duration, Instant};

/// So long a GPU takes at most to raise its clock.
const WARM_UP: Duration = Duration::from_millis(400);

/// Runs that wait for the GPU together.
const IN_FLIGHT: usize = 8;

/// What takes longer than this in all has fewer repetitions, at least three.
const MOST: Duration = Duration::from_secs(10);

/// Element `index` of words, as `wgpu-reduce bench` has them.
pub(crate) fn hash(index: usize) -> u32 {
    (index as u32).wrapping_mul(2_654_435_761)
}

/// What is measured: whose, and how often.
pub(crate) struct Subject {
    pub(crate) peer: &'static str,
    pub(crate) len: usize,
    pub(crate) repetitions: usize,
}

impl Subject {
    /// Prints a line. `call` has a value that `check` sees; `start` starts a run that `wait` waits for.
    pub(crate) fn measure<V, R>(
        &self,
        what: &str,
        mut call: impl FnMut() -> V,
        check: impl Fn(V),
        mut start: impl FnMut() -> R,
        wait: impl Fn(),
    ) {
        // Compiles.
        check(call());
        let mut together = || {
            let begin = Instant::now();
            let runs: Vec<R> = (0..IN_FLIGHT).map(|_| start()).collect();
            wait();
            let time = begin.elapsed();
            drop(runs);
            time / IN_FLIGHT as u32
        };
        let begin = Instant::now();
        let mut of_one = together();
        while begin.elapsed() < WARM_UP {
            of_one = together();
        }
        let fit = MOST.as_nanos() / (of_one.as_nanos() * (IN_FLIGHT as u128 + 1)).max(1);
        let repetitions = self.repetitions.min(usize::try_from(fit).unwrap_or(usize::MAX)).max(3);
        let flights = (0..repetitions).map(|_| together()).collect();
        let calls = (0..repetitions).map(|_| {
            let begin = Instant::now();
            let value = call();
            let time = begin.elapsed();
            check(value);
            time
        });
        let (call, flight) = (shown(calls.collect()), shown(flights));
        println!("{},{what},{},{repetitions},{call},{flight}", self.peer, self.len);
    }
}

/// The median in microseconds, and what lies between the quartiles, in percent.
fn shown(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let below = |quarters: usize| times[times.len() * quarters / 4].as_secs_f64() * 1e6;
    let median = below(2);
    format!("{median:.1},{:.1}", 100.0 * (below(3) - below(1)) / median)
}
