//! The largest element that is not NaN.

use super::host::{Keyed, fold, of_float};
use super::order::{End, extreme_but_nan};
use super::{OpRecord, Over, operate};
use crate::error::Result;
use crate::op::accumulator::Accumulator;
use crate::shader::fragment::fragment;

/// The largest element that is not NaN; NaN if all are, as NumPy's `nanmax` has it.
///
/// −0 is less than +0, and infinities are ordinary values. NaN is told by integer operations on the
/// bits. The result has the same bits on every device, with every tuning. Of no elements there is no
/// result: [`Error::Empty`](crate::Error::Empty). Integers have no NaN, so there is none of them:
/// [`Max`](crate::Max) is the same.
///
/// ```
/// use wgpu_reduce::{NanMax, Operation};
///
/// assert_eq!(NanMax.on_cpu(&[2.5, f32::NAN, 7.0])?, 7.0);
/// assert!(NanMax.on_cpu(&[f32::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanMax;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "nan_max",
    of_none: false,
    over: |number| {
        let over = Over::unfinished(fragment!("ops/nan_max.wgsl"), Accumulator::bits(number));
        number.is_float().then_some(over)
    },
    on_host: |number| of_float!(number, combined),
};

fn combined<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, T::Key::max, T::bits_of_key)
}

macro_rules! over {
    ($($float:ident),*) => {$(
        operate!(NanMax of $float => $float; |values| {
            Ok(extreme_but_nan(values, End::Largest).map_or($float::NAN, |found| found.value))
        });
    )*};
}
over!(f32, f64);
