//! `sum`: the sum of a file's elements.

use crate::args;
use crate::check::Tally;
use crate::failure::Failure;
use crate::input::Input;
use crate::measure::Times;
use crate::report::Report;
use crate::sample::{Sample, with_sample};
use crate::upload::upload;
use std::io::Write;
use wgpu_reduce::{GpuBuffer, GpuReducer, Operation, Sum};

pub(crate) fn run(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let input = Input::open(&arguments.file, arguments.format, arguments.dtype)?;
    let report = with_sample!(input.element(), sum_of(input, arguments))?;
    report.print(arguments.json, out)
}

fn sum_of<T: Sample>(input: Input, arguments: &args::Sum) -> Result<Report, Failure>
where
    Sum: Operation<T, Output = T::Total>,
{
    let reducer = arguments.adapter.open(|options| options.subgroups(!arguments.no_subgroups))?;
    let reducer = arguments.tuned.apply(reducer)?;
    let mut tally = arguments.check.then(T::Tally::default);
    let buffer = upload(&reducer, input, tally.as_mut())?;
    let plan = reducer.plan(Sum, &buffer)?;
    let (value, times) = measure(&reducer, &buffer)?;
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
const TIMED_RUNS: usize = 5;

/// The sum and its times. Runs must agree to the last bit.
fn measure<T: Sample>(
    reducer: &GpuReducer,
    buffer: &GpuBuffer<T>,
) -> Result<(T::Total, Option<Times>), Failure>
where
    Sum: Operation<T, Output = T::Total>,
{
    let value = reducer.reduce(Sum, buffer)?.wait()?;
    let mut times = Vec::with_capacity(TIMED_RUNS);
    for _ in 0..TIMED_RUNS {
        let run = reducer.reduce_timed(Sum, buffer)?.wait()?;
        if bytemuck::bytes_of(&run.value) != bytemuck::bytes_of(&value) {
            let (one, other) = (value.into(), run.value.into());
            return Err(Failure::Failed(format!(
                "two runs gave different results, {one} and {other}; please report this"
            )));
        }
        times.extend(run.gpu_ns);
    }
    Ok((value, Times::of(times)))
}
