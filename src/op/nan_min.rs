//! The smallest element that is not NaN.

use super::host::{Keyed, fold, of_float};
use super::order::{End, extreme_but_nan};
use super::{OpRecord, Over, operate};
use crate::error::Result;
use crate::op::accumulator::Accumulator;
use crate::shader::fragment::fragment;

/// The smallest element that is not NaN; NaN if all are, as NumPy's `nanmin` has it.
///
/// −0 is less than +0, and infinities are ordinary values. NaN is told by integer operations on the
/// bits. The result has the same bits on every device, with every tuning. Of no elements there is no
/// result: [`Error::Empty`](crate::Error::Empty). Integers have no NaN, so there is none of them:
/// [`Min`](crate::Min) is the same.
///
/// ```
/// use wgpu_reduce::{NanMin, Operation};
///
/// assert_eq!(NanMin.on_cpu(&[2.5, f32::NAN, -1.0])?, -1.0);
/// assert!(NanMin.on_cpu(&[f32::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanMin;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "nan_min",
    of_none: false,
    over: |number| {
        let over = Over::unfinished(fragment!("ops/nan_min.wgsl"), Accumulator::bits(number));
        number.is_float().then_some(over)
    },
    on_host: |number| of_float!(number, combined),
};

fn combined<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, T::Key::min, T::bits_of_key)
}

macro_rules! over {
    ($($float:ident),*) => {$(
        operate!(NanMin of $float => $float; |values| {
            Ok(extreme_but_nan(values, End::Smallest).map_or($float::NAN, |found| found.value))
        });
    )*};
}
over!(f32, f64);
