//! NumPy's results of edge cases: `tests/data/numpy_results.txt`, whose writer lies beside it.

use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use half::f16;
use libtest_mimic::{Failed, Trial};
use std::fmt::Debug;
use wgpu_reduce::{
    All, Any, ArgMax, ArgMin, BitAnd, BitOr, BitXor, CountNan, CountNonZero, Element, Error,
    Extrema, Located, Max, Mean, Min, MinMax, NanArgMax, NanArgMin, NanMax, NanMean, NanMin,
    NanSum, NormL1, NormL2, NormMax, Operation, Pending, Product, Sum, SumOfSquares, Variance,
    WrappingSum,
};

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
floats!(f16, f32, f64);

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

/// The value of a float of the table.
fn float(figure: &str) -> Option<f64> {
    match figure.split_once(':')? {
        ("f16" | "f32" | "f64", "nan") => Some(f64::NAN),
        ("f16", bits) => Some(f16::from_bits(u16::from_str_radix(bits, 16).ok()?).into()),
        ("f32", bits) => Some(f32::from_bits(u32::from_str_radix(bits, 16).ok()?).into()),
        ("f64", bits) => Some(f64::from_bits(u64::from_str_radix(bits, 16).ok()?)),
        _ => None,
    }
}

/// A line of the table.
struct Row {
    operation: &'static str,
    element: &'static str,
    /// Of each element.
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

/// NumPy gives NaN and a warning there; here it is an error.
const ERRORS_OF_NONE: [&str; 3] = ["mean", "variance", "nan_mean"];

fn check<T: Element + Debug, O: Operation<T, Output: Figures> + Default>(
    rig: &Rig,
    row: &Row,
) -> Result<bool, Failed> {
    let operation = O::default();
    let name = operation.record().name();
    if name != row.operation || T::KIND.name() != row.element {
        return Ok(false);
    }
    let values = &row.elements::<T>()[..];
    let buffer = rig.reducer.upload(values)?;
    let outcome = rig.reducer.reduce(operation, &buffer).and_then(Pending::wait);
    let defined = operation.on_cpu(values);
    let is_error = row.result == "error" || values.is_empty() && ERRORS_OF_NONE.contains(&name);
    if is_error {
        let expected = Some(Error::Empty { operation: name });
        ensure!(outcome.as_ref().err() == expected.as_ref(), "{name} of {values:?}: {outcome:?}");
        ensure!(defined.as_ref().err() == expected.as_ref(), "{name} of {values:?}: {defined:?}");
        return Ok(true);
    }
    if operation.record().needs_f64(T::KIND) && !rig.reducer.caps().f64 {
        let is_refused = matches!(outcome, Err(Error::Unsupported { .. }));
        ensure!(is_refused, "{name} of {values:?} without f64: {outcome:?}");
        return Ok(true);
    }
    let (computed, defined) = (outcome?, defined?);
    let plan = rig.reducer.plan(operation, &buffer)?;
    let tolerance = operation.tolerance(values, &plan);
    // Of an operation that rounds, the sign of 0 is nobody's.
    let rounds = tolerance > 0.0;
    // What NumPy's own sums of f64 round.
    let is_double = row.result.starts_with("f64") && row.element != "f64";
    let of_definition = if row.element == "f64" { tolerance } else { 0.0 };
    for (result, tolerance) in [(computed, tolerance), (defined, of_definition)] {
        let expected = row.result.split_whitespace();
        let figures = result.figures();
        ensure!(figures.len() == expected.clone().count(), "{name}: {result:?}");
        for (figure, expected) in figures.iter().zip(expected) {
            let (near, right) = (float(figure).unwrap_or(0.0), float(expected).unwrap_or(0.0));
            let slack = if is_double { 1e-13 * right.abs() } else { tolerance };
            let is_near = (near - right).abs() <= slack || tolerance == f64::INFINITY;
            ensure!(
                figure == expected || (rounds || is_double) && is_near,
                "{name} of {values:?}: {result:?}, but NumPy has {} (within {slack:e})",
                row.result
            );
        }
    }
    Ok(true)
}

type Check = fn(&Rig, &Row) -> Result<bool, Failed>;

/// Operations on numbers of all types, of integers, and of floats; some go without elements of 64 bits, or
/// without integers of 64 bits.
macro_rules! checks {
    (
        all $all:tt; short $short:tt; squared $squared:tt; integers $integers:tt; floats $floats:tt;
        short_floats $short_floats:tt;
    ) => {
        [
            checks!(@each $all [f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64]),
            checks!(@each $short [f32, i32, u32, u8, i8, u16, i16, f16]),
            checks!(@each $squared [f32, i32, u32, u8, i8, u16, i16, f16, f64]),
            checks!(@each $integers [i32, u32, u8, i8, u16, i16, i64, u64]),
            checks!(@each $floats [f32, f16, f64]),
            checks!(@each $short_floats [f32, f16]),
        ]
        .concat()
    };
    (@each [$($operation:ident),*] $elements:tt) => {
        [$(checks!(@of $operation $elements)),*].concat()
    };
    (@of $operation:ident [$($element:ty),*]) => {
        [$(check::<$element, $operation> as Check),*]
    };
}

fn every_case(rig: &Rig) -> Outcome {
    let checks = checks! {
        all [
            Sum, Product, NormL1, NormMax, Min, Max, MinMax, ArgMin, ArgMax, Mean, All, Any,
            CountNonZero
        ];
        short [NormL2, Variance];
        squared [SumOfSquares];
        integers [WrappingSum, BitAnd, BitOr, BitXor];
        floats [CountNan, NanSum, NanMin, NanMax, NanArgMin, NanArgMax];
        short_floats [NanMean];
    };
    let mut checked = 0;
    for row in rows()? {
        let mut by = 0;
        for check in &checks {
            by += usize::from(check(rig, &row)?);
        }
        ensure!(by == 1, "{} of {} is checked {by} times", row.operation, row.element);
        checked += 1;
    }
    ensure!(checked > 6000, "only {checked} cases");
    Ok(())
}
