//! `sum` and its kin: one value of a file's elements.

use crate::args;
use crate::check::{Checked, Tally as _};
use crate::exact;
use crate::failure::Failure;
use crate::input::Input;
use crate::measure::Times;
use crate::number::Number;
use crate::report::Report;
use crate::sample::{Sample, with_sample};
use crate::upload::upload;
use std::io::Write;
use wgpu_reduce::{
    ElementKind, Error, GpuBuffer, GpuReducer, OpRecord, Operation, Sum, WrappingSum,
};

pub(crate) fn sum(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    if arguments.exact {
        return exact::sum(arguments, out);
    }
    let arguments = &arguments.reduce;
    let input = open(arguments, Operation::<f32>::record(&Sum))?;
    let report = with_sample!(
        input.element(), T in [f32, i32, u32] => reduced::<T, Sum>(input, arguments)
    );
    report?.print(arguments.json, out)
}

pub(crate) fn wrapping_sum(arguments: &args::Reduce, out: &mut impl Write) -> Result<(), Failure> {
    let input = open(arguments, Operation::<i32>::record(&WrappingSum))?;
    let report = with_sample!(
        input.element(), T in [i32, u32] => reduced::<T, WrappingSum>(input, arguments)
    );
    report?.print(arguments.json, out)
}

/// Opens the file and makes sure that the operation takes what is in it.
fn open(arguments: &args::Reduce, operation: &OpRecord) -> Result<Input, Failure> {
    let input = Input::open(&arguments.file, arguments.format, arguments.dtype)?;
    if operation.takes(input.element()) {
        return Ok(input);
    }
    Err(not_defined(arguments, operation.name(), input.element()))
}

/// What is said of a file whose elements an operation does not take.
pub(crate) fn not_defined(
    arguments: &args::Reduce,
    operation: &'static str,
    element: ElementKind,
) -> Failure {
    let error = Error::NotDefined { operation, element };
    Failure::in_file(&arguments.file.display().to_string(), error)
}

fn reduced<T: Sample, O: Checked<T>>(
    input: Input,
    arguments: &args::Reduce,
) -> Result<Report, Failure> {
    let reducer = arguments.device.open(|options| options)?;
    let reducer = arguments.tuned.apply(reducer)?;
    let mut tally = arguments.check.then(O::Tally::default);
    let buffer = upload(&reducer, input, |elements| {
        if let Some(tally) = &mut tally {
            tally.add(elements);
        }
    })?;
    let plan = reducer.plan(O::default(), &buffer)?;
    let (value, times) = measure::<T, O>(&reducer, &buffer)?;
    Ok(Report {
        op: plan.operation.name(),
        value: value.into(),
        elements: plan.len,
        dtype: plan.element,
        adapter: reducer.adapter_label(),
        gpu_us: times.map(|times| times.median_us),
        gb_per_s: times.map(|times| times.gb_per_s(plan.input_bytes())),
        tuning: reducer.tuning_table().map(|_| plan.tuning),
        check: tally.map(|tally| tally.judge(value, &plan)),
    })
}

/// Runs that count, after one that does not.
pub(crate) const TIMED_RUNS: usize = 5;

/// The value and its times. Runs must agree to the last bit.
fn measure<T: Sample, O: Checked<T>>(
    reducer: &GpuReducer,
    buffer: &GpuBuffer<T>,
) -> Result<(O::Output, Option<Times>), Failure> {
    let value = reducer.reduce(O::default(), buffer)?.wait()?;
    let mut times = Vec::with_capacity(TIMED_RUNS);
    for _ in 0..TIMED_RUNS {
        let run = reducer.reduce_timed(O::default(), buffer)?.wait()?;
        if bytemuck::bytes_of(&run.value) != bytemuck::bytes_of(&value) {
            return Err(two_results(value, run.value));
        }
        times.extend(run.gpu_ns);
    }
    Ok((value, Times::of(times)))
}

/// What is said of runs that do not agree.
pub(crate) fn two_results(one: impl Into<Number>, other: impl Into<Number>) -> Failure {
    let (one, other) = (one.into(), other.into());
    Failure::Failed(format!(
        "two runs gave different results, {one} and {other}; please report this"
    ))
}
