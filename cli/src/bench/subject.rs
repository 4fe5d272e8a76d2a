//! Elements whose reduction is known, and how long it takes.

use super::report::Row;
use crate::check::Tally;
use crate::chosen::{Chosen, dot};
use crate::failure::Failure;
use crate::figures::Figures;
use crate::kept;
use crate::measure::{Flight, Repeat, Term, Timer, make, make_from, raise_clock};
use crate::memory;
use crate::progress;
use std::ops::ControlFlow::Continue;
use std::time::Duration;
use wgpu_reduce::{
    AnySlices, Dot, GpuReducer, GpuSlices, HostWork, PairOperation, Pending, Plan, Request, Timed,
};

/// One for each of `lengths`, which rise.
pub(super) fn rows<T: Term>(
    operation: &Chosen,
    reducer: &GpuReducer,
    lengths: &[u64],
    runs: Runs,
) -> Result<Vec<Row>, Failure> {
    let tally = |&len| Ok((len, operation.tally(T::KIND)?));
    let tallies = lengths.iter().map(tally).collect::<Result<Vec<_>, Failure>>()?;
    let kept = tallies.iter().map(|(len, tally)| tally.kept_bytes(*len));
    let kept = kept.fold(0, u64::saturating_add);
    let add = |tally: &mut Box<dyn Tally>, chunk: &[T]| tally.add(bytemuck::cast_slice(chunk));
    rows_of(reducer, tallies, kept, add, |tally, elements| {
        let request = reducer.reduce(&operation.any, AnySlices::from(elements));
        let judge = |first: &Figures, plan: &Plan| Ok(tally.judge(first, plan)?.ok == Some(true));
        row(reducer, &request, judge, Figures::same_bits, runs)
    })
}

/// A row of the first elements for each length and what is gathered of them, which keeps so many bytes in all.
fn rows_of<T: Term, G>(
    reducer: &GpuReducer,
    mut gathered: Vec<(u64, G)>,
    kept_bytes: u64,
    add: impl Fn(&mut G, &[T]) -> wgpu_reduce::Result<()>,
    row: impl Fn(G, GpuSlices<'_, T>) -> Result<Row, Failure>,
) -> Result<Vec<Row>, Failure> {
    let bar = progress::steps(gathered.len() as u64);
    bar.set_message("data");
    let most = gathered.last().map_or(0, |&(len, _)| len);
    check_memory::<T>(reducer, most, kept_bytes)?;
    let buffers = make(reducer, most, u32::BITS, |start, chunk: &[T]| {
        for (len, gathered) in &mut gathered {
            let left = usize::try_from(len.saturating_sub(start)).unwrap_or(usize::MAX);
            add(gathered, chunk.get(..left).unwrap_or(chunk))?;
        }
        Ok(Continue(()))
    })?;
    // While elements were made the GPU had time to rest.
    raise_clock(reducer, Duration::MAX)?;
    let rows = gathered.into_iter().map(|(len, gathered)| {
        bar.set_message(len.to_string());
        let row = row(gathered, buffers.first(len)?);
        bar.inc(1);
        row
    });
    let rows = rows.collect();
    bar.finish_and_clear();
    rows
}

/// Dot products, one for each of `lengths`, which rise; of two inputs that are not alike.
pub(super) fn pair_rows<T: Term>(
    reducer: &GpuReducer,
    lengths: &[u64],
    runs: Runs,
) -> Result<Vec<Row>, Failure>
where
    Dot: PairOperation<T, Output: Into<Figures>>,
{
    let bar = progress::steps(lengths.len() as u64);
    bar.set_message("data");
    let most = lengths.last().copied().unwrap_or_default();
    let bytes = most.saturating_mul(2 * T::KIND.size_bytes());
    check_memory::<T>(reducer, most.saturating_mul(2), bytes)?;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let a = make(reducer, most, u32::BITS, |_, chunk: &[T]| {
        memory::keep(&mut left, chunk).map(Continue)
    })?;
    let more = |_, chunk: &[T]| memory::keep(&mut right, chunk).map(Continue);
    let b = make_from(PARTNERS_FROM, reducer, most, u32::BITS, more)?;
    raise_clock(reducer, Duration::MAX)?;
    let rows = lengths.iter().map(|&len| {
        bar.set_message(len.to_string());
        let pairs = AnySlices::from(a.first(len)?).paired(b.first(len)?.into())?;
        let until = ..usize::try_from(len).unwrap_or(usize::MAX);
        let (left, right) = left.get(until).zip(right.get(until)).unwrap_or_default();
        let judge = |first: &Figures, plan: &Plan| {
            let bound = Dot.tolerance(left, right, &plan.accuracy());
            Ok(kept::compare(Dot.on_cpu(left, right)?.into(), first, &[bound]).ok == Some(true))
        };
        let operation = dot();
        let request = reducer.reduce(&operation, pairs);
        let row = row(reducer, &request, judge, Figures::same_bits, runs);
        bar.inc(1);
        row
    });
    let rows = rows.collect();
    bar.finish_and_clear();
    rows
}

/// Fails if there is no room for so many elements on the device and so many bytes on the host.
fn check_memory<T: Term>(reducer: &GpuReducer, elements: u64, kept: u64) -> Result<(), Failure> {
    let bytes = elements.saturating_mul(T::KIND.size_bytes());
    memory::check(kept)?;
    Ok(memory::check_device(reducer, bytes.saturating_add(kept))?)
}

/// The second input has other elements than the first.
const PARTNERS_FROM: u64 = 0x5555_5555;

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
fn row<W: HostWork + Clone>(
    reducer: &GpuReducer,
    request: &Request<W>,
    judge: impl Fn(&W::Output, &Plan) -> wgpu_reduce::Result<bool>,
    same: impl Fn(&W::Output, &W::Output) -> bool,
    runs: Runs,
) -> Result<Row, Failure> {
    let (plan, timed) = (request.plan()?, request.clone().timed());
    let first = request.start()?.wait()?;
    let mut ok = judge(&first, &plan)?;
    // The CPU takes long for some, so it is asked once: all runs must give the same.
    let mut check = |value: W::Output| ok &= same(&first, &value);
    let repeat = Repeat { timer: Timer::Gpu, runs: runs.counted };
    let gpu = repeat.times_in_flight(runs.flight(reducer), || timed.start(), &mut check)?;
    let called = || {
        let value = request.start().and_then(Pending::wait)?;
        Ok::<_, wgpu_reduce::Error>(Timed { value, gpu_ns: None })
    };
    let call = Repeat { timer: Timer::Call, runs: runs.counted }.times(called, &mut check)?;
    Ok(Row { elements: plan.len, passes: plan.passes().len(), gpu, call, ok })
}
