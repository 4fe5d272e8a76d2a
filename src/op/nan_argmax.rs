//! Where the largest element that is not NaN is.

use super::host::{Accumulated, Keyed, Placed, fold, of_float};
use super::order::{End, Ordered, extreme_but_nan};
use super::results::{Located, located};
use super::{OpRecord, Over, operate};
use crate::accumulator::Accumulator;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::fragment::fragment;
use crate::lifting::Lifting;

/// The largest element that is not NaN, and the index where it first stands, counted from the first
/// element of the input.
///
/// Of equal elements the first counts, but −0 is less than +0. NaN is told by integer operations on the
/// bits. The result has the same bits on every device, with every tuning. Where there is nothing but
/// NaN, or nothing at all, there is no result: [`Error::Empty`](crate::Error::Empty). (NumPy's
/// `nanargmax` raises an exception there, too.)
///
/// What a device leaves are four words: the index's lower and upper half, then the element's bits, in one
/// word and 0 or in two.
/// Where there is nothing but NaN, the element's bits are those of [`f32::NAN`].
///
/// ```
/// use wgpu_reduce::{Located, NanArgMax, Operation};
///
/// let found = NanArgMax.on_cpu(&[f32::NAN, 2.0, 2.0])?;
/// assert_eq!(found, Located { index: 1, value: 2.0 });
/// assert!(NanArgMax.on_cpu(&[f32::NAN]).is_err());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanArgMax;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "nan_argmax",
    of_none: false,
    over: |number| {
        number.is_float().then_some(Over {
            fragment: fragment!("ops/nan_argmax.wgsl"),
            accumulator: Accumulator::located(number),
            lifting: Lifting::Found,
            output_bytes: 16,
        })
    },
    on_host: |number| of_float!(number, combined),
};

fn combined<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>>
where
    Placed<T::Key>: Accumulated,
{
    fold(parts, Placed::first, Placed::finished_turned::<T>)
}

operate!(NanArgMax of f32 => Located<f32>, from [u32; 4] = found; nan_argmax_of);
operate!(NanArgMax of f64 => Located<f64>, from [u32; 4] = found; nan_argmax_of);

fn found<T: Element + Ordered>(raw: [u32; 4], _len: u64) -> Result<Located<T>> {
    let found: Located<T> = located(raw);
    if found.value.nan().is_some() { Err(NONE) } else { Ok(found) }
}

fn nan_argmax_of<T: Ordered>(values: &[T]) -> Result<Located<T>> {
    extreme_but_nan(values, End::Largest).ok_or(NONE)
}

const NONE: Error = Error::Empty { operation: "nan_argmax" };
