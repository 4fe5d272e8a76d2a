//! `sum --exact`: the exact sum of a file's elements; and what `dot --exact` shares with it.

use crate::along;
use crate::args;
use crate::check::Check;
use crate::failure::Failure;
use crate::input::Input;
use crate::measure::Times;
use crate::number::Number;
use crate::reduce::{measure, not_defined, open, reduced, two_results};
use crate::report::Report;
use crate::results::Files;
use crate::sample::{Sample, with_sample};
use crate::spent::{self, Stage};
use crate::stream::{Begun, Passage, Taken, take};
use std::io::Write;
use wgpu_reduce::{
    ElementKind, ExactElement, ExactStream, ExactSum, GpuReducer, OpRecord, Operation, Pending,
    SumExact, Timed,
};

/// The operation, which takes other elements than whole files may have.
pub(crate) fn record() -> &'static OpRecord {
    Operation::<f32>::record(&SumExact)
}

pub(crate) fn sum(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let common = &arguments.reduce.common;
    let input = Input::open(&common.source.file, common.source.format, common.source.dtype)?;
    let element = input.element();
    let takes = |kind| record().takes(kind);
    match element {
        _ if !takes(element) => {
            Err(not_defined(&common.source.file, record().name(), element, takes))
        }
        ElementKind::F16 | ElementKind::Bf16 => sum_of_halves(input, arguments, out),
        _ => with_sample!(element, T in summed_whole => sum_of::<T>(input, arguments, out)),
    }
}

fn sum_of<T: ExactElement + Sample + Into<Number>>(
    input: Input,
    arguments: &args::Sum,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let args::Sum { reduce: args::Reduce { common, .. }, bits, .. } = arguments;
    let reducer = common.source.device.open(|options| options)?;
    let mut on_cpu = common.check.then(ExactSum::new);
    let see = |elements: &[T]| {
        if let Some(sum) = &mut on_cpu {
            sum.add_slice(elements);
        }
        Ok(())
    };
    let open = || ExactStream::new(&reducer, &common.memory.options());
    let taken = take(&reducer, input, common.memory, open, see)?;
    let answer = Answer::new(record().name(), 1, common, *bits, &reducer);
    let measured = match taken {
        Taken::Resident(buffers) => {
            let request = reducer.reduce(SumExact, buffers.all()?).unrounded();
            let with_time = request.clone().timed();
            answer.measure(|| request.start(), || with_time.start())?
        }
        Taken::Streamed(stream, begun) => {
            let sum = spent::on(Stage::Result, || stream.finish()?.wait())?;
            Measured::streamed(sum, begun)
        }
    };
    answer.print(&measured, on_cpu.as_ref(), common.source.json, out)
}

/// The exact sum of floats of 16 bits, which only the operation takes.
fn sum_of_halves(input: Input, arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let args::Sum { reduce: args::Reduce { common, .. }, bits, .. } = arguments;
    let report = with_sample!(input.element(), T in half_floats => {
        reduced::<T>(&SumExact.into(), input, common)
    })?;
    if *bits { print_bits(&report, out) } else { report.print(common.source.json, out) }
}

/// With `--axis`, `--offsets` or `--keys`: each of the sums.
pub(crate) fn sums(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let reduce = &arguments.reduce;
    let input = open(&reduce.common, record())?;
    let files = Files::of_reduction(reduce)?;
    with_sample!(input.element(), T in floats => {
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
pub(crate) struct Measured<T: ExactElement> {
    sum: ExactSum<T>,
    times: Option<Times>,
    is_timed: bool,
    streamed: Option<Passage>,
}

impl<T: ExactElement> Measured<T> {
    pub(crate) fn streamed(sum: ExactSum<T>, begun: Begun) -> Self {
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

    pub(crate) fn measure<T: ExactElement + Into<Number>>(
        &self,
        start: impl Fn() -> wgpu_reduce::Result<Pending<ExactSum<T>>>,
        start_timed: impl Fn() -> wgpu_reduce::Result<Pending<Timed<ExactSum<T>>>>,
    ) -> Result<Measured<T>, Failure> {
        let (sum, times) = measure(start, start_timed, self.timed_runs, same_sums)?;
        Ok(Measured { sum, times, is_timed: self.timed_runs > 0, streamed: None })
    }

    pub(crate) fn print<T: ExactElement + Into<Number>>(
        &self,
        measured: &Measured<T>,
        on_cpu: Option<&ExactSum<T>>,
        json: bool,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let Measured { sum, times, is_timed, streamed } = measured;
        let bytes = self.inputs * sum.count() * T::KIND.size_bytes();
        let report = Report {
            op: self.op,
            value: rounded(sum).into(),
            elements: sum.count(),
            dtype: T::KIND,
            adapter: self.adapter.clone(),
            is_timed: *is_timed,
            gpu_us: times.map(|times| times.median_us),
            gb_per_s: times.map(|times| times.gb_per_s(bytes)),
            tuning: None,
            streamed: *streamed,
            check: on_cpu.map(|on_cpu| judge(sum, on_cpu)),
            spent: Some(spent::so_far()),
            note: None,
        };
        if self.bits { print_bits(&report, out) } else { report.print(json, out) }
    }
}

/// The bits of the result, and nothing else; fails if the check did.
fn print_bits(report: &Report, out: &mut impl Write) -> Result<(), Failure> {
    let printed = match report.value.first() {
        Number::F32(value) => writeln!(out, "{:08x}", value.to_bits()).map_err(Failure::from),
        Number::F64(value) => writeln!(out, "{:016x}", value.to_bits()).map_err(Failure::from),
        number => Err(Failure::Failed(format!("{number} is no float; please report this"))),
    };
    report.verdict().and(printed)
}

/// Fails if two runs differ in a digit.
fn same_sums<T: ExactElement + Into<Number>>(
    one: &ExactSum<T>,
    other: &ExactSum<T>,
) -> Result<(), Failure> {
    if one == other {
        return Ok(());
    }
    Err(two_results(&rounded(one).into(), &rounded(other).into()))
}

fn rounded<T: ExactElement + Into<Number>>(sum: &ExactSum<T>) -> Number {
    sum.round().into()
}

/// The CPU's sum of the same elements must have the same digits.
fn judge<T: ExactElement + Into<Number>>(sum: &ExactSum<T>, on_cpu: &ExactSum<T>) -> Check {
    let ok = sum == on_cpu;
    let cpu = rounded(on_cpu);
    // Digits that rounding leaves out may differ, too.
    let difference = rounded(sum).distance(cpu).max(f64::MIN_POSITIVE);
    Check {
        cpu: cpu.into(),
        difference: if ok { 0.0 } else { difference }.into(),
        bound: 0.0_f64.into(),
        ok: Some(ok),
        note: None,
        doubt: None,
    }
}
