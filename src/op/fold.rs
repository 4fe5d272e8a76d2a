//! What a request computes: an operation, or an operator of the user's.

use super::{OpRecord, Operation, PairOperation};
use crate::error::Result;
use crate::exact::ExactTerms;
use crate::op::element::Element;
use crate::op::operator::Operator;
use bytemuck::Pod;
use std::marker::PhantomData;
use std::sync::Arc;

/// What a request computes of inputs whose items are of type `I`: elements, or pairs of elements.
///
/// [`Operation`] and [`PairOperation`] list the operations of this crate. A reference to a [`CustomOp`](crate::CustomOp) is one, too.
/// [`Unrounded`](crate::Unrounded) leaves an exact sum as it is.
///
/// Operations that do not take such items do not compile:
///
/// ```compile_fail,E0277
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// let floats = reducer.upload(&[1.0_f32])?;
/// reducer.reduce(wgpu_reduce::WrappingSum, &floats).start();
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// Sealed: kernels know what there is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not reduce items of type `{I}`",
    label = "not defined for `{I}`",
    note = "the table of `Operation` says which operation takes which elements; pairs of elements, \
            `(T, T)`, come from a tuple of two inputs; a custom operator is passed by reference, as `&operator`"
)]
pub trait Fold<I> {
    /// The result of one input.
    type Output: Send + 'static;

    #[doc(hidden)]
    type Finisher: Finish<I, Output = Self::Output>;

    #[doc(hidden)]
    fn finisher(&self) -> Self::Finisher;

    #[doc(hidden)]
    fn folds(&self) -> Folds<'_>;
}

/// A fold whose result a device can leave in a buffer: of whole inputs, along axes, of segments and runs.
///
/// All of this crate's operations are, and custom operators. What only the host can finish is not:
/// [`Unrounded`](crate::Unrounded), [`DotExact`](crate::DotExact) and [`MeanExact`](crate::MeanExact).
#[diagnostic::on_unimplemented(
    message = "the host finishes `{Self}`, for a whole input",
    label = "its result cannot stay on the GPU, and it has no shape but the whole input",
    note = "`SumExact` can; sums that are to be merged come back by `run` or `start`"
)]
pub trait DeviceFold<I>: Fold<I, Finisher: FinishEach<I, Self::Raw>> {
    /// The result as the device leaves it: plain data.
    type Raw: Pod + Send;
}

/// A fold as data.
#[derive(Debug, Clone, Copy)]
pub enum Folds<'a> {
    Operation(&'static OpRecord),
    /// A sum whose digits the host puts together.
    Exact(ExactTerms),
    /// An operator, and the bits of its identity's components.
    Custom(&'a Arc<Operator>, [u32; 4]),
}

/// What a device has left of a whole input.
#[derive(Debug, Clone, Copy)]
pub struct Left<'a> {
    pub(crate) bytes: &'a [u8],
    /// Elements, or pairs.
    pub(crate) len: u64,
    /// The sum, where the host has put its digits together.
    pub(crate) exact: Option<&'a crate::exact::ExactPartial>,
}

/// What makes the result of what comes back.
pub trait Finish<I>: Clone + Send + Sync + 'static {
    type Output: Send + 'static;

    fn finish(&self, left: Left<'_>) -> Result<Self::Output>;
}

/// The same of each of many results.
pub trait FinishEach<I, R>: Finish<I> {
    fn finish_each(&self, raw: R, len: u64) -> Result<Self::Output>;
}

/// By an operation over elements.
#[derive(Debug, Clone, Copy)]
pub struct ByOperation<O>(pub(crate) O);

impl<T: Element, O: Operation<T> + Sync> Finish<T> for ByOperation<O> {
    type Output = O::Output;

    fn finish(&self, left: Left<'_>) -> Result<O::Output> {
        self.0.finish(left.raw()?, left.len)
    }
}

impl<T: Element, O: Operation<T> + Sync> FinishEach<T, O::Raw> for ByOperation<O> {
    fn finish_each(&self, raw: O::Raw, len: u64) -> Result<O::Output> {
        self.0.finish(raw, len)
    }
}

/// By an operation over pairs.
#[derive(Debug, Clone, Copy)]
pub struct ByPairs<O>(pub(crate) O);

impl<T: Element, O: PairOperation<T> + Sync> Finish<(T, T)> for ByPairs<O> {
    type Output = O::Output;

    fn finish(&self, left: Left<'_>) -> Result<O::Output> {
        self.0.finish(left.raw()?, left.len)
    }
}

impl<T: Element, O: PairOperation<T> + Sync> FinishEach<(T, T), O::Raw> for ByPairs<O> {
    fn finish_each(&self, raw: O::Raw, len: u64) -> Result<O::Output> {
        self.0.finish(raw, len)
    }
}

/// The device has finished it.
#[derive(Debug)]
pub struct AsItIs<R>(PhantomData<fn() -> R>);

impl<R> Default for AsItIs<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<R> Clone for AsItIs<R> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<I, R: Pod + Send> Finish<I> for AsItIs<R> {
    type Output = R;

    fn finish(&self, left: Left<'_>) -> Result<R> {
        left.raw()
    }
}

impl<I, R: Pod + Send> FinishEach<I, R> for AsItIs<R> {
    fn finish_each(&self, raw: R, _: u64) -> Result<R> {
        Ok(raw)
    }
}

impl Left<'_> {
    /// The result as a device would leave it.
    fn raw<R: Pod>(self) -> Result<R> {
        match self.exact {
            Some(partial) => {
                let rounded = crate::exact::ExactSum::from(partial.clone()).round();
                crate::op::decode::value(bytemuck::bytes_of(&rounded))
            }
            None => crate::op::decode::value(self.bytes),
        }
    }
}

/// Makes an operation over elements, or over pairs of them, a fold.
macro_rules! folds {
    ($operation:ident of pairs of $element:ty => $output:ty, from $raw:ty; $record:expr) => {
        $crate::op::fold::folds!($operation, ($element, $element), $output, $raw, ByPairs, $record);
    };
    ($operation:ident of $element:ty => $output:ty, from $raw:ty; $record:expr) => {
        $crate::op::fold::folds!($operation, $element, $output, $raw, ByOperation, $record);
    };
    ($operation:ident, $item:ty, $output:ty, $raw:ty, $by:ident, $record:expr) => {
        impl $crate::op::Fold<$item> for $operation {
            type Output = $output;
            type Finisher = $crate::op::fold::$by<Self>;

            fn finisher(&self) -> Self::Finisher {
                $crate::op::fold::$by(*self)
            }

            fn folds(&self) -> $crate::op::fold::Folds<'_> {
                $crate::op::fold::Folds::Operation($record)
            }
        }

        impl $crate::op::DeviceFold<$item> for $operation {
            type Raw = $raw;
        }
    };
}
pub(super) use folds;
