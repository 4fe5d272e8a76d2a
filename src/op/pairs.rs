//! Operations of two inputs whose elements are paired.

use super::Accuracy;
use super::{DeviceFold, OpRecord};
use crate::error::{Error, Result};
use crate::op::element::Element;

/// An operation over pairs of elements of type `T`: the first element of one input with the first of
/// another, and so on. [`Dot`](crate::Dot) is one.
///
/// It is what [`Operation`](crate::Operation) is, but for the lift, which makes an accumulator of two
/// elements. An operation that takes one input takes no pairs:
///
/// ```compile_fail,E0277
/// fn takes_pairs<T: wgpu_reduce::Element>(_: impl wgpu_reduce::PairOperation<T>) {}
/// takes_pairs::<f32>(wgpu_reduce::Sum);
/// ```
///
/// The operations are those of this crate; [`CustomOp`](crate::CustomOp) is for others.
pub trait PairOperation<T: Element>:
    DeviceFold<(T, T), Output: Copy + PartialEq + std::fmt::Debug>
    + Copy
    + Send
    + Sync
    + super::sealed::Sealed<T>
    + 'static
{
    /// The operation as data; one of [`OpRecord::PAIRS`].
    fn record(&self) -> &'static OpRecord;

    /// Makes the result of what the device has left of `len` pairs.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if no pair counted.
    fn finish(&self, raw: Self::Raw, len: u64) -> Result<Self::Output>;

    /// Computes the result on the host, by definition rather than for speed.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if one slice is longer than the other, [`Error::Empty`] for no pairs,
    /// where there is no result of none.
    fn on_cpu(&self, left: &[T], right: &[T]) -> Result<Self::Output>;

    /// How far the result that a device computes may lie from that of
    /// [`on_cpu`](Self::on_cpu), as [`Operation::tolerance`](crate::Operation::tolerance) says it.
    fn tolerance(&self, left: &[T], right: &[T], accuracy: &Accuracy) -> f64 {
        let _ = (left, right, accuracy);
        0.0
    }
}

/// Fails where elements of two slices cannot be paired.
pub(super) const fn check_pairs<T>(left: &[T], right: &[T]) -> Result<()> {
    let (left, right) = (left.len() as u64, right.len() as u64);
    if left == right { Ok(()) } else { Err(Error::LengthMismatch { left, right }) }
}
