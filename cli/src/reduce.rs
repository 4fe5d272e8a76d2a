//! Operations on a file's elements.

use crate::args;
use crate::check::{Check, Checked, Gather as _};
use crate::failure::Failure;
use crate::figures::Figures;
use crate::input::Input;
use crate::measure::Times;
use crate::order::need_row_major;
use crate::report::Report;
use crate::sample::Sample;
use crate::stream::{Begun, Passage, Taken, take};
use wgpu_reduce::{ElementKind, Error, GpuReducer, OpRecord, Pending, Plan, Timed};

/// Opens the file and makes sure that the operation takes what is in it.
pub(crate) fn open(arguments: &args::Common, operation: &OpRecord) -> Result<Input, Failure> {
    let input = Input::open(&arguments.file, arguments.format, arguments.dtype)?;
    if operation.takes(input.element()) {
        return Ok(input);
    }
    Err(not_defined(arguments, operation.name(), input.element()))
}

/// What is said of a file whose elements an operation does not take.
pub(crate) fn not_defined(
    arguments: &args::Common,
    operation: &'static str,
    element: ElementKind,
) -> Failure {
    let error = Error::NotDefined { operation, element: element.name() };
    Failure::in_file(&arguments.file.display().to_string(), error)
}

/// Uploads the input, reduces it and, if that is asked for, compares with the CPU. What is printed, and the result as
/// it is.
pub(crate) fn reduced<T: Sample, O: Checked<T>>(
    operation: O,
    input: Input,
    arguments: &args::Common,
) -> Result<(Report, O::Output), Failure> {
    let record = operation.record();
    if record.finds_indices() {
        let what = format!("the indices of {} count in", record.name());
        need_row_major(&input, &arguments.file, &what)?;
    }
    let reducer = arguments.device.open(|options| options)?;
    let reducer = arguments.tuned.apply(reducer)?;
    let mut tally = arguments.check.then(O::Tally::default);
    let see = |elements: &[T]| {
        if let Some(tally) = &mut tally {
            tally.add(elements);
        }
    };
    let options = arguments.memory.options();
    let open = || reducer.stream(operation, &options);
    let result = match take(&reducer, input, arguments.memory, open, see)? {
        Taken::Resident(buffers) => {
            let elements = buffers.all()?;
            let plan = reducer.reduce(operation, elements.clone()).plan()?;
            Reduced::at_once(
                plan,
                || reducer.reduce(operation, elements.clone()).start(),
                || reducer.reduce(operation, elements.clone()).timed().start(),
            )?
        }
        Taken::Streamed(stream, begun) => {
            let plan = stream.plan(stream.len())?;
            Reduced::in_pieces(plan, stream.finish()?, begun)?
        }
    };
    let Reduced { plan, value, .. } = &result;
    let check = tally.map(|tally| operation.judge(&tally, *value, plan)).transpose()?;
    Ok((result.report(&reducer, check), result.value))
}

/// A result, and how it was come by.
pub(crate) struct Reduced<R> {
    pub(crate) plan: Plan,
    pub(crate) value: R,
    times: Option<Times>,
    streamed: Option<Passage>,
}

impl<R: Copy + Into<Figures>> Reduced<R> {
    /// Of what is on the GPU as a whole.
    pub(crate) fn at_once(
        plan: Plan,
        start: impl Fn() -> wgpu_reduce::Result<Pending<R>>,
        start_timed: impl Fn() -> wgpu_reduce::Result<Pending<Timed<R>>>,
    ) -> Result<Self, Failure> {
        let (value, times) = measure(start, start_timed, TIMED_RUNS, same_figures)?;
        Ok(Self { plan, value, times, streamed: None })
    }

    /// Of what has passed through.
    pub(crate) fn in_pieces(plan: Plan, value: Pending<R>, begun: Begun) -> Result<Self, Failure> {
        let value = value.wait()?;
        Ok(Self { plan, value, times: None, streamed: Some(begun.passage()) })
    }

    pub(crate) fn report(&self, reducer: &GpuReducer, check: Option<Check>) -> Report {
        let Self { plan, value, times, streamed } = self;
        Report {
            op: plan.operation,
            value: (*value).into(),
            elements: plan.len,
            dtype: plan.element,
            adapter: reducer.adapter_label(),
            gpu_us: times.map(|times| times.median_us),
            gb_per_s: times.map(|times| times.gb_per_s(plan.input_bytes())),
            tuning: reducer.tuning_table().and(plan.tuning.whole()),
            streamed: *streamed,
            check,
        }
    }
}

/// Runs that count, after one that does not.
pub(crate) const TIMED_RUNS: usize = 5;

/// The value and its times, of so many runs that count. They must agree, or `agree` fails.
pub(crate) fn measure<R>(
    start: impl Fn() -> wgpu_reduce::Result<Pending<R>>,
    start_timed: impl Fn() -> wgpu_reduce::Result<Pending<Timed<R>>>,
    timed_runs: usize,
    agree: impl Fn(&R, &R) -> Result<(), Failure>,
) -> Result<(R, Option<Times>), Failure> {
    let value = start()?.wait()?;
    let mut times = Vec::with_capacity(timed_runs);
    for _ in 0..timed_runs {
        let run = start_timed()?.wait()?;
        agree(&value, &run.value)?;
        times.extend(run.gpu_ns);
    }
    Ok((value, Times::of(times)))
}

/// Fails if two runs differ in a bit of what is printed.
fn same_figures<R: Copy + Into<Figures>>(one: &R, other: &R) -> Result<(), Failure> {
    let (one, other): (Figures, Figures) = ((*one).into(), (*other).into());
    if one.same_bits(&other) { Ok(()) } else { Err(two_results(&one, &other)) }
}

/// What is said of runs that do not agree.
pub(crate) fn two_results(one: &Figures, other: &Figures) -> Failure {
    Failure::Failed(format!(
        "two runs gave different results, {one} and {other}; please report this"
    ))
}
