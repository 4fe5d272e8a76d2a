//! `sum --exact`: the exact sum of a file's elements; and what `dot --exact` shares with it.

use crate::along;
use crate::args;
use crate::check::Check;
use crate::failure::Failure;
use crate::input::Input;
use crate::measure::Times;
use crate::reduce::{TIMED_RUNS, not_defined, two_results};
use crate::report::Report;
use crate::stream::{Begun, Passage, Taken, take};
use std::io::Write;
use wgpu_reduce::{Element, ElementKind, ExactSum, Pending, SumExact, Timed};

const OPERATION: &str = "sum_exact";

pub(crate) fn sum(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let args::Sum { reduce, bits, .. } = arguments;
    let input = open(reduce)?;
    let reducer = reduce.device.open(|options| options)?;
    let mut on_cpu = reduce.check.then(ExactSum::new);
    let see = |elements: &[f32]| {
        if let Some(sum) = &mut on_cpu {
            sum.add_slice(elements);
        }
    };
    let open = || reducer.stream_exact(&reduce.memory.options());
    let taken = take(&reducer, input, reduce.memory, open, see)?;
    let answer = Answer { op: OPERATION, inputs: 1, bits: *bits, adapter: reducer.adapter_label() };
    let measured = match taken {
        Taken::Resident(buffers) => {
            let elements = buffers.all()?;
            let tuning = reducer.exact_tuning(elements.len());
            answer.measure(&Runs {
                start: &|| reducer.reduce_exact(elements.clone()),
                start_timed: &|| reducer.reduce_exact_with(&tuning, elements.clone()),
            })?
        }
        Taken::Streamed(stream, begun) => Measured::streamed(stream.finish()?.wait()?, begun),
    };
    answer.print(&measured, on_cpu.as_ref(), reduce.json, out)
}

/// With `--axis`, `--offsets` or `--keys`: each of the sums.
pub(crate) fn sums(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let reduce = &arguments.reduce;
    along::reduce::<f32, _>(SumExact, open(reduce)?, reduce, out)
}

/// A file of `f32`.
fn open(reduce: &args::Reduce) -> Result<Input, Failure> {
    let input = Input::open(&reduce.file, reduce.format, reduce.dtype)?;
    if input.element() != ElementKind::F32 {
        return Err(not_defined(reduce, OPERATION, input.element()));
    }
    Ok(input)
}

/// How the same exact sum is started again and again.
pub(crate) struct Runs<'a> {
    pub(crate) start: &'a dyn Fn() -> wgpu_reduce::Result<Pending<ExactSum>>,
    pub(crate) start_timed: &'a dyn Fn() -> wgpu_reduce::Result<Pending<Timed<ExactSum>>>,
}

/// What is printed of an exact sum.
pub(crate) struct Answer {
    pub(crate) op: &'static str,
    /// How many inputs have so many elements.
    pub(crate) inputs: u64,
    /// The bits, and nothing else.
    pub(crate) bits: bool,
    pub(crate) adapter: String,
}

/// An exact sum, and how long it took.
pub(crate) struct Measured {
    sum: ExactSum,
    times: Option<Times>,
    streamed: Option<Passage>,
}

impl Measured {
    pub(crate) fn streamed(sum: ExactSum, begun: Begun) -> Self {
        Self { sum, times: None, streamed: Some(begun.passage()) }
    }
}

impl Answer {
    pub(crate) fn measure(&self, runs: &Runs<'_>) -> Result<Measured, Failure> {
        let (sum, times) = measure(runs, if self.bits { 0 } else { TIMED_RUNS })?;
        Ok(Measured { sum, times, streamed: None })
    }

    pub(crate) fn print(
        &self,
        measured: &Measured,
        on_cpu: Option<&ExactSum>,
        json: bool,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let Measured { sum, times, streamed } = measured;
        let value = sum.round();
        let bytes = self.inputs * sum.count() * f32::KIND.size_bytes();
        let report = Report {
            op: self.op,
            value: value.into(),
            elements: sum.count(),
            dtype: ElementKind::F32,
            adapter: self.adapter.clone(),
            gpu_us: times.map(|times| times.median_us),
            gb_per_s: times.map(|times| times.gb_per_s(bytes)),
            tuning: None,
            streamed: *streamed,
            check: on_cpu.map(|on_cpu| judge(sum, on_cpu)),
        };
        if self.bits {
            let printed = writeln!(out, "{:08x}", value.to_bits()).map_err(Failure::from);
            return report.verdict().and(printed);
        }
        report.print(json, out)
    }
}

/// The sum and its times. All runs must agree to the last digit.
fn measure(runs: &Runs<'_>, timed_runs: usize) -> Result<(ExactSum, Option<Times>), Failure> {
    let sum = (runs.start)()?.wait()?;
    let mut times = Vec::with_capacity(timed_runs);
    for _ in 0..timed_runs {
        let run = (runs.start_timed)()?.wait()?;
        if run.value != sum {
            return Err(two_results(&sum.round_f64().into(), &run.value.round_f64().into()));
        }
        times.extend(run.gpu_ns);
    }
    Ok((sum, Times::of(times)))
}

/// The CPU's sum of the same elements must have the same digits.
fn judge(sum: &ExactSum, on_cpu: &ExactSum) -> Check {
    let ok = sum == on_cpu;
    let difference = (sum.round_f64() - on_cpu.round_f64()).abs();
    Check {
        cpu: on_cpu.round().into(),
        difference: if ok { 0.0 } else { difference }.into(),
        bound: 0.0_f64.into(),
        ok,
        may_overflow: false,
    }
}
