//! `dot`: the dot product of the elements of two files.

use crate::args;
use crate::buffers::Buffers;
use crate::check::{Check, DOT_OVERFLOWED, SUM_OVERFLOWED};
use crate::chosen::dot;
use crate::exact::{Answer, Measured};
use crate::failure::Failure;
use crate::figures::Figures;
use crate::input::Input;
use crate::kept::compare;
use crate::memory;
use crate::number::Number;
use crate::order::{is_turned, need_row_major};
use crate::reduce::{Reduced, not_defined};
use crate::report::Report;
use crate::rounded::{Float, Terms};
use crate::sample::{Sample, with_elements, with_sample};
use crate::spent::{self, Stage};
use crate::stream::{PairSink, See, Taken, take_pair};
use std::io::Write;
use std::path::Path;
use wgpu_reduce::{
    Accuracy, AnySlices, AnyStream, Dot, DotExact, ElementKind, Error, ExactElement,
    ExactPairStream, ExactSum, GpuReducer, PairOperation,
};

pub(crate) fn run(arguments: &args::Dot, out: &mut impl Write) -> Result<(), Failure> {
    let args::Dot { common, other, exact: is_exact, .. } = arguments;
    if [&common.source.file, other].iter().all(|file| file.as_path() == Path::new("-")) {
        return Err(Failure::Usage("standard input can only be one of both files".into()));
    }
    let left = Input::open(&common.source.file, common.source.format, common.source.dtype)?;
    let right = Input::open(other, common.source.format, common.source.dtype)?;
    let (element, of_other) = (left.element(), right.element());
    if element != of_other {
        let what = format!("{of_other} elements cannot be paired with {element} elements");
        return Err(Failure::in_file(&other.display().to_string(), what));
    }
    if is_turned(&left) != is_turned(&right) {
        let turned = if is_turned(&left) { (&left, &common.source.file) } else { (&right, other) };
        need_row_major(turned.0, turned.1, "those of the other file in")?;
    }
    if *is_exact {
        return exact(arguments, [left, right], out);
    }
    let record = dot().record();
    if !record.takes(element) {
        return Err(not_defined(&common.source.file, record.name(), element, |kind| {
            record.takes(kind)
        }));
    }
    let report = with_sample!(element, T in squared => {
        reduced::<T>([left, right], common)
    });
    report?.print(common.source.json, out)
}

/// What has become of both inputs, and their elements if they are to be checked.
type Both<T, S> = (Taken<[Buffers<T>; 2], S>, [Vec<T>; 2]);

fn take_both<T: Sample, S: PairSink<T>>(
    reducer: &GpuReducer,
    inputs: [Input; 2],
    arguments: &args::Common,
    open: impl FnOnce() -> wgpu_reduce::Result<S>,
) -> Result<Both<T, S>, Failure> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let is_checked = arguments.check;
    if let (true, Some(elements)) = (is_checked, inputs.iter().find_map(Input::elements)) {
        memory::check_kept(elements.saturating_mul(2 * T::KIND.size_bytes()))?;
    }
    let keep = |kept: &mut Vec<T>, elements: &[T]| {
        let outcome = if is_checked { memory::keep(kept, elements) } else { Ok(()) };
        outcome.map_err(|error| memory::of_kept(&error))
    };
    let mut see_left = |elements: &[T]| keep(&mut left, elements);
    let mut see_right = |elements: &[T]| keep(&mut right, elements);
    let see: [See<'_, T>; 2] = [&mut see_left, &mut see_right];
    let taken = take_pair(reducer, inputs, arguments.memory, open, see)?;
    Ok((taken, [left, right]))
}

fn reduced<T: Paired>(inputs: [Input; 2], arguments: &args::Common) -> Result<Report, Failure>
where
    Dot: PairOperation<T, Output: Into<Figures>>,
{
    let reducer = arguments.source.device.open(|options| options)?;
    let reducer = arguments.tuned.apply(reducer)?;
    let (options, dot) = (arguments.memory.options(), dot());
    let open = || AnyStream::new(&reducer, &dot, T::KIND, &options);
    let (taken, [left, right]) = take_both::<T, _>(&reducer, inputs, arguments, open)?;
    let result = match taken {
        Taken::Resident([a, b]) => {
            let pairs = AnySlices::from(a.all()?).paired(b.all()?.into())?;
            Reduced::at_once(&reducer, &dot, &pairs, arguments.repetitions)?
        }
        Taken::Streamed(stream, begun) => Reduced::in_pieces(stream, begun)?,
    };
    let check = || T::judge(&left, &right, &result);
    let check = arguments.check.then(check).transpose()?;
    Ok(result.report(&reducer, check))
}

/// An element whose dot products are judged.
trait Paired: Sample {
    /// Compares with what a device has made of these.
    fn judge(left: &[Self], right: &[Self], result: &Reduced) -> Result<Check, Error>;
}

macro_rules! integers {
    ([$($integer:ty),*]) => {$(
        impl Paired for $integer {
            fn judge(left: &[Self], right: &[Self], result: &Reduced) -> Result<Check, Error> {
                let cpu = Dot.on_cpu(left, right)?.into();
                Ok(compare(cpu, &result.value, &[0.0]))
            }
        }
    )*};
}
with_elements!(short_integers, [integers] {});

macro_rules! floats {
    ([$($float:ty),*] in $sum:ty) => {$(
        impl Paired for $float {
            fn judge(left: &[Self], right: &[Self], result: &Reduced) -> Result<Check, Error> {
                judge_floats::<Self, $sum>(left, right, result.value.first(), result.plan.accuracy())
            }
        }
    )*};
}
floats!([f32, half::f16, half::bf16] in f32);
floats!([f64] in f64);

/// Products round, too.
fn judge_floats<T: Sample + Into<F>, F: Float>(
    left: &[T],
    right: &[T],
    gpu: Number,
    mut accuracy: Accuracy,
) -> Result<Check, Error> {
    let mut terms = Terms::<F>::default();
    terms.add_products(left, right)?;
    accuracy.roundings = accuracy.roundings.saturating_add(2);
    let note = if has_exact(T::KIND) { SUM_OVERFLOWED } else { DOT_OVERFLOWED };
    Ok(terms.judge(gpu, &accuracy, note))
}

const EXACT: &str = "dot_exact";

/// Returns whether `--exact` takes such elements.
pub(crate) const fn has_exact(element: ElementKind) -> bool {
    matches!(element, ElementKind::F32 | ElementKind::F64)
}

fn exact(arguments: &args::Dot, inputs: [Input; 2], out: &mut impl Write) -> Result<(), Failure> {
    let [element, _] = inputs.each_ref().map(Input::element);
    if !has_exact(element) {
        return Err(not_defined(&arguments.common.source.file, EXACT, element, has_exact));
    }
    with_sample!(element, T in summed_whole => exact_of::<T>(arguments, inputs, out))
}

fn exact_of<T: ExactElement + Sample + Into<Number>>(
    arguments: &args::Dot,
    inputs: [Input; 2],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let args::Dot { common, bits, .. } = arguments;
    let reducer = common.source.device.open(|options| options)?;
    let open = || ExactPairStream::new(&reducer, &common.memory.options());
    let (taken, [left, right]) = take_both::<T, _>(&reducer, inputs, common, open)?;
    let on_cpu = || {
        let mut sum = ExactSum::new();
        sum.add_products(&left, &right).map(|()| sum)
    };
    let on_cpu = common.check.then(on_cpu).transpose()?;
    let answer = Answer::new(EXACT, 2, common, *bits, &reducer);
    let measured = match taken {
        Taken::Resident([a, b]) => {
            let request = reducer.reduce(DotExact, (a.all()?, b.all()?)).unrounded();
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
