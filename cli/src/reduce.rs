//! Operations on a file's elements.

use crate::args;
use crate::check::Check;
use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::input::Input;
use crate::measure::Times;
use crate::memory;
use crate::order::need_row_major;
use crate::report::{Report, overflow};
use crate::sample::Sample;
use crate::spent::{self, Stage};
use crate::stream::{Begun, Passage, Taken, take};
use std::path::Path;
use wgpu_reduce::{
    AnyOperation, AnySlices, AnyStream, ElementKind, Error, GpuReducer, OpRecord, Pending, Plan,
    Timed,
};

/// Opens the file and makes sure that the operation takes what is in it.
pub(crate) fn open(arguments: &args::Common, operation: &OpRecord) -> Result<Input, Failure> {
    let input =
        Input::open(&arguments.source.file, arguments.source.format, arguments.source.dtype)?;
    if operation.takes(input.element()) {
        return Ok(input);
    }
    let takes = |element| operation.takes(element);
    Err(not_defined(&arguments.source.file, operation.name(), input.element(), takes))
}

/// What is said of a file whose elements an operation does not take: which it takes, and how they become such.
pub(crate) fn not_defined(
    file: &Path,
    operation: &'static str,
    element: ElementKind,
    takes: impl Fn(ElementKind) -> bool,
) -> Failure {
    let error = Error::NotDefined { operation, element: element.name() };
    let others = ElementKind::ALL.into_iter().filter(|&kind| takes(kind));
    let others: Vec<_> = others.map(ElementKind::name).collect();
    let casts = casts(element, takes).join(", and ");
    let cast = if casts.is_empty() { casts } else { format!("; in NumPy {casts}") };
    let what = format!("{error}, but for {}{cast}", others.join(", "));
    Failure::in_file(&file.display().to_string(), what)
}

/// Returns how NumPy makes of elements such as an operation takes.
fn casts(element: ElementKind, takes: impl Fn(ElementKind) -> bool) -> Vec<&'static str> {
    use ElementKind::{F32, F64, I32, I64, U32, U64};
    let wide = (F64, "a.astype('f8') keeps integers up to 2^53");
    let of_element = match element {
        F64 => vec![(F32, "a.astype('f4') rounds to f32")],
        I64 => vec![(I32, "a.astype('i4') makes i32 of what fits"), wide],
        U64 => vec![(U32, "a.astype('u4') makes u32 of what fits"), wide],
        _ => Vec::new(),
    };
    let possible = of_element.into_iter().filter(|&(kind, _)| takes(kind));
    possible.map(|(_, cast)| cast).collect()
}

/// Uploads the input, reduces it and, if that is asked for, compares with the CPU.
pub(crate) fn reduced<T: Sample>(
    operation: &Chosen,
    input: Input,
    arguments: &args::Common,
) -> Result<Report, Failure> {
    let record = operation.record();
    if record.finds_indices() {
        let what = format!("the indices of {} count in", record.name());
        need_row_major(&input, &arguments.source.file, &what)?;
    }
    let reducer = arguments.source.device.open(|options| options)?;
    let reducer = arguments.tuned.apply(reducer)?;
    let mut tally = arguments.check.then(|| operation.tally(T::KIND)).transpose()?;
    if let (Some(tally), Some(elements)) = (&tally, input.elements()) {
        memory::check_kept(tally.kept_bytes(elements))?;
    }
    let see = |elements: &[T]| {
        let added =
            tally.as_mut().map_or(Ok(()), |tally| tally.add(bytemuck::cast_slice(elements)));
        added.map_err(|error| memory::of_kept(&error))
    };
    let options = arguments.memory.options();
    let open = || AnyStream::new(&reducer, &operation.any, T::KIND, &options);
    let name = input.name().to_owned();
    let result = match take(&reducer, input, arguments.memory, open, see)? {
        Taken::Resident(buffers) => {
            let elements = AnySlices::from(buffers.all()?);
            Reduced::at_once(&reducer, &operation.any, &elements, arguments.repetitions)
        }
        Taken::Streamed(stream, begun) => Reduced::in_pieces(stream, begun),
    };
    let result = result.map_err(|failure| failure.of_file(&name))?;
    let check = tally.map(|tally| tally.judge(&result.value, &result.plan)).transpose()?;
    Ok(result.report(&reducer, check))
}

/// A result, and how it was come by.
pub(crate) struct Reduced {
    pub(crate) plan: Plan,
    pub(crate) value: Figures,
    times: Option<Times>,
    is_timed: bool,
    streamed: Option<Passage>,
}

impl Reduced {
    /// The result of what is on the GPU as a whole; with so many further runs that are timed.
    pub(crate) fn at_once(
        reducer: &GpuReducer,
        operation: &AnyOperation<Figures>,
        elements: &AnySlices<'_>,
        timed_runs: u32,
    ) -> Result<Self, Failure> {
        let request = reducer.reduce(operation, elements.clone());
        let (plan, with_time) = (request.plan()?, request.clone().timed());
        Self::measured(plan, || request.start(), || with_time.start(), timed_runs)
    }

    /// The result of one run, with the times of so many more.
    pub(crate) fn measured(
        plan: Plan,
        start: impl Fn() -> wgpu_reduce::Result<Pending<Figures>>,
        start_timed: impl Fn() -> wgpu_reduce::Result<Pending<Timed<Figures>>>,
        timed_runs: u32,
    ) -> Result<Self, Failure> {
        let (value, times) = measure(start, start_timed, timed_runs, same_figures)?;
        Ok(Self { plan, value, times, is_timed: timed_runs > 0, streamed: None })
    }

    /// The result of what has passed through.
    pub(crate) fn in_pieces(stream: AnyStream<Figures>, begun: Begun) -> Result<Self, Failure> {
        let plan = stream.plan(stream.len())?;
        let value = spent::on(Stage::Result, || stream.finish()?.wait())?;
        Ok(Self { plan, value, times: None, is_timed: false, streamed: Some(begun.passage()) })
    }

    pub(crate) fn report(&self, reducer: &GpuReducer, check: Option<Check>) -> Report {
        let Self { plan, value, times, is_timed, streamed } = self;
        let note = overflow(plan.operation, value, plan.element).filter(|_| check.is_none());
        Report {
            op: plan.operation,
            value: value.clone(),
            elements: plan.len,
            dtype: plan.element,
            adapter: reducer.adapter_label(),
            is_timed: *is_timed,
            gpu_us: times.map(|times| times.median_us),
            gb_per_s: times.map(|times| times.gb_per_s(plan.input_bytes())),
            tuning: reducer.tuning_table().and(plan.tuning.whole()),
            streamed: *streamed,
            check,
            spent: Some(spent::so_far()),
            note,
        }
    }
}

/// The value of one run, and the times of so many more. They must agree, or `agree` fails.
pub(crate) fn measure<R>(
    start: impl Fn() -> wgpu_reduce::Result<Pending<R>>,
    start_timed: impl Fn() -> wgpu_reduce::Result<Pending<Timed<R>>>,
    timed_runs: u32,
    agree: impl Fn(&R, &R) -> Result<(), Failure>,
) -> Result<(R, Option<Times>), Failure> {
    let value = spent::on(Stage::Result, || start()?.wait())?;
    let mut times = Vec::new();
    for _ in 0..timed_runs {
        let run = start_timed()?.wait()?;
        agree(&value, &run.value)?;
        times.extend(run.gpu_ns);
    }
    Ok((value, Times::of(times)))
}

/// Fails if two runs differ in a bit of what is printed.
fn same_figures(one: &Figures, other: &Figures) -> Result<(), Failure> {
    if one.same_bits(other) { Ok(()) } else { Err(two_results(one, other)) }
}

/// What is said of runs that do not agree.
pub(crate) fn two_results(one: &Figures, other: &Figures) -> Failure {
    Failure::Failed(format!(
        "two runs gave different results, {one} and {other}; please report this"
    ))
}

#[cfg(test)]
mod tests {
    use super::{casts, measure};
    use std::cell::Cell;
    use wgpu_reduce::{ElementKind, GpuReducer, Options, Sum};

    #[test]
    fn casts_are_to_types_that_are_taken() {
        use ElementKind::{F32, F64, I32, I64, U8, U32, U64};
        for (element, taken, expected) in [
            (I64, &[F32, I32, U32][..], &["i4"][..]),
            (I64, &[F64, I32], &["i4", "f8"]),
            (U64, &[F64, I32, U32], &["u4", "f8"]),
            (U64, &[F32, F64], &["f8"]),
            (F64, &[F32], &["f4"]),
            (F64, &[I32], &[]),
            (U8, &[F32, F64, I32], &[]),
        ] {
            let found = casts(element, |kind| taken.contains(&kind));
            let codes: Vec<_> = found.iter().filter_map(|cast| cast.split('\'').nth(1)).collect();
            assert_eq!(codes, expected, "{element}");
        }
    }

    #[test]
    fn an_input_is_reduced_once_and_again_for_each_time_that_is_asked_for() {
        let may_lack = std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some();
        let reducer = match pollster::block_on(GpuReducer::request(&Options::default())) {
            Ok(reducer) => reducer,
            Err(error) => return assert!(may_lack, "nothing was tested: {error}"),
        };
        let numbers = reducer.upload(&[1_u32, 2, 4]).unwrap();
        for timed_runs in [0, 1, 5] {
            let (runs, again) = (Cell::new(0), Cell::new(0));
            let start = || {
                runs.set(runs.get() + 1);
                reducer.reduce(Sum, &numbers).start()
            };
            let start_timed = || {
                again.set(again.get() + 1);
                reducer.reduce(Sum, &numbers).timed().start()
            };
            let (sum, times) = measure(start, start_timed, timed_runs, |_, _| Ok(())).unwrap();
            assert_eq!((sum, runs.get(), again.get()), (7, 1, timed_runs));
            assert!(timed_runs > 0 || times.is_none());
        }
    }
}
