//! Operations on elements whose type is known when a file is read, and what comes of them: all of one type, so that the
//! page's program has each request once.

use half::f16;
use std::fmt::Debug;
use wgpu_reduce::{
    AnyOperation, ArgMax, ArgMin, CountNan, CountNonZero, Element, Extrema, Located, Mean, MinMax,
    NanMax, NanMin, Operation, Result, Statistics, Stats, Sum, value_of_bytes,
};

/// Does something with the type of elements that a kind names, out of these or out of all that files have.
macro_rules! with_type {
    ($element:expr, $T:ident => $body:expr) => {
        $crate::found::with_type!($element, $T of [
            F16 f16, F32 f32, F64 f64, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64
        ] => $body)
    };
    ($element:expr, $T:ident of [$($kind:ident $type:ty),*] => $body:expr) => {
        match $element {
            $(wgpu_reduce::ElementKind::$kind => { type $T = $type; $body })*
            other => Err(wgpu_reduce::Error::NotDefined { operation: "this", element: other.name() }),
        }
    };
}
pub(crate) use with_type;

/// What is found in elements by an operation, or by several; numbers that are shown are texts.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) count: u64,
    /// The smallest and the largest, with their numbers in memory.
    pub(crate) extrema: Vec<(String, u64)>,
    pub(crate) sum: Option<String>,
    pub(crate) mean: Option<String>,
    pub(crate) deviation: Option<f64>,
    pub(crate) nan: Option<u64>,
    /// The least and the largest, for the ends of bins.
    pub(crate) ends: Vec<f64>,
}

impl Found {
    /// With what another operation has found.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.extrema.extend(other.extrema);
        self.ends.extend(other.ends);
        Self { sum: self.sum.or(other.sum), mean: self.mean.or(other.mean), ..self }
    }
}

fn text(number: impl Debug) -> String {
    format!("{number:?}")
}

fn place<T: Debug>(at: &Located<T>) -> (String, u64) {
    (text(&at.value), at.index)
}

fn of_place<T: Debug>(at: &Located<T>) -> Found {
    Found { extrema: vec![place(at)], ..Found::default() }
}

fn of_ends(ends: Vec<f64>) -> Found {
    Found { ends, ..Found::default() }
}

fn of_end(end: impl Into<f64>) -> Found {
    of_ends(vec![end.into()])
}

/// An operation's result, of what a device has left.
fn finished<T: Element, O: Operation<T>>(operation: O, raw: &[u8], len: u64) -> Result<O::Output> {
    operation.finish(value_of_bytes(raw)?, len)
}

/// An operation on elements of these types, and what is made of its result.
macro_rules! any {
    ($operation:expr, $types:tt, $first:ident => $make:expr) => {
        AnyOperation::new(Operation::<$first>::record(&$operation), |element, raw, len| {
            with_type!(element, T of $types => finished::<T, _>($operation, raw, len).map($make))
        })
    };
}

fn of_stats<T, S, M>(stats: Statistics<T, S, M>) -> Found
where
    T: Debug,
    S: Debug,
    M: Into<f64> + Debug + Copy,
{
    Found {
        count: stats.count,
        extrema: vec![place(&stats.min), place(&stats.max)],
        sum: Some(text(stats.sum)),
        mean: Some(text(stats.mean)),
        deviation: Some(stats.variance.into().sqrt()),
        ..Found::default()
    }
}

/// All in one pass, of elements of 32 bits and fewer.
pub(crate) fn stats() -> AnyOperation<Found> {
    any!(
        Stats::default(),
        [F16 f16, F32 f32, I8 i8, I16 i16, I32 i32, U8 u8, U16 u16, U32 u32],
        f32 => of_stats
    )
}

pub(crate) fn arg_min() -> AnyOperation<Found> {
    any!(ArgMin, [F64 f64, I64 i64, U64 u64], f64 => |at| of_place(&at))
}

pub(crate) fn arg_max() -> AnyOperation<Found> {
    any!(ArgMax, [F64 f64, I64 i64, U64 u64], f64 => |at| of_place(&at))
}

pub(crate) fn sum() -> AnyOperation<Found> {
    any!(Sum, [F64 f64, I64 i64, U64 u64], f64 => |sum| Found { sum: Some(text(sum)), ..Found::default() })
}

pub(crate) fn mean() -> AnyOperation<Found> {
    any!(Mean, [F64 f64, I64 i64, U64 u64], f64 => |mean| Found { mean: Some(text(mean)), ..Found::default() })
}

pub(crate) fn count_nonzero() -> AnyOperation<Found> {
    any!(CountNonZero, [U8 u8], u8 => |count| Found { count, ..Found::default() })
}

pub(crate) fn count_nan() -> AnyOperation<Found> {
    any!(CountNan, [F16 f16, F32 f32, F64 f64], f32 => |nan| Found { nan: Some(nan), ..Found::default() })
}

/// The smallest and the largest of integers; not above these, and not below, where `f64` has them not.
pub(crate) fn min_max() -> AnyOperation<Found> {
    any!(MinMax, [I8 i8, I16 i16, I32 i32, I64 i64, U16 u16, U32 u32, U64 u64], i32 => |Extrema { min, max }| {
        // Twice the sign makes of what is below what is above.
        of_ends(vec![not_above(min.into()), -not_above(-i128::from(max))])
    })
}

/// Of floats that are not NaN.
pub(crate) fn nan_min() -> AnyOperation<Found> {
    any!(NanMin, [F16 f16, F32 f32, F64 f64], f32 => of_end)
}

/// Of floats that are not NaN.
pub(crate) fn nan_max() -> AnyOperation<Found> {
    any!(NanMax, [F16 f16, F32 f32, F64 f64], f32 => of_end)
}

/// The largest `f64` that is not above an integer of 64 bits.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "compared")]
fn not_above(integer: i128) -> f64 {
    let nearest = integer as f64;
    if nearest as i128 > integer { nearest.next_down() } else { nearest }
}
