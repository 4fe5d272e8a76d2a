//! The exact mean.

use super::fold::{Finisher, Folds, Left};
use super::host::{Digits, Highest, fold, of_float};
use super::{DeviceFold, Fold, OpRecord, Operation, Over, ShapedFold, exact};
use crate::error::Result;
use crate::exact::{ExactElement, ExactSum};
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The real mean, rounded once to the nearest `f32`, or `f64` of `f64`, ties to even: the same bits on every device, also on those without
/// `f64`, in any order of the elements, however they are cut into rows, columns, segments or bindings.
///
/// It is the exact sum ([`SumExact`](crate::SumExact)) divided by the number of elements. Nothing overflows on the way: the mean of
/// finite elements is finite. Of −0 alone it is −0. +inf with −inf, or any NaN, gives NaN, with the bits `0x7FC0_0000` (`f64`:
/// `0x7FF8_0000_0000_0000`).
///
/// There is no mean of no elements: [`Error::Empty`](crate::Error::Empty). One result may be of up to 2^42 elements, and that of
/// a whole input of `f32` or `f64` that comes back to the host of 2^64 − 1.
///
/// A device leaves the sum's highest digits; [`finish`](Operation::finish) divides them.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Matrix, MeanExact};
///
/// let numbers = reducer.upload(&[f32::MAX, f32::MAX, f32::MAX, 1e30, 3.0, -1e30])?;
/// let rows = Matrix { rows: 2, columns: 3 };
/// assert_eq!(reducer.reduce(MeanExact, &numbers).rows(rows).run()?, [f32::MAX, 1.0]);
/// assert_eq!(reducer.reduce(MeanExact, numbers.slice(4..)?).run()?, -5e29);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// The method is that of `docs/exact.md` in the repository.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeanExact;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "mean_exact",
    several: None,
    of_none: false,
    over: |number| {
        let sum = (super::sum_exact::RECORD.over)(number)?;
        let (fragment, output_bytes) =
            (fragment!("ops/mean_exact.wgsl"), size_of::<Highest>() as u64);
        Some(Over { fragment, lifting: Lifting::Appended, output_bytes, ..sum })
    },
    on_host: |number| of_float!(number, of_digits),
};

fn of_digits<T: ExactElement>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, |a: Digits<T>, b| a.and(&b), Digits::highest)
}

impl<T: ExactElement> Fold<T> for MeanExact {
    type Output = T;

    fn finisher(&self) -> Finisher<T> {
        Box::new(|left: Left<'_>| match left.digits {
            Some(_) => RECORD.check_len(left.len).and_then(|()| exact::sum(left)?.mean()),
            None => Operation::<T>::finish(&MeanExact, left.raw()?, left.len),
        })
    }

    fn folds(&self) -> Folds<'_> {
        Folds::Operation(&RECORD)
    }
}

impl<T: ExactElement> ShapedFold<T> for MeanExact {}

impl<T: ExactElement> DeviceFold<T> for MeanExact {
    type Raw = Highest;
}

impl<T: ExactElement> super::sealed::Sealed<T> for MeanExact {}

impl<T: ExactElement> Operation<T> for MeanExact {
    fn record(&self) -> &'static OpRecord {
        &RECORD
    }

    fn finish(&self, raw: Highest, len: u64) -> Result<T> {
        RECORD.check_len(len)?;
        Digits::mean(raw, len)
    }

    fn on_cpu(&self, values: &[T]) -> Result<T> {
        RECORD.check_len(values.len() as u64)?;
        let mut sum = ExactSum::new();
        sum.add_slice(values);
        sum.mean()
    }
}
