//! Times of runs that do the same.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};
use wgpu_reduce::{AdapterClass, GpuReducer, Pending, Timed};

/// What a time is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// All passes on the GPU, by timestamps.
    Gpu,
    /// The call, from its start to the value on the host.
    Call,
}

impl Timer {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Call => "call",
        }
    }
}

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gpu => "GPU time by timestamps",
            Self::Call => "wall-clock time of each call, because the device has no timestamps",
        })
    }
}

/// Median and minimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Times {
    pub(crate) median_us: f64,
    pub(crate) min_us: f64,
}

impl Times {
    /// None without a time.
    pub(crate) fn of(times_ns: Vec<f64>) -> Option<Self> {
        let times = wgpu_reduce_known::Times::of(times_ns)?;
        Some(Self { median_us: times.median / 1e3, min_us: times.least / 1e3 })
    }

    /// Bytes in the median time, in units of 10^9 per second.
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
    pub(crate) fn gb_per_s(&self, bytes: u64) -> f64 {
        bytes as f64 / self.median_us / 1e3
    }

    /// The median time for every 2^20 of so many elements.
    #[expect(clippy::cast_precision_loss, reason = "a time for people to read")]
    pub(crate) fn us_per_mi(&self, elements: u64) -> f64 {
        self.median_us / elements as f64 * 1_048_576.0
    }
}

/// How runs follow each other while the GPU's time is taken. A GPU that has little to do lowers its clock,
/// to half and less, and then tells how fast it is when nobody needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flight {
    /// So many wait for the GPU while it is timed.
    pub(crate) in_flight: usize,
    /// So long they do before.
    pub(crate) warm_up: Duration,
}

impl Flight {
    /// For a device: CPUs need no time to get fast.
    pub(crate) fn on(reducer: &GpuReducer, in_flight: usize, warm_up: Duration) -> Self {
        let is_gpu = reducer.caps().class == AdapterClass::Gpu;
        Self { in_flight, warm_up: if is_gpu { warm_up } else { Duration::ZERO } }
    }
}

/// How often something runs, and what of it is timed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Repeat {
    pub(crate) timer: Timer,
    /// Runs that count, after [`WARM_UP_RUNS`] that do not.
    pub(crate) runs: u32,
}

/// The first compiles the pipeline.
pub(crate) const WARM_UP_RUNS: u32 = 2;

impl Repeat {
    /// Calls `run` and hands every value to `check`.
    pub(crate) fn times<T, E>(
        self,
        mut run: impl FnMut() -> Result<Timed<T>, E>,
        mut check: impl FnMut(T),
    ) -> Result<Option<Times>, E> {
        let mut times_ns = Vec::new();
        for index in 0..WARM_UP_RUNS.saturating_add(self.runs) {
            let start = Instant::now();
            let Timed { value, gpu_ns } = run()?;
            let call_ns = start.elapsed().as_secs_f64() * 1e9;
            check(value);
            if index >= WARM_UP_RUNS {
                times_ns.extend(match self.timer {
                    Timer::Gpu => gpu_ns,
                    Timer::Call => Some(call_ns),
                });
            }
        }
        Ok(Times::of(times_ns))
    }

    /// As [`times`](Self::times), for runs that `start` starts, of which several wait for the GPU.
    pub(crate) fn times_in_flight<T>(
        self,
        flight: Flight,
        start: impl Fn() -> wgpu_reduce::Result<Pending<Timed<T>>>,
        mut check: impl FnMut(T),
    ) -> wgpu_reduce::Result<Option<Times>> {
        let warm_up = Instant::now();
        while warm_up.elapsed() < flight.warm_up {
            let some = (0..flight.in_flight).map(|_| start());
            for run in some.collect::<wgpu_reduce::Result<Vec<_>>>()? {
                check(run.wait()?.value);
            }
        }
        let mut waiting = VecDeque::new();
        let mut left = WARM_UP_RUNS.saturating_add(self.runs);
        let run = || {
            while waiting.len() < flight.in_flight && left > 0 {
                waiting.push_back(start()?);
                left -= 1;
            }
            // There is one.
            waiting.pop_front().map_or_else(&start, Ok).and_then(Pending::wait)
        };
        self.times(run, check)
    }
}

#[cfg(test)]
mod tests {
    use super::{Repeat, Timer, Times, WARM_UP_RUNS};
    use wgpu_reduce::Timed;

    #[test]
    fn median_and_minimum() {
        let times = Times::of(vec![5e3, 1e3, 4e3]).unwrap();
        assert_eq!(times, Times { median_us: 4.0, min_us: 1.0 });
        assert!((times.gb_per_s(8000) - 2.0).abs() < 1e-12);
        assert_eq!(Times::of(vec![]), None);
    }

    #[test]
    fn runs_that_warm_up_do_not_count() {
        let mut calls = 0;
        let mut values = Vec::new();
        let run = || {
            calls += 1;
            let gpu_ns = (calls > 1).then_some(f64::from(10 - calls) * 1e3);
            Ok::<_, ()>(Timed { value: calls, gpu_ns })
        };
        let repeat = Repeat { timer: Timer::Gpu, runs: 3 };
        let times = repeat.times(run, |value| values.push(value)).unwrap().unwrap();
        assert_eq!(times, Times { median_us: 6.0, min_us: 5.0 });
        assert_eq!(values, (1..=WARM_UP_RUNS + 3).collect::<Vec<_>>());
    }

    #[test]
    fn a_timer_that_never_answers_gives_no_time() {
        let run = || Ok::<_, ()>(Timed { value: (), gpu_ns: None });
        let repeat = Repeat { timer: Timer::Gpu, runs: 3 };
        assert_eq!(repeat.times(run, |()| ()), Ok(None));
        let repeat = Repeat { timer: Timer::Call, runs: 3 };
        assert!(repeat.times(run, |()| ()).unwrap().is_some());
    }
}
