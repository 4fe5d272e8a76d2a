//! `dot`: the dot product of the elements of two files.

use crate::args;
use crate::buffers::Buffers;
use crate::check::Gather as _;
use crate::exact::{Answer, Runs};
use crate::failure::Failure;
use crate::figures::Figures;
use crate::input::Input;
use crate::kept::{Kept, compare};
use crate::reduce::{measure, not_defined};
use crate::report::Report;
use crate::sample::{Sample, with_sample};
use crate::upload::upload;
use std::io::Write;
use std::path::Path;
use wgpu_reduce::{Dot, ElementKind, Error, ExactSum, GpuReducer, PairOperation};

pub(crate) fn run(arguments: &args::Dot, out: &mut impl Write) -> Result<(), Failure> {
    let args::Dot { reduce, other, exact: is_exact, .. } = arguments;
    if [&reduce.file, other].iter().all(|file| file.as_path() == Path::new("-")) {
        return Err(Failure::Usage("standard input can only be one of both files".into()));
    }
    if let Some(option) = reduce.along.option() {
        return Err(Failure::Usage(format!("{option} is for the operations of one file")));
    }
    let left = Input::open(&reduce.file, reduce.format, reduce.dtype)?;
    let right = Input::open(other, reduce.format, reduce.dtype)?;
    let (element, of_other) = (left.element(), right.element());
    if element != of_other {
        let what = format!("{of_other} elements cannot be paired with {element} elements");
        return Err(Failure::in_file(&other.display().to_string(), what));
    }
    if *is_exact {
        return exact(arguments, [left, right], out);
    }
    let dot = PairOperation::<f32>::record(&Dot);
    if !dot.takes(element) {
        return Err(not_defined(reduce, dot.name(), element));
    }
    let report = with_sample!(element, T in squared => {
        reduced::<T>([left, right], reduce)
    });
    report?.print(reduce.json, out)
}

/// Elements on the GPU, and those that are kept on the host.
type Uploaded<T> = (Buffers<T>, Kept<T>);

/// Uploads both inputs, and keeps the elements if they are to be checked.
fn upload_both<T: Sample>(
    reducer: &GpuReducer,
    [left, right]: [Input; 2],
    is_checked: bool,
) -> Result<[Uploaded<T>; 2], Failure> {
    let keep = |input| {
        let mut kept = Kept::default();
        let buffers = upload(reducer, input, |elements| {
            if is_checked {
                kept.add(elements);
            }
        })?;
        Ok::<_, Failure>((buffers, kept))
    };
    Ok([keep(left)?, keep(right)?])
}

fn reduced<T: Sample>(inputs: [Input; 2], arguments: &args::Reduce) -> Result<Report, Failure>
where
    Dot: PairOperation<T, Output: Into<Figures>>,
{
    let reducer = arguments.device.open(|options| options)?;
    let reducer = arguments.tuned.apply(reducer)?;
    let [(a, left), (b, right)] = upload_both::<T>(&reducer, inputs, arguments.check)?;
    let (a, b) = (a.all()?, b.all()?);
    let plan = reducer.plan_pair(Dot, a.clone(), b.clone())?;
    let (value, times) = measure(
        || reducer.reduce_pair(Dot, a.clone(), b.clone()),
        || reducer.reduce_pair_timed(Dot, a.clone(), b.clone()),
    )?;
    let check = || {
        let cpu = Dot.on_cpu(&left.0, &right.0)?.into();
        let bound = Dot.tolerance(&left.0, &right.0, &plan);
        Ok::<_, Error>(compare(cpu, &value.into(), &[bound]))
    };
    Ok(Report {
        op: plan.operation.name(),
        value: value.into(),
        elements: plan.len,
        dtype: plan.element,
        adapter: reducer.adapter_label(),
        gpu_us: times.map(|times| times.median_us),
        gb_per_s: times.map(|times| times.gb_per_s(plan.input_bytes())),
        tuning: reducer.tuning_table().map(|_| plan.tuning),
        check: arguments.check.then(check).transpose()?,
    })
}

const EXACT: &str = "dot_exact";

fn exact(arguments: &args::Dot, inputs: [Input; 2], out: &mut impl Write) -> Result<(), Failure> {
    let args::Dot { reduce, bits, .. } = arguments;
    let [element, _] = inputs.each_ref().map(Input::element);
    if element != ElementKind::F32 {
        return Err(not_defined(reduce, EXACT, element));
    }
    let reducer = reduce.device.open(|options| options)?;
    let [(a, left), (b, right)] = upload_both::<f32>(&reducer, inputs, reduce.check)?;
    let (a, b) = (a.all()?, b.all()?);
    let on_cpu = || {
        let mut sum = ExactSum::new();
        sum.add_products(&left.0, &right.0).map(|()| sum)
    };
    let on_cpu = reduce.check.then(on_cpu).transpose()?;
    let tuning = reducer.exact_pair_tuning(a.len());
    let runs = Runs {
        start: &|| reducer.reduce_pair_exact(a.clone(), b.clone()),
        start_timed: &|| reducer.reduce_pair_exact_with(&tuning, a.clone(), b.clone()),
    };
    let answer = Answer { op: EXACT, elements: a.len(), inputs: 2, bits: *bits };
    answer.print(&runs, on_cpu.as_ref(), &reducer.adapter_label(), reduce.json, out)
}
