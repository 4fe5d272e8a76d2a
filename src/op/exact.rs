//! Exact sums that the host finishes: whole inputs of `f32`.

use super::SumExact;
use super::fold::{Finisher, Folds, Left};
use super::{Fold, pairs::check_pairs};
use crate::error::{Error, Result};
use crate::exact::ExactSum;
use crate::exact::{ExactPartial, ExactTerms};

/// The real dot product of two inputs of `f32`, rounded once to the nearest `f32`, ties to even: the same bits on every
/// device, in any order of the pairs.
///
/// No product overflows, underflows or is rounded before the end. Of no pairs the result is +0, of products that are only
/// −0 it is −0, and an exact sum of 0 otherwise is +0. A finite result beyond the range of `f32` is infinite. 0 · inf, +inf
/// with −inf, or any NaN, gives NaN, with the bits `0x7FC0_0000`. `docs/exact.md` in the repository has the method.
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
    /// [`Error::LengthMismatch`] if one slice is longer than the other.
    pub fn on_cpu(&self, left: &[f32], right: &[f32]) -> Result<f32> {
        check_pairs(left, right)?;
        let mut sum = ExactSum::new();
        sum.add_products(left, right)?;
        Ok(sum.round())
    }
}

/// The mean of `f32`: the real sum divided by the number of elements, rounded once to the nearest `f32`, ties to even. It
/// has the same bits on every device, and nothing overflows on the way.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::MeanExact;
///
/// let numbers = reducer.upload(&[f32::MAX, f32::MAX, 1.0, -1.0])?;
/// assert_eq!(reducer.reduce(MeanExact, &numbers).run()?, f32::MAX / 2.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// There is no mean of no elements: [`Error::Empty`].
#[derive(Debug, Clone, Copy, Default)]
pub struct MeanExact;

/// An exact sum before it is rounded, an [`ExactSum`]: `unrounded` on a request makes it of [`SumExact`] and [`DotExact`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Unrounded<F>(F);

/// An exact sum as the GPU leaves it, an [`ExactPartial`]: `partial` on a request makes it of [`SumExact`] and [`DotExact`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Partial<F>(F);

/// The exact sums: [`SumExact`] of `f32`, and [`DotExact`] of pairs of them.
pub trait Exact<I>: Fold<I> + Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const TERMS: ExactTerms;
}

impl Exact<f32> for SumExact {
    const TERMS: ExactTerms = ExactTerms::Elements;
}

impl Exact<(f32, f32)> for DotExact {
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

fn partial(left: Left<'_>) -> Result<&ExactPartial> {
    let message = "an exact sum came back as something else".into();
    left.exact.ok_or(Error::Internal { message })
}

fn sum(left: Left<'_>) -> Result<ExactSum> {
    partial(left).map(|partial| ExactSum::from(partial.clone()))
}

macro_rules! exact {
    ($fold:ty, $item:ty => $output:ty: $finish:expr, $terms:expr $(; $F:ident)?) => {
        impl$(<$F: Exact<$item>>)? Fold<$item> for $fold {
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
exact!(DotExact, (f32, f32) => f32: |left: Left<'_>| Ok(sum(left)?.round()), ExactTerms::Products);
exact!(MeanExact, f32 => f32: |left: Left<'_>| sum(left)?.mean(), ExactTerms::Elements);
exact!(Unrounded<F>, f32 => ExactSum: sum, F::TERMS; F);
exact!(Unrounded<F>, (f32, f32) => ExactSum: sum, F::TERMS; F);
exact!(Partial<F>, f32 => ExactPartial: |left: Left<'_>| partial(left).cloned(), F::TERMS; F);
exact!(Partial<F>, (f32, f32) => ExactPartial: |left: Left<'_>| partial(left).cloned(), F::TERMS; F);
