//! One length of one type, tuned.

use super::budget::Share;
use super::duel::{self, Outcome};
use super::report::Row;
use super::search::{self, Lap, Race};
use super::space::{Candidate, Planner, grid, neighbours};
use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::measure::{Timer, Times, is_right_total};
use std::time::Instant;
use wgpu_reduce::{AdapterClass, AnyOperation, AnySlices, Error, GpuReducer, Pending, Sum, Timed};

/// Elements whose sum is known, on which candidates run.
pub(crate) struct Course<'a> {
    reducer: &'a GpuReducer,
    sum: AnyOperation<Figures>,
    slices: AnySlices<'a>,
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

impl<'a> Course<'a> {
    pub(crate) fn new(
        reducer: &'a GpuReducer,
        slices: AnySlices<'a>,
        expected: f64,
        timer: Timer,
    ) -> Self {
        let sum = Chosen::from(Sum).any;
        Self { reducer, sum, slices, expected, timer, ends_at: Instant::now() }
    }

    /// Looks for the fastest tuning, and measures that again beside the default.
    pub(crate) fn tune(&mut self, share: Share) -> Result<Row, Failure> {
        let (reducer, sum, slices) = (self.reducer, self.sum.clone(), self.slices.clone());
        let class = reducer.caps().class;
        let default = reducer.tuning(sum.record(), slices.element(), slices.len());
        let mut planner =
            Planner::new(|tuning| reducer.with_tuning(tuning).reduce(&sum, slices.clone()).plan());
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
            element: self.slices.element(),
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
    fn times_in_flight(&self, reducer: &GpuReducer) -> wgpu_reduce::Result<Vec<Timed<Figures>>> {
        let request = reducer.reduce(&self.sum, self.slices.clone()).timed();
        let is_gpu = reducer.caps().class == AdapterClass::Gpu;
        let waiting = (0..if is_gpu { IN_FLIGHT } else { 1 }).map(|_| request.start());
        let waiting = waiting.collect::<wgpu_reduce::Result<Vec<_>>>()?;
        waiting.into_iter().map(Pending::wait).collect()
    }

    /// One run, with the time of the call in place of the GPU's.
    fn time_of_call(&self, reducer: &GpuReducer) -> wgpu_reduce::Result<Vec<Timed<Figures>>> {
        let start = Instant::now();
        let request = reducer.reduce(&self.sum, self.slices.clone());
        let value = request.start().and_then(Pending::wait)?;
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

impl Race for Course<'_> {
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
            |run: &Timed<Figures>| is_right_total(&run.value, self.expected, &candidate.plan);
        if !runs.iter().all(is_right) {
            let (elements, tuning) = (self.slices.len(), candidate.tuning);
            return Err(Failure::Failed(format!(
                "the sum of {elements} {} elements with {tuning} is wrong; please report this",
                self.slices.element()
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
