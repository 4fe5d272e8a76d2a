//! Where the smallest element is.

use super::host::{Accumulated, Keyed, Placed, fold, of_number};
use super::order::{End, Ordered, extreme};
use super::results::{Located, located};
use super::{OpRecord, Over, operate};
use crate::accumulator::Accumulator;
use crate::error::{Error, Result};
use crate::fragment::fragment;
use crate::lifting::Lifting;

/// The smallest element and the index where it first stands, counted from the first element of the
/// input.
///
/// Of equal elements the first counts, as in NumPy, but −0 is less than +0, which NumPy takes for equal. If there is a
/// NaN, it is the first NaN that is found, as in NumPy; [`NanArgMin`](crate::NanArgMin) leaves NaN out. NaN is told by
/// integer operations on the bits. The result has the same bits on every device, with every tuning. Of no
/// elements there is no result: [`Error::Empty`](crate::Error::Empty).
///
/// What a device leaves are four words: the index's lower and upper half, then the element's bits (of a
/// NaN, those of [`f32::NAN`] or [`f64::NAN`]) in one word and 0, or in two.
///
/// ```
/// use wgpu_reduce::{ArgMin, Located, Operation};
///
/// let found = ArgMin.on_cpu(&[3_i32, -1, 4, -1, 4])?;
/// assert_eq!(found, Located { index: 1, value: -1 });
/// assert_eq!(ArgMin.on_cpu(&[1.0, f32::NAN, f32::NAN])?.index, 1);
/// assert_eq!(ArgMin.on_cpu(&[0.0_f32, -0.0])?.index, 1);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ArgMin;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "argmin",
    of_none: false,
    over: |number| {
        Some(Over {
            fragment: fragment!("ops/argmin.wgsl"),
            accumulator: Accumulator::located(number),
            lifting: Lifting::Found,
            output_bytes: 16,
        })
    },
    on_host: |number| Some(of_number!(number, combined)),
};

fn combined<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>>
where
    Placed<T::Key>: Accumulated,
{
    fold(parts, Placed::first, Placed::finished::<T>)
}

operate!(ArgMin of f32 => Located<f32>, from [u32; 4] = |raw, _| Ok(located(raw)); argmin_of);
operate!(ArgMin of i32 => Located<i32>, from [u32; 4] = |raw, _| Ok(located(raw)); argmin_of);
operate!(ArgMin of u32 => Located<u32>, from [u32; 4] = |raw, _| Ok(located(raw)); argmin_of);
operate!(ArgMin of i64 => Located<i64>, from [u32; 4] = |raw, _| Ok(located(raw)); argmin_of);
operate!(ArgMin of u64 => Located<u64>, from [u32; 4] = |raw, _| Ok(located(raw)); argmin_of);
operate!(ArgMin of f64 => Located<f64>, from [u32; 4] = |raw, _| Ok(located(raw)); argmin_of);

fn argmin_of<T: Ordered>(values: &[T]) -> Result<Located<T>> {
    extreme(values, End::Smallest).ok_or(Error::Empty { operation: RECORD.name })
}
