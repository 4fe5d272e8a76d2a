//! One length of one type, tuned.

use super::budget::Share;
use super::duel::{self, Outcome};
use super::report::Row;
use super::search::{self, Lap, Race};
use super::space::{Candidate, Planner, grid, neighbours};
use crate::failure::Failure;
use crate::measure::{Term, Timer, Times, is_right_total};
use std::time::Instant;
use wgpu_reduce::{AdapterClass, Error, GpuReducer, GpuSlices, Operation, Pending, Sum, Timed};

/// Elements whose sum is known, on which candidates run.
pub(crate) struct Course<'a, T: Term> {
    reducer: &'a GpuReducer,
    slices: GpuSlices<'a, T>,
    expected: f64,
    timer: Timer,
    ends_at: Instant,
}

/// So often the candidates of a search run, on average.
const LAPS: u128 = 25;

/// On a GPU a lap is so many runs, of which all but the first count.
const IN_FLIGHT: usize = 6;

/// So many candidates are tried however long a run takes.
const FEWEST_CANDIDATES: usize = 8;

impl<'a, T: Term> Course<'a, T>
where
    Sum: Operation<T, Output = T::Total>,
{
    pub(crate) fn new(
        reducer: &'a GpuReducer,
        slices: GpuSlices<'a, T>,
        expected: f64,
        timer: Timer,
    ) -> Self {
        Self { reducer, slices, expected, timer, ends_at: Instant::now() }
    }

    /// Looks for the fastest tuning, and measures that again beside the default.
    pub(crate) fn tune(&mut self, share: Share) -> Result<Row, Failure> {
        let (reducer, slices) = (self.reducer, self.slices.clone());
        let class = reducer.caps().class;
        let default = reducer.tuning(Operation::<T>::record(&Sum), T::KIND, slices.len());
        let mut planner =
            Planner::new(|tuning| reducer.with_tuning(tuning).reduce(Sum, slices.clone()).plan());
        let mut field = planner.candidates(grid(default, class));
        let default = field.first().cloned().ok_or_else(|| {
            Failure::Failed(format!("the default, {default}, cannot run; please report this"))
        })?;
        self.ends_at = share.search_ends_at;
        field.truncate(self.affordable(&default)?);
        let tried = field.len();
        let around = |best: &Candidate| planner.candidates(neighbours(best.tuning, class));
        let best = search::winner(field, around, self)?.unwrap_or_else(|| default.clone());
        self.ends_at = share.ends_at;
        let Outcome { default_us, best_us, is_faster } = duel::fight(&default, &best, self)?;
        Ok(Row {
            element: T::KIND,
            elements: self.slices.len(),
            default: default.tuning,
            default_us,
            best: best.tuning,
            best_us,
            kept: is_faster,
            tried,
        })
    }

    /// Runs that wait for the GPU together: one that waits for the host lowers its clock.
    fn times_in_flight(&self, reducer: &GpuReducer) -> wgpu_reduce::Result<Vec<Timed<T::Total>>> {
        let start = || reducer.reduce(Sum, self.slices.clone()).timed().start();
        let is_gpu = reducer.caps().class == AdapterClass::Gpu;
        let waiting = (0..if is_gpu { IN_FLIGHT } else { 1 }).map(|_| start());
        let waiting = waiting.collect::<wgpu_reduce::Result<Vec<_>>>()?;
        waiting.into_iter().map(Pending::wait).collect()
    }

    /// One run, with the time of the call in place of the GPU's.
    fn time_of_call(&self, reducer: &GpuReducer) -> wgpu_reduce::Result<Vec<Timed<T::Total>>> {
        let start = Instant::now();
        let value = reducer.reduce(Sum, self.slices.clone()).start().and_then(Pending::wait)?;
        Ok(vec![Timed { value, gpu_ns: Some(start.elapsed().as_secs_f64() * 1e9) }])
    }

    /// How many candidates there is time for.
    fn affordable(&mut self, default: &Candidate) -> Result<usize, Failure> {
        self.run(default)?;
        let start = Instant::now();
        self.run(default)?;
        let lap = start.elapsed().as_nanos().max(1);
        let left = self.ends_at.saturating_duration_since(Instant::now()).as_nanos();
        Ok(usize::try_from(left / lap / LAPS).unwrap_or(usize::MAX).max(FEWEST_CANDIDATES))
    }
}

impl<T: Term> Race for Course<'_, T>
where
    Sum: Operation<T, Output = T::Total>,
{
    fn run(&mut self, candidate: &Candidate) -> Result<Lap, Failure> {
        let reducer = self.reducer.with_tuning(candidate.tuning);
        let outcome = match self.timer {
            Timer::Gpu => self.times_in_flight(&reducer),
            Timer::Call => self.time_of_call(&reducer),
        };
        let runs = match outcome {
            Ok(runs) => runs,
            Err(error @ (Error::DeviceLost { .. } | Error::Timeout)) => return Err(error.into()),
            Err(error) => return Ok(Lap::Cannot(error.to_string())),
        };
        let is_right =
            |run: &Timed<T::Total>| is_right_total::<T>(run.value, self.expected, &candidate.plan);
        if !runs.iter().all(is_right) {
            let (elements, tuning) = (self.slices.len(), candidate.tuning);
            return Err(Failure::Failed(format!(
                "the sum of {elements} {} elements with {tuning} is wrong; please report this",
                T::KIND
            )));
        }
        // The GPU may have rested before the first.
        let counted = runs.iter().skip(usize::from(runs.len() > 1));
        let times = Times::of(counted.filter_map(|run| run.gpu_ns).collect());
        Ok(Lap::Ran(times.map(|times| times.median_us * 1e3)))
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.ends_at
    }
}
