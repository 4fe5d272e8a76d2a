//! The exact sum, as an operation.

use super::fold::{Finisher, Folds, Left};
use super::host::{Digits, fold, of_float};
use super::{DeviceFold, Fold, OpRecord, Operation, Over, ShapedFold, exact};
use crate::error::Result;
use crate::exact::{ExactElement, ExactSum};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The real sum, rounded once to the nearest `f32`, or `f64` of `f64`, ties to even: the same bits on every device, in any
/// order of the elements, however they are cut into rows, columns, segments or bindings.
///
/// It is what [`ExactSum`] gives, on the device: subnormal elements count in full, and nothing overflows before
/// the end. Of no elements the sum is +0, of only −0 it is −0, and an exact sum of 0 otherwise is +0. A finite
/// sum beyond the type's range is infinite. +inf with −inf, or any NaN, gives NaN, with the bits `0x7FC0_0000` (`f64`: `0x7FF8_0000_0000_0000`).
/// Floats of 16 bits are widened by integers alone.
///
/// One result may be of up to 2^42 elements, for which its accumulator is proven to have room (`docs/exact.md`). Plans of more, as of
/// a view with a stride of 0, and streams that have taken more fail with [`Error::InvalidBuffer`](crate::Error::InvalidBuffer).
/// A whole input of `f32` or `f64` whose result comes back to the host, an `ExactStream` and an [`ExactSum`] have room for 2^64 − 1.
///
/// Elements of `f64` are summed as integers, on devices without `f64` too.
///
/// `unrounded` on a request for a whole input of `f32` or `f64` leaves an [`ExactSum`], which can be merged with others.
///
/// ```
/// use wgpu_reduce::{Operation, SumExact};
///
/// assert_eq!(SumExact.on_cpu(&[1e30_f32, 1.0, -1e30])?, 1.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// The method is that of `docs/exact.md` in the repository, with the digits of an accumulator in registers:
/// sums in fixed point, as in Kulisch, *Computer Arithmetic and Validity*, 2008.
#[derive(Debug, Clone, Copy, Default)]
pub struct SumExact;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "sum_exact",
    several: None,
    of_none: true,
    over: |number| {
        let (fragment, accumulator) = match number {
            Number::F32 => (fragment!("ops/sum_exact_f32.wgsl"), Accumulator::Exact),
            Number::F64 => (fragment!("ops/sum_exact_f64.wgsl"), Accumulator::ExactF64),
            _ => return None,
        };
        let output_bytes = if number.has_64_bits() { 8 } else { 4 };
        Some(Over {
            lifting: Lifting::Appended,
            output_bytes,
            ..Over::unfinished(fragment, accumulator)
        })
    },
    on_host: |number| of_float!(number, of_digits),
};

fn of_digits<T: ExactElement>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, |a: Digits<T>, b| a.and(&b), Digits::rounded)
}

impl<T: ExactElement> Fold<T> for SumExact {
    type Output = T;

    fn finisher(&self) -> Finisher<T> {
        Box::new(|left: Left<'_>| match left.digits {
            Some(_) => exact::sum(left).map(|sum| sum.round()),
            None => left.raw(),
        })
    }

    fn folds(&self) -> Folds<'_> {
        Folds::Operation(&RECORD)
    }
}

impl<T: ExactElement> ShapedFold<T> for SumExact {}

impl<T: ExactElement> DeviceFold<T> for SumExact {
    type Raw = T;
}

impl<T: ExactElement> super::sealed::Sealed<T> for SumExact {}

impl<T: ExactElement> Operation<T> for SumExact {
    fn record(&self) -> &'static OpRecord {
        &RECORD
    }

    fn finish(&self, raw: T, _: u64) -> Result<T> {
        Ok(raw)
    }

    fn on_cpu(&self, values: &[T]) -> Result<T> {
        let mut sum = ExactSum::new();
        sum.add_slice(values);
        Ok(sum.round())
    }
}
