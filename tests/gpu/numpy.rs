//! NumPy's results of edge cases: `tests/data/numpy_results.txt`, whose writer lies beside it.

use crate::harness::oracle::{are_at_end, overflowing};
use crate::harness::{Outcome, Rig, TestElement, ensure, on_every_rig};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use std::fmt::Debug;
use wgpu_reduce::{
    Accuracy, Element, Error, Extrema, Located, Operation, Pending, Statistics, Stats,
};
use wgpu_reduce_known::agrees;

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    on_every_rig(rigs, "numpy::every_case", every_case)
}

/// What a result is made of.
trait Figures: Debug {
    fn figures(&self) -> Vec<String>;
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Figures for $integer {
            fn figures(&self) -> Vec<String> {
                vec![format!("{}:{self}", stringify!($integer))]
            }
        }
    )*};
}
integers!(u8, i8, u16, i16, i32, u32, i64, u64, i128, u128);

macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Figures for $float {
            fn figures(&self) -> Vec<String> {
                let name = stringify!($float);
                let nan = format!("{name}:nan");
                vec![if self.is_nan() { nan } else { format!("{name}:{:x}", self.to_bits()) }]
            }
        }
    )*};
}
floats!(f16, bf16, f32, f64);

impl Figures for bool {
    fn figures(&self) -> Vec<String> {
        vec![format!("bool:{}", i32::from(*self))]
    }
}

impl<T: Figures> Figures for Located<T> {
    fn figures(&self) -> Vec<String> {
        [self.index.figures(), self.value.figures()].concat()
    }
}

impl<T: Figures> Figures for Extrema<T> {
    fn figures(&self) -> Vec<String> {
        [self.min.figures(), self.max.figures()].concat()
    }
}

impl<T: Figures, S: Figures, M: Figures> Figures for Statistics<T, S, M> {
    fn figures(&self) -> Vec<String> {
        let extremes = [self.count.figures(), self.min.figures(), self.max.figures()].concat();
        [extremes, self.sum.figures(), self.mean.figures(), self.variance.figures()].concat()
    }
}

/// The value of a float of the table.
fn float(figure: &str) -> Option<f64> {
    match figure.split_once(':')? {
        ("f16" | "bf16" | "f32" | "f64", "nan") => Some(f64::NAN),
        ("f16", bits) => Some(f16::from_bits(u16::from_str_radix(bits, 16).ok()?).into()),
        ("bf16", bits) => Some(bf16::from_bits(u16::from_str_radix(bits, 16).ok()?).into()),
        ("f32", bits) => Some(f32::from_bits(u32::from_str_radix(bits, 16).ok()?).into()),
        ("f64", bits) => Some(f64::from_bits(u64::from_str_radix(bits, 16).ok()?)),
        _ => None,
    }
}

/// A line of the table.
struct Row {
    operation: &'static str,
    element: &'static str,
    /// The bits of each element.
    bits: Vec<u64>,
    result: &'static str,
}

impl Row {
    fn elements<T: Element>(&self) -> Vec<T> {
        let bytes =
            self.bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size_of::<T>()));
        bytemuck::pod_collect_to_vec(&bytes.collect::<Vec<_>>())
    }
}

/// A line with elements is followed by those with the results of operations on them.
fn rows() -> Result<Vec<Row>, Failed> {
    let mut rows = Vec::new();
    let mut input: Option<(&str, Vec<u64>)> = None;
    for line in include_str!("../data/numpy_results.txt").lines().skip(1) {
        if let Some((element, words)) = line.split_once('|') {
            let bits = words.split_whitespace().map(|bits| u64::from_str_radix(bits, 16));
            input = Some((element, bits.collect::<Result<_, _>>()?));
        } else if let (Some((operation, result)), Some((element, bits))) =
            (line.split_once('>'), &input)
        {
            rows.push(Row { operation, element, bits: bits.clone(), result });
        } else {
            return Err(Failed::from(format!("{line}: neither elements nor a result of some")));
        }
    }
    Ok(rows)
}

/// An operation as rows name it.
#[derive(Clone, Copy)]
struct Case<O> {
    operation: O,
    /// What the table has behind its name.
    suffix: &'static str,
}

/// How far each figure of a device's result may be from the definition's.
trait Bounded<T: Element>: Operation<T, Output: Figures> {
    fn bounds(&self, values: &[T], accuracy: &Accuracy, figures: usize) -> Vec<f64> {
        vec![self.tolerance(values, accuracy); figures]
    }
}

/// Compares what a device computes, and what is defined, with NumPy's result, if the row is of this operation on
/// this type. In how many figures they differ where any number is within the bound; `None` of another row.
fn check<T: TestElement, O: Bounded<T>>(
    rig: &Rig,
    row: &Row,
    case: &Case<O>,
) -> Result<Option<usize>, Failed> {
    let Case { operation, suffix } = *case;
    let name = operation.record().name();
    if row.operation.strip_suffix(suffix) != Some(name) || T::KIND.name() != row.element {
        return Ok(None);
    }
    let values = &row.elements::<T>()[..];
    let buffer = rig.reducer.upload(values)?;
    let outcome = rig.reducer.reduce(operation, &buffer).start().and_then(Pending::wait);
    let defined = operation.on_cpu(values);
    // NumPy may give NaN and a warning for no elements; here that is an error.
    let is_error = row.result == "error" || values.is_empty() && row.result.ends_with(":nan");
    if is_error {
        let expected = Some(Error::Empty { operation: name });
        ensure!(outcome.as_ref().err() == expected.as_ref(), "{name} of {values:?}: {outcome:?}");
        ensure!(defined.as_ref().err() == expected.as_ref(), "{name} of {values:?}: {defined:?}");
        return Ok(Some(0));
    }
    let expected: Vec<_> = row.result.split_whitespace().collect();
    let accuracy = rig.reducer.reduce(operation, &buffer).plan()?.accuracy();
    let bounds = operation.bounds(values, &accuracy, expected.len());
    let allows = |sum| {
        let terms = overflowing(operation.record(), values);
        terms.map(|terms| terms.allows(sum, accuracy.roundings))
    };
    let mut unbounded = 0;
    for (result, is_computed) in [(outcome?, true), (defined?, false)] {
        let figures = result.figures();
        ensure!(figures.len() == expected.len(), "{name}: {result:?}");
        for ((figure, expected), &bound) in figures.iter().zip(&expected).zip(&bounds) {
            let tolerance = if is_computed || row.element == "f64" { bound } else { 0.0 };
            unbounded += usize::from(tolerance == f64::INFINITY && figure != expected);
            ensure!(
                is_near((figure, expected), row, (tolerance, bound > 0.0), allows),
                "{}{suffix} of {values:?}: {result:?}, but NumPy has {} (within {tolerance:e})",
                name,
                row.result
            );
        }
    }
    Ok(Some(unbounded))
}

/// What results of integers that are f64 may be off by, as a part of the number: two or three roundings of ours, and
/// as many of NumPy's.
const ROUNDINGS_OF_BOTH: f64 = 4.0 * f64::EPSILON;

/// Whether a figure is NumPy's, or a float of the same type near enough. Of one that rounds, the sign of 0 is nobody's. A
/// sum whose partial sums may overflow is what `allows` says.
fn is_near(
    (figure, expected): (&str, &str),
    row: &Row,
    (tolerance, rounds): (f64, bool),
    allows: impl Fn(f64) -> Option<bool>,
) -> bool {
    let (Some(near), Some(right)) = (float(figure), float(expected)) else {
        return figure == expected;
    };
    let is_double = expected.starts_with("f64") && !row.element.starts_with('f');
    let slack = if is_double { ROUNDINGS_OF_BOTH * right.abs() } else { tolerance };
    let largest = if expected.starts_with("f64") { f64::MAX } else { f32::MAX.into() };
    let is_near = || match allows(near).filter(|_| !slack.is_finite()) {
        Some(is_allowed) => is_allowed,
        None => {
            agrees(near, right, slack) || !slack.is_finite() && are_at_end(near, right, largest)
        }
    };
    let may_differ = (rounds || is_double) && type_of(figure) == type_of(expected);
    figure == expected || may_differ && is_near()
}

/// Figures of NumPy's table that are wrong, where nothing bounds them.
pub(crate) fn a_wrong_infinity_is_found() -> Outcome {
    let row = Row { operation: "mean", element: "f32", bits: Vec::new(), result: "" };
    let [one, inf, negative, nan] = ["f32:3f800000", "f32:7f800000", "f32:ff800000", "f32:nan"];
    for bound in [f64::INFINITY, f64::NAN] {
        let judged = |figure, expected, allows: Option<bool>| {
            is_near((figure, expected), &row, (bound, true), |_| allows)
        };
        for (figure, expected) in [(inf, one), (negative, one), (nan, one), (one, inf)] {
            ensure!(!judged(figure, expected, None), "{figure} for {expected}");
            ensure!(!judged(figure, expected, Some(false)), "{figure} for {expected}");
            ensure!(judged(figure, expected, Some(true)), "{figure} may be {expected}");
            ensure!(judged(figure, figure, Some(false)), "{figure} is not itself");
        }
        ensure!(!judged(inf, negative, None) && !judged(nan, inf, None), "of infinity");
    }
    Ok(())
}

/// The name in front.
fn type_of(figure: &str) -> Option<&str> {
    figure.split_once(':').map(|(name, _)| name)
}

/// Figures that differ where something may overflow on its way, as the sums of the largest numbers of both signs: 13 on
/// software adapters, 24 with those of `f64`.
const MOST_UNBOUNDED: usize = 32;

type Check = fn(&Rig, &Row) -> Result<Option<usize>, Failed>;

/// Operations that have one bound for all figures.
macro_rules! bounded {
    (Stats) => {};
    ($operation:ident) => {
        impl<T: Element> Bounded<T> for wgpu_reduce::$operation where
            Self: Operation<T, Output: Figures>
        {
        }
    };
}

macro_rules! all_bounded {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        $(bounded!($operation);)*
    };
}
wgpu_reduce::for_each_operation!(all_bounded);

macro_rules! stats_of {
    (integers $($integer:ty),*; floats $($float:ty),*) => {
        $(impl Bounded<$integer> for Stats {})*
        $(
            impl Bounded<$float> for Stats {
                fn bounds(&self, values: &[$float], accuracy: &Accuracy, _: usize) -> Vec<f64> {
                    [&[0.0; 5][..], &self.tolerances(values, accuracy)].concat()
                }
            }
        )*
    };
}
stats_of!(integers i32, u32, u8, i8, u16, i16; floats f32, f16, bf16, f64);

/// Checks of each operation, as it is by default, and where it has a field as it is with 1.
macro_rules! checks {
    ($checks:ident $($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {$(
        wgpu_reduce::with_elements!(
            every of $class, checks_of ($checks wgpu_reduce::$operation::default(), "")
        );
        $(wgpu_reduce::with_elements!(
            every of $class,
            checks_of (
                $checks wgpu_reduce::$operation { $field: 1 }, concat!(" ", stringify!($field), "=1")
            )
        );)?
    )*};
}

macro_rules! checks_of {
    ([$($element:ty),*] $checks:ident $operation:expr, $suffix:expr) => {$(
        $checks.push(|rig, row| {
            check::<$element, _>(rig, row, &Case { operation: $operation, suffix: $suffix })
        });
    )*};
}

fn every_case(rig: &Rig) -> Outcome {
    let mut checks: Vec<Check> = Vec::new();
    wgpu_reduce::for_each_operation!(checks, checks);
    let (mut checked, mut unbounded) = (0, 0);
    for row in rows()? {
        let mut by = 0;
        for check in &checks {
            let differing = check(rig, &row)?;
            by += usize::from(differing.is_some());
            unbounded += differing.unwrap_or(0);
        }
        ensure!(by == 1, "{} of {} is checked {by} times", row.operation, row.element);
        checked += 1;
    }
    ensure!(checked > 7000, "only {checked} cases");
    ensure!(unbounded <= MOST_UNBOUNDED, "{unbounded} figures that nothing bounds are not NumPy's");
    Ok(())
}
