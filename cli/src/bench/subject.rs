//! Elements whose reduction is known, and how long it takes.

use super::report::Row;
use crate::check::{Checked, Gather as _};
use crate::failure::Failure;
use crate::figures::Figures;
use crate::measure::{Repeat, Term, Timer, make};
use crate::progress;
use wgpu_reduce::{GpuReducer, GpuSlices, Pending, Timed};

/// One for each of `lengths`, which rise.
pub(super) fn rows<T: Term, O: Checked<T>>(
    operation: O,
    reducer: &GpuReducer,
    lengths: &[u64],
    runs: u32,
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

/// GPU time and calls are timed apart: a run that is timed on the GPU takes longer as a call.
fn row<T: Term, O: Checked<T>>(
    operation: O,
    reducer: &GpuReducer,
    elements: &GpuSlices<'_, T>,
    tally: &O::Tally,
    runs: u32,
) -> Result<Row, Failure> {
    let plan = reducer.plan(operation, elements.clone())?;
    let first = reducer.reduce(operation, elements.clone())?.wait()?;
    let mut ok = operation.judge(tally, first, &plan)?.ok;
    let first: Figures = first.into();
    // The CPU takes long for some, so it is asked once: all runs must give the same.
    let mut check = |value: O::Output| ok &= first.same_bits(&value.into());
    let timed = || reducer.reduce_timed(operation, elements.clone()).and_then(Pending::wait);
    let gpu = Repeat { timer: Timer::Gpu, runs }.times(timed, &mut check)?;
    let called = || {
        let value = reducer.reduce(operation, elements.clone()).and_then(Pending::wait)?;
        Ok::<_, wgpu_reduce::Error>(Timed { value, gpu_ns: None })
    };
    let call = Repeat { timer: Timer::Call, runs }.times(called, &mut check)?;
    Ok(Row { elements: elements.len(), passes: plan.passes.len(), gpu, call, ok })
}
