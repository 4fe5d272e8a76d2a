//! `sum --exact`: the exact sum of a file's elements; and what `dot --exact` shares with it.

use crate::along;
use crate::args;
use crate::check::Check;
use crate::failure::Failure;
use crate::input::Input;
use crate::measure::Times;
use crate::number::Number;
use crate::reduce::{measure, open, reduced, two_results};
use crate::report::Report;
use crate::results::Files;
use crate::sample::with_sample;
use crate::stream::{Begun, Passage, Taken, take};
use std::io::Write;
use wgpu_reduce::{
    Element, ElementKind, ExactStream, ExactSum, ExactTuning, GpuReducer, Operation, Pending,
    SumExact, Timed,
};

pub(crate) fn sum(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let args::Sum { reduce: args::Reduce { common, .. }, bits, .. } = arguments;
    let input = open(common, Operation::<f32>::record(&SumExact))?;
    if input.element() != ElementKind::F32 {
        return sum_of_halves(input, arguments, out);
    }
    let reducer = common.device.open(|options| options)?;
    let mut on_cpu = common.check.then(ExactSum::new);
    let see = |elements: &[f32]| {
        if let Some(sum) = &mut on_cpu {
            sum.add_slice(elements);
        }
        Ok(())
    };
    let open = || ExactStream::new(&reducer, &common.memory.options());
    let taken = take(&reducer, input, common.memory, open, see)?;
    let answer = Answer::new("sum_exact", 1, common, *bits, &reducer);
    let measured = match taken {
        Taken::Resident(buffers) => {
            let elements = buffers.all()?;
            let tuning = ExactTuning::for_len(&reducer.caps(), elements.len());
            answer.measure(
                || reducer.reduce(SumExact, elements.clone()).unrounded().start(),
                || {
                    reducer
                        .reduce(SumExact, elements.clone())
                        .unrounded()
                        .tuned(tuning)
                        .timed()
                        .start()
                },
            )?
        }
        Taken::Streamed(stream, begun) => Measured::streamed(stream.finish()?.wait()?, begun),
    };
    answer.print(&measured, on_cpu.as_ref(), common.json, out)
}

/// The exact sum of floats of 16 bits, which only the operation takes.
fn sum_of_halves(input: Input, arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let args::Sum { reduce: args::Reduce { common, .. }, bits, .. } = arguments;
    let report = with_sample!(input.element(), T in half_floats => {
        reduced::<T>(&SumExact.into(), input, common)
    })?;
    if *bits { print_bits(&report, out) } else { report.print(common.json, out) }
}

/// With `--axis`, `--offsets` or `--keys`: each of the sums.
pub(crate) fn sums(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let reduce = &arguments.reduce;
    let input = open(&reduce.common, Operation::<f32>::record(&SumExact))?;
    let files = Files::open(reduce)?;
    with_sample!(input.element(), T in short_floats => {
        along::reduce::<T>(&SumExact.into(), input, files, reduce, out)
    })
}

/// What is printed of an exact sum.
pub(crate) struct Answer {
    op: &'static str,
    /// How many inputs have so many elements.
    inputs: u64,
    timed_runs: u32,
    /// The bits, and nothing else.
    bits: bool,
    adapter: String,
}

/// An exact sum, and how long it took.
pub(crate) struct Measured {
    sum: ExactSum,
    times: Option<Times>,
    is_timed: bool,
    streamed: Option<Passage>,
}

impl Measured {
    pub(crate) fn streamed(sum: ExactSum, begun: Begun) -> Self {
        Self { sum, times: None, is_timed: false, streamed: Some(begun.passage()) }
    }
}

impl Answer {
    /// What the arguments ask for of an operation of so many inputs.
    pub(crate) fn new(
        op: &'static str,
        inputs: u64,
        arguments: &args::Common,
        bits: bool,
        reducer: &GpuReducer,
    ) -> Self {
        let (timed_runs, adapter) = (arguments.repetitions, reducer.adapter_label());
        Self { op, inputs, timed_runs, bits, adapter }
    }

    pub(crate) fn measure(
        &self,
        start: impl Fn() -> wgpu_reduce::Result<Pending<ExactSum>>,
        start_timed: impl Fn() -> wgpu_reduce::Result<Pending<Timed<ExactSum>>>,
    ) -> Result<Measured, Failure> {
        let (sum, times) = measure(start, start_timed, self.timed_runs, same_sums)?;
        Ok(Measured { sum, times, is_timed: self.timed_runs > 0, streamed: None })
    }

    pub(crate) fn print(
        &self,
        measured: &Measured,
        on_cpu: Option<&ExactSum>,
        json: bool,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let Measured { sum, times, is_timed, streamed } = measured;
        let bytes = self.inputs * sum.count() * f32::KIND.size_bytes();
        let report = Report {
            op: self.op,
            value: sum.round().into(),
            elements: sum.count(),
            dtype: ElementKind::F32,
            adapter: self.adapter.clone(),
            is_timed: *is_timed,
            gpu_us: times.map(|times| times.median_us),
            gb_per_s: times.map(|times| times.gb_per_s(bytes)),
            tuning: None,
            streamed: *streamed,
            check: on_cpu.map(|on_cpu| judge(sum, on_cpu)),
        };
        if self.bits { print_bits(&report, out) } else { report.print(json, out) }
    }
}

/// The bits of the result, and nothing else; fails if the check did.
fn print_bits(report: &Report, out: &mut impl Write) -> Result<(), Failure> {
    let printed = match report.value.first() {
        Number::F32(value) => writeln!(out, "{:08x}", value.to_bits()).map_err(Failure::from),
        number => Err(Failure::Failed(format!("{number} has no 32 bits; please report this"))),
    };
    report.verdict().and(printed)
}

/// Fails if two runs differ in a digit.
fn same_sums(one: &ExactSum, other: &ExactSum) -> Result<(), Failure> {
    if one == other {
        return Ok(());
    }
    Err(two_results(&one.round_f64().into(), &other.round_f64().into()))
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
