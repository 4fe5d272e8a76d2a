//! What an operation is.

use super::Accuracy;
#[allow(clippy::wildcard_imports, reason = "documentation links to all of them")]
use super::*;
use crate::error::Result;
use crate::op::element::Element;

/// An operation over elements of type `T`.
///
/// An operation is an identity, a lift of an element into the accumulator, an associative and
/// commutative combine, and a finish of the accumulator into the output; the WGSL of all four is one
/// file in `shaders/ops/`, and beside it the last two are there for the host, which combines what several
/// devices leave. What comes out, by the type `T` of the elements; [`Dot`] is a [`PairOperation`], of two inputs:
///
/// | operation | `f32`, `f16`, `bf16` | `f64` | `i8`, `i16`, `i32` | `i64` | `u8`, `u16`, `u32` | `u64` |
/// |---|---|---|---|---|---|---|
/// | [`Sum`] | `f32` | `f64` | `i64` | `i128` | `u64` | `u128` |
/// | [`WrappingSum`] | | | `T` | `i64` | `T` | `u64` |
/// | [`Product`] | `f32` | `f64` | `i64` | `i64` | `u64` | `u64` |
/// | [`SumOfSquares`] | `f32` | `f64` | `u128` | | `u128` | |
/// | [`NormL1`] | `f32` | `f64` | `u64` | `u128` | `u64` | `u128` |
/// | [`NormL2`] | `f32` | `f64` | `f64` | | `f64` | |
/// | [`NormMax`] | `T` | `f64` | unsigned `T` | `u64` | `T` | `u64` |
/// | [`Min`], [`Max`] | `T` | `f64` | `T` | `i64` | `T` | `u64` |
/// | [`MinMax`] | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` |
/// | [`ArgMin`], [`ArgMax`] | `Located` | `Located` | `Located` | `Located` | `Located` | `Located` |
/// | [`LogSumExp`] | `f32` | | | | | |
/// | [`Mean`] | `f32` | `f64` | `f64` | `f64` | `f64` | `f64` |
/// | [`Variance`], [`Std`] | `f32` | `f64` | `f64` | | `f64` | |
/// | [`Stats`] | `Statistics` | `Statistics` | `Statistics` | | `Statistics` | |
/// | [`All`], [`Any`] | `bool` | `bool` | `bool` | `bool` | `bool` | `bool` |
/// | [`CountNonZero`] | `u64` | `u64` | `u64` | `u64` | `u64` | `u64` |
/// | [`CountNan`] | `u64` | `u64` | | | | |
/// | [`BitAnd`], [`BitOr`], [`BitXor`] | | | `T` | `i64` | `T` | `u64` |
/// | [`NanSum`], [`NanMean`], [`NanVariance`], [`NanStd`] | `f32` | `f64` | | | | |
/// | [`NanMin`], [`NanMax`] | `T` | `f64` | | | | |
/// | [`NanArgMin`], [`NanArgMax`] | `Located` | `Located` | | | | |
/// | [`SumExact`], [`MeanExact`] | `f32` | `f64` | | | | |
/// | [`Dot`] | `f32` | `f64` | `i128` | | `u128` | |
///
/// [`Extrema`], [`Located`] and [`Statistics`] are of the elements' type; the sum in [`Statistics`] is of the type
/// that [`Sum`] has, mean and variance of that of [`Mean`]. All of them are computed on any device, with or
/// without [`Caps::f64`](crate::Caps::f64).
///
/// `docs/operations.md` has what elements are accumulated in, between lift and finish. Sums of integers in
/// 64 or 128 bits are exact as long as they fit, which each operation's page says; those of floats round.
/// There is no [`SumOfSquares`], [`NormL2`], [`Variance`], [`Stats`] or [`Dot`] of `i64` and `u64`, whose products add
/// up to more than the 128 bits that Rust's types have.
///
/// Packed elements are to an operation what the type of 32 bits is that has all of their values: `u32` for
/// `u8` and `u16`, `i32` for `i8` and `i16`, `f32` for [`half::f16`] and [`half::bf16`]. What is said of that type, of its
/// accumulator and of its bounds holds for them. What a device leaves of packed elements, [`Raw`](DeviceFold::Raw), is the
/// wide type's: words, not bytes, of [`WrappingSum`], which is modulo 2^8 or 2^16, with the upper bits of a sum that
/// [`finish`](Self::finish) drops.
///
/// ```
/// use wgpu_reduce::{Max, Operation, Sum, WrappingSum};
///
/// let bytes = [200_u8, 100];
/// let (sum, modulo): (u64, u8) = (Sum.on_cpu(&bytes)?, WrappingSum.on_cpu(&bytes)?);
/// assert_eq!((sum, modulo, Max.on_cpu(&bytes)?), (300, 44, 200));
/// // A device leaves a u32.
/// let modulo = Operation::<u8>::finish(&WrappingSum, 300, 2)?;
/// assert_eq!(modulo, 44);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// Elements of 64 bits are two words on the device:
///
/// ```
/// use wgpu_reduce::{ArgMin, Located, Operation, Sum};
///
/// assert_eq!(Sum.on_cpu(&[i64::MIN, -1])?, -9_223_372_036_854_775_809_i128);
/// assert_eq!(ArgMin.on_cpu(&[2.5_f64, -1e300])?, Located { index: 1, value: -1e300 });
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// Pairs of operation and type that do not exist do not compile:
///
/// ```compile_fail,E0277
/// use wgpu_reduce::{Operation, SumOfSquares};
///
/// SumOfSquares.on_cpu(&[3_i64])?;
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// ```compile_fail,E0277
/// fn takes_operation<T: wgpu_reduce::Element>(_: impl wgpu_reduce::Operation<T>) {}
/// takes_operation::<f32>(wgpu_reduce::WrappingSum);
/// ```
///
/// The operations are those of this crate; [`CustomOp`](crate::CustomOp) is for others:
///
/// ```compile_fail,E0277
/// use wgpu_reduce::{Operation, OpRecord, Result, Sum};
///
/// #[derive(Clone, Copy)]
/// struct Other;
///
/// impl Operation<u32> for Other {
///     fn record(&self) -> &'static OpRecord { Operation::<u32>::record(&Sum) }
///     fn finish(&self, raw: u64, _: u64) -> Result<u64> { Ok(raw) }
///     fn on_cpu(&self, _: &[u32]) -> Result<u64> { Ok(0) }
/// }
/// ```
pub trait Operation<T: Element>:
    DeviceFold<T, Output: Copy + PartialEq + std::fmt::Debug>
    + Copy
    + Send
    + Sync
    + sealed::Sealed<T>
    + 'static
{
    /// The operation as data.
    fn record(&self) -> &'static OpRecord;

    /// Makes the result of what the device has left of `len` elements. [`Request::encode`] leaves the
    /// former, and this is for whoever brings it to the host.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) if no element counted.
    ///
    /// [`Request::encode`]: crate::Request::encode
    fn finish(&self, raw: Self::Raw, len: u64) -> Result<Self::Output>;

    /// Computes the result on the host, by definition rather than for speed.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) for no elements, where there is no result of none.
    fn on_cpu(&self, values: &[T]) -> Result<Self::Output>;

    /// How far the result that a device computes may lie from that of
    /// [`on_cpu`](Self::on_cpu): 0 where both have the same bits, infinite where overflow makes any
    /// number possible. Plans tell the accuracy. It is taken for granted that the device rounds to nearest and keeps the order
    /// that the shader says, as those known do.
    fn tolerance(&self, values: &[T], accuracy: &Accuracy) -> f64 {
        let _ = (values, accuracy);
        0.0
    }
}

/// Implements an operation over one type of elements: what comes out, the CPU's way to it, if need be
/// what the device leaves and how that is finished, and how far the two may be apart. A list of types has one
/// way for all; without an output, what comes out is an element.
macro_rules! operate {
    ($operation:ident of $($element:ty),+; $cpu:expr) => {$(
        $crate::op::operate!($operation of $element => $element; $cpu);
    )+};
    ($operation:ident of $element:ty => $output:ty; $cpu:expr $(; within $tolerance:expr)?) => {
        $crate::op::operate!(
            $operation of $element => $output, from $output = |raw, _| Ok(raw);
            $cpu $(; within $tolerance)?
        );
    };
    (
        $operation:ident of $element:ty => $output:ty, from $raw:ty = $finish:expr;
        $cpu:expr $(; within $tolerance:expr)?
    ) => {
        impl $crate::op::sealed::Sealed<$element> for $operation {}

        $crate::op::fold::folds!($operation of $element => $output, from $raw; &RECORD);

        impl $crate::op::Operation<$element> for $operation {
            fn record(&self) -> &'static $crate::op::OpRecord {
                &RECORD
            }

            fn finish(&self, raw: $raw, len: u64) -> $crate::error::Result<$output> {
                let finish: fn($raw, u64) -> $crate::error::Result<$output> = $finish;
                finish(raw, len)
            }

            fn on_cpu(&self, values: &[$element]) -> $crate::error::Result<$output> {
                RECORD.check_len(values.len() as u64)?;
                let on_cpu: fn(&[$element]) -> $crate::error::Result<$output> = $cpu;
                on_cpu(values)
            }

            $(fn tolerance(&self, values: &[$element], accuracy: &$crate::op::Accuracy) -> f64 {
                let tolerance: fn(&[$element], &$crate::op::Accuracy) -> f64 = $tolerance;
                tolerance(values, accuracy)
            })?
        }
    };
    ($operation:ident of $($element:ty),+ => $output:ty; $cpu:expr) => {$(
        $crate::op::operate!($operation of $element => $output; $cpu);
    )+};
    ($operation:ident of $($element:ty),+ => $output:ty, from $raw:ty = $finish:expr; $cpu:expr) => {$(
        $crate::op::operate!($operation of $element => $output, from $raw = $finish; $cpu);
    )+};
}
pub(super) use operate;
