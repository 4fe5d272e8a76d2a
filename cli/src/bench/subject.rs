//! Elements whose reduction is known, and how long it takes.

use super::report::Row;
use crate::check::{Checked, Tally as _};
use crate::failure::Failure;
use crate::measure::{Repeat, Term, Timer, make};
use crate::progress;
use wgpu_reduce::{GpuReducer, GpuSlice, Pending, Timed};

/// One for each of `lengths`, which rise.
pub(super) fn rows<T: Term, O: Checked<T>>(
    reducer: &GpuReducer,
    lengths: &[u64],
    runs: u32,
) -> Result<Vec<Row>, Failure> {
    let bar = progress::steps(lengths.len() as u64);
    bar.set_message("data");
    let mut tallies: Vec<_> = lengths.iter().map(|&len| (len, O::Tally::default())).collect();
    let most = lengths.last().copied().unwrap_or_default();
    let buffer = make(reducer, most, u32::BITS, |start, chunk: &[T]| {
        for (len, tally) in &mut tallies {
            let left = usize::try_from(len.saturating_sub(start)).unwrap_or(usize::MAX);
            tally.add(chunk.get(..left).unwrap_or(chunk));
        }
    })?;
    let rows = tallies.into_iter().map(|(len, tally)| {
        bar.set_message(len.to_string());
        let row = row::<T, O>(reducer, buffer.slice(..len)?, &tally, runs);
        bar.inc(1);
        row
    });
    let rows = rows.collect();
    bar.finish_and_clear();
    rows
}

/// GPU time and calls are timed apart: a run that is timed on the GPU takes longer as a call.
fn row<T: Term, O: Checked<T>>(
    reducer: &GpuReducer,
    slice: GpuSlice<'_, T>,
    tally: &O::Tally,
    runs: u32,
) -> Result<Row, Failure> {
    let plan = reducer.plan(O::default(), slice)?;
    let mut ok = true;
    let mut check = |value| ok &= tally.judge(value, &plan).ok;
    let timed = || reducer.reduce_timed(O::default(), slice).and_then(Pending::wait);
    let gpu = Repeat { timer: Timer::Gpu, runs }.times(timed, &mut check)?;
    let called = || {
        let value = reducer.reduce(O::default(), slice).and_then(Pending::wait)?;
        Ok::<_, wgpu_reduce::Error>(Timed { value, gpu_ns: None })
    };
    let call = Repeat { timer: Timer::Call, runs }.times(called, &mut check)?;
    Ok(Row { elements: slice.len(), passes: plan.passes.len(), gpu, call, ok })
}
