//! The smallest and the largest element.

use super::host::{Keyed, fold, of_number};
use super::order::{End, Ordered, extreme};
use super::results::Extrema;
use super::{OpRecord, Over, operate};
use crate::error::{Error, Result};
use crate::op::accumulator::Accumulator;
use crate::op::merging::Merging;
use crate::shader::fragment::fragment;

/// The smallest and the largest element, in one pass over the data: [`Min`](crate::Min) and
/// [`Max`](crate::Max) at once.
///
/// −0 is less than +0, and infinities are ordinary values. If there is a NaN, both are NaN. The result
/// has the same bits on every device, with every tuning. Of no elements there is no result:
/// [`Error::Empty`](crate::Error::Empty).
///
/// What a device leaves are the two elements, the smallest first.
///
/// ```
/// use wgpu_reduce::{Extrema, MinMax, Operation};
///
/// assert_eq!(MinMax.on_cpu(&[3_i32, -1, 4])?, Extrema { min: -1, max: 4 });
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct MinMax;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "min_max",
    several: None,
    of_none: false,
    over: |number| {
        let accumulator = Accumulator::two_of_bits(number);
        let over = Over::unfinished(fragment!("ops/min_max.wgsl"), accumulator);
        Some(over.merged(Merging::TwoSmallest))
    },
    on_host: |number| Some(of_number!(number, combined)),
};

/// The second key is turned round: then both are minima.
fn combined<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(
        parts,
        |[least, most], [other, other_most]: [T::Key; 2]| [least.min(other), most.min(other_most)],
        |[least, most]| [T::bits_of_key(least), T::bits_of_key(!most)],
    )
}

operate!(MinMax of f32 => Extrema<f32>, from [f32; 2] = |raw, _| Ok(extrema(raw)); both_of);
operate!(MinMax of i32 => Extrema<i32>, from [i32; 2] = |raw, _| Ok(extrema(raw)); both_of);
operate!(MinMax of u32 => Extrema<u32>, from [u32; 2] = |raw, _| Ok(extrema(raw)); both_of);
operate!(MinMax of i64 => Extrema<i64>, from [i64; 2] = |raw, _| Ok(extrema(raw)); both_of);
operate!(MinMax of u64 => Extrema<u64>, from [u64; 2] = |raw, _| Ok(extrema(raw)); both_of);
operate!(MinMax of f64 => Extrema<f64>, from [f64; 2] = |raw, _| Ok(extrema(raw)); both_of);

const fn extrema<T: Copy>([min, max]: [T; 2]) -> Extrema<T> {
    Extrema { min, max }
}

fn both_of<T: Ordered>(values: &[T]) -> Result<Extrema<T>> {
    let find = |end| extreme(values, end).ok_or(Error::Empty { operation: RECORD.name });
    Ok(Extrema { min: find(End::Smallest)?.value, max: find(End::Largest)?.value })
}
