//! Elements whose reduction is known, and how long it takes.

use super::report::Row;
use crate::check::{Checked, Gather as _};
use crate::failure::Failure;
use crate::figures::Figures;
use crate::kept::{self, Kept};
use crate::measure::{Flight, Repeat, Term, Timer, make, make_from, raise_clock};
use crate::progress;
use std::time::Duration;
use wgpu_reduce::{GpuReducer, GpuSlices, PairOperation, Pending, Timed};

/// One for each of `lengths`, which rise.
pub(super) fn rows<T: Term, O: Checked<T>>(
    operation: O,
    reducer: &GpuReducer,
    lengths: &[u64],
    runs: Runs,
) -> Result<Vec<Row>, Failure> {
    let bar = progress::steps(lengths.len() as u64);
    bar.set_message("data");
    let mut tallies: Vec<_> = lengths.iter().map(|&len| (len, O::Tally::default())).collect();
    let most = lengths.last().copied().unwrap_or_default();
    let buffers = make(reducer, most, u32::BITS, |start, chunk: &[T]| {
        for (len, tally) in &mut tallies {
            let left = usize::try_from(len.saturating_sub(start)).unwrap_or(usize::MAX);
            tally.add(chunk.get(..left).unwrap_or(chunk));
        }
    })?;
    // While elements were made the GPU had time to rest.
    raise_clock(reducer)?;
    let rows = tallies.into_iter().map(|(len, tally)| {
        bar.set_message(len.to_string());
        let row = row(operation, reducer, &buffers.first(len)?, &tally, runs);
        bar.inc(1);
        row
    });
    let rows = rows.collect();
    bar.finish_and_clear();
    rows
}

/// One for each of `lengths`, which rise; of two inputs that are not alike.
pub(super) fn pair_rows<T: Term, O: PairOperation<T, Output: Into<Figures>>>(
    operation: O,
    reducer: &GpuReducer,
    lengths: &[u64],
    runs: Runs,
) -> Result<Vec<Row>, Failure> {
    let bar = progress::steps(lengths.len() as u64);
    bar.set_message("data");
    let most = lengths.last().copied().unwrap_or_default();
    let (mut left, mut right) = (Kept::default(), Kept::default());
    let a = make(reducer, most, u32::BITS, |_, chunk: &[T]| left.add(chunk))?;
    let b = make_from(PARTNERS_FROM, reducer, most, u32::BITS, |_, chunk| right.add(chunk))?;
    raise_clock(reducer)?;
    let rows = lengths.iter().map(|&len| {
        bar.set_message(len.to_string());
        let (a, b) = (a.first(len)?, b.first(len)?);
        let until = ..usize::try_from(len).unwrap_or(usize::MAX);
        let values = left.0.get(until).zip(right.0.get(until));
        let (left, right) = values.unwrap_or_default();
        let plan = reducer.reduce(operation, (a.clone(), b.clone())).plan()?;
        let bound = operation.tolerance(left, right, &plan.accuracy());
        let cpu = operation.on_cpu(left, right)?.into();
        let row = timed_row(
            (len, plan.passes().len(), runs.counted, runs.flight(reducer)),
            |first: O::Output| Ok(kept::compare(cpu, &first.into(), &[bound]).ok),
            || reducer.reduce(operation, (a.clone(), b.clone())).start(),
            || reducer.reduce(operation, (a.clone(), b.clone())).timed().start(),
        );
        bar.inc(1);
        row
    });
    let rows = rows.collect();
    bar.finish_and_clear();
    rows
}

/// The second input has other elements than the first.
const PARTNERS_FROM: u64 = 0x5555_5555;

fn row<T: Term, O: Checked<T>>(
    operation: O,
    reducer: &GpuReducer,
    elements: &GpuSlices<'_, T>,
    tally: &O::Tally,
    runs: Runs,
) -> Result<Row, Failure> {
    let plan = reducer.reduce(operation, elements.clone()).plan()?;
    timed_row(
        (elements.len(), plan.passes().len(), runs.counted, runs.flight(reducer)),
        |first| operation.judge(tally, first, &plan).map(|check| check.ok),
        || reducer.reduce(operation, elements.clone()).start(),
        || reducer.reduce(operation, elements.clone()).timed().start(),
    )
}

/// How often something runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Runs {
    /// Those that count.
    pub(super) counted: u32,
    /// So many wait for the GPU while it is timed.
    pub(super) in_flight: usize,
}

impl Runs {
    fn flight(self, reducer: &GpuReducer) -> Flight {
        Flight::on(reducer, self.in_flight, WARM_UP)
    }
}

/// So long a GPU takes at most to raise its clock.
const WARM_UP: Duration = Duration::from_millis(400);

/// GPU time and calls are timed apart: a run that is timed on the GPU takes longer as a call.
fn timed_row<R: Copy + Into<Figures>>(
    (elements, passes, counted, flight): (u64, usize, u32, Flight),
    judge: impl FnOnce(R) -> wgpu_reduce::Result<bool>,
    start: impl Fn() -> wgpu_reduce::Result<Pending<R>>,
    start_timed: impl Fn() -> wgpu_reduce::Result<Pending<Timed<R>>>,
) -> Result<Row, Failure> {
    let first = start()?.wait()?;
    let mut ok = judge(first)?;
    let first: Figures = first.into();
    // The CPU takes long for some, so it is asked once: all runs must give the same.
    let mut check = |value: R| ok &= first.same_bits(&value.into());
    let repeat = Repeat { timer: Timer::Gpu, runs: counted };
    let gpu = repeat.times_in_flight(flight, start_timed, &mut check)?;
    let called = || {
        let value = start().and_then(Pending::wait)?;
        Ok::<_, wgpu_reduce::Error>(Timed { value, gpu_ns: None })
    };
    let call = Repeat { timer: Timer::Call, runs: counted }.times(called, &mut check)?;
    Ok(Row { elements, passes, gpu, call, ok })
}
