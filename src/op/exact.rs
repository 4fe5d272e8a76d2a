//! Exact sums that the host finishes: of whole inputs.

use super::SumExact;
use super::fold::{Finisher, Folds, Left};
use super::host::Digits;
use super::{Fold, OpRecord, pairs::check_pairs};
use crate::error::Result;
use crate::exact::{ExactElement, ExactPartial, ExactSum, ExactTerms};

/// The real dot product of two inputs of `f32` or `f64`, rounded once to the nearest number of the same type, ties to even: the
/// same bits on every device, also on those without `f64`, in any order of the pairs.
///
/// No product overflows, underflows or is rounded before the end. Of no pairs the result is +0, of products that are only
/// −0 it is −0, and an exact sum of 0 otherwise is +0. A finite result beyond the type's range is infinite. 0 · inf, +inf
/// with −inf, or any NaN, gives NaN, with the bits `0x7FC0_0000` (`f64`: `0x7FF8_0000_0000_0000`). `docs/exact.md` in the repository has
/// the method.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::DotExact;
///
/// let left = reducer.upload(&[3e38_f32, 1.0, -3e38])?;
/// let right = reducer.upload(&[2e38_f32, 1e-30, 2e38])?;
/// let dot = reducer.reduce(DotExact, (&left, &right)).run()?;
/// assert_eq!(dot, DotExact.on_cpu(&[3e38, 1.0, -3e38], &[2e38, 1e-30, 2e38])?);
/// assert_eq!(dot, 1e-30);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct DotExact;

impl DotExact {
    /// Computes the result on the host, with the same bits.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if one slice is longer than the other.
    pub fn on_cpu<T: ExactElement>(&self, left: &[T], right: &[T]) -> Result<T> {
        check_pairs(left, right)?;
        let mut sum = ExactSum::new();
        sum.add_products(left, right)?;
        Ok(sum.round())
    }
}

/// An exact sum before it is rounded, an [`ExactSum`]: `unrounded` on a request makes it of [`SumExact`] and [`DotExact`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Unrounded<F>(F);

/// An exact sum as the GPU leaves it, an [`ExactPartial`]: `partial` on a request makes it of [`SumExact`] and [`DotExact`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Partial<F>(F);

/// The exact sums of `f32` and `f64`: [`SumExact`], and [`DotExact`] of pairs.
pub trait Exact<I>: Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const TERMS: ExactTerms;
}

impl<T: ExactElement> Exact<T> for SumExact {
    const TERMS: ExactTerms = ExactTerms::Elements;
}

impl<T: ExactElement> Exact<(T, T)> for DotExact {
    const TERMS: ExactTerms = ExactTerms::Products;
}

impl<F> Unrounded<F> {
    pub(crate) const fn new(fold: F) -> Self {
        Self(fold)
    }
}

impl<F> Partial<F> {
    pub(crate) const fn new(fold: F) -> Self {
        Self(fold)
    }
}

pub(super) fn sum<T: ExactElement>(left: Left<'_>) -> Result<ExactSum<T>> {
    left.partial().map(ExactSum::from)
}

/// What a device would leave of an operation that is made of a sum.
pub(super) fn left<T: ExactElement>(record: &OpRecord, sum: ExactSum<T>) -> Vec<u8> {
    if record == &super::mean_exact::RECORD {
        bytemuck::bytes_of(&Digits(sum).highest()).to_vec()
    } else {
        bytemuck::bytes_of(&sum.round()).to_vec()
    }
}

macro_rules! exact {
    ([$($T:ident: $bound:path),*] $fold:ty, $item:ty => $output:ty: $finish:expr, $terms:expr) => {
        impl<$($T: $bound),*> Fold<$item> for $fold {
            type Output = $output;

            fn finisher(&self) -> Finisher<$output> {
                Box::new($finish)
            }

            fn folds(&self) -> Folds<'_> {
                Folds::Exact($terms)
            }
        }
    };
}
exact!([T: ExactElement] DotExact, (T, T) => T: |left: Left<'_>| Ok(sum(left)?.round()), ExactTerms::Products);
exact!([T: ExactElement, F: Exact<T>] Unrounded<F>, T => ExactSum<T>: sum, F::TERMS);
exact!([T: ExactElement, F: Exact<(T, T)>] Unrounded<F>, (T, T) => ExactSum<T>: sum, F::TERMS);
exact!([T: ExactElement, F: Exact<T>] Partial<F>, T => ExactPartial<T>: |left: Left<'_>| left.partial(), F::TERMS);
exact!([T: ExactElement, F: Exact<(T, T)>] Partial<F>, (T, T) => ExactPartial<T>: |left: Left<'_>| left.partial(), F::TERMS);
