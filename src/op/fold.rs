//! What a request computes: an operation, or an operator of the user's.

use super::ranks::Ranks;
use super::{OpRecord, decode, exact};
use crate::error::{Error, Result};
use crate::exact::{ExactElement, ExactPartial, ExactSum, ExactTerms, Records};
use crate::op::element::ElementKind;
use crate::op::operator::Operator;
use crate::trusted::collect;
use bytemuck::Pod;
use std::sync::Arc;

/// What a request computes of inputs whose items are of type `I`: elements, or pairs of elements.
///
/// [`Operation`](crate::Operation) and [`PairOperation`](crate::PairOperation) list the operations of this crate. A reference to a [`CustomOp`](crate::CustomOp) is one, too.
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
    fn finisher(&self) -> Finisher<Self::Output>;

    #[doc(hidden)]
    fn folds(&self) -> Folds<'_>;
}

/// A fold that has many results where it has many inputs: along axes, of segments and runs.
///
/// All are that leave their results on a device, and [`AnyOperation`](crate::AnyOperation).
#[diagnostic::on_unimplemented(
    message = "the host finishes `{Self}`, for a whole input",
    label = "its result cannot stay on the GPU, and it has no shape but the whole input",
    note = "`SumExact` and `MeanExact` can; sums that are to be merged come back by `run` or `start`"
)]
pub trait ShapedFold<I>: Fold<I> {}

impl<I, F: DeviceFold<I>> ShapedFold<I> for F {}

/// A fold that has many results along an axis: a [`ShapedFold`], or an order statistic.
#[diagnostic::on_unimplemented(
    message = "the host finishes `{Self}`, for a whole input",
    label = "it has no shape but the whole input",
    note = "`SumExact` and `MeanExact` can; sums that are to be merged come back by `run` or `start`"
)]
pub trait AlongFold<I>: Fold<I> {}

impl<I, F: ShapedFold<I>> AlongFold<I> for F {}

/// A fold whose result a device can leave in a buffer: of whole inputs, along axes, of segments and runs.
///
/// All of this crate's operations are, and custom operators. What only the host can finish is not:
/// [`Unrounded`](crate::Unrounded) and [`DotExact`](crate::DotExact).
#[diagnostic::on_unimplemented(
    message = "the host finishes `{Self}`, for a whole input",
    label = "its result cannot stay on the GPU, and it has no shape but the whole input",
    note = "`SumExact` and `MeanExact` can; sums that are to be merged come back by `run` or `start`"
)]
pub trait DeviceFold<I>: Fold<I> {
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
    /// Elements by their rank.
    Ranks(Ranks<'a>),
}

/// What a device has left of an input.
#[derive(Debug, Clone, Copy)]
pub struct Left<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) element: ElementKind,
    /// Elements, or pairs.
    pub(crate) len: u64,
    /// Where the bytes are digits of an exact sum, what they are of.
    pub(crate) digits: Option<&'a Records>,
}

/// Results that lie side by side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Many {
    pub(crate) operation: &'static str,
    pub(crate) element: ElementKind,
    /// Bytes of each.
    pub(crate) result_bytes: usize,
}

/// What a device has left of many inputs.
#[derive(Debug, Clone, Copy)]
pub struct ManyLeft<'a> {
    pub(crate) of: Many,
    pub(crate) bytes: &'a [u8],
    pub(crate) results: usize,
    /// Elements of each that `lens` says nothing of.
    pub(crate) len: u64,
    /// Numbers of elements, words; of none there is no result.
    pub(crate) lens: &'a [u8],
}

/// What makes results of what comes back.
pub trait Finish<R>: Send + Sync {
    fn finish(&self, left: Left<'_>) -> Result<R>;

    /// One of many.
    fn finish_nth(&self, left: ManyLeft<'_>, number: usize) -> Result<R>;

    /// Each of many; or the number of the first that there is not, and why.
    fn finish_each(&self, left: ManyLeft<'_>) -> std::result::Result<Vec<R>, (usize, Error)>;
}

/// What makes results of any fold; most hold nothing, and take no allocation.
pub(crate) type Finisher<R> = Box<dyn Finish<R>>;

/// One that several share.
pub(crate) struct Shared<R>(pub(crate) Arc<dyn Finish<R>>);

impl<R> Finish<R> for Shared<R> {
    fn finish(&self, left: Left<'_>) -> Result<R> {
        self.0.finish(left)
    }

    fn finish_nth(&self, left: ManyLeft<'_>, number: usize) -> Result<R> {
        self.0.finish_nth(left, number)
    }

    fn finish_each(&self, left: ManyLeft<'_>) -> std::result::Result<Vec<R>, (usize, Error)> {
        self.0.finish_each(left)
    }
}

impl<R: Send, F: Fn(Left<'_>) -> Result<R> + Send + Sync> Finish<R> for F {
    fn finish(&self, left: Left<'_>) -> Result<R> {
        self(left)
    }

    #[inline]
    fn finish_nth(&self, left: ManyLeft<'_>, number: usize) -> Result<R> {
        self(left.nth(number)?)
    }

    fn finish_each(&self, left: ManyLeft<'_>) -> std::result::Result<Vec<R>, (usize, Error)> {
        collect(left.results, |number| self.finish_nth(left, number))
    }
}

impl Left<'_> {
    /// The result as a device would leave it.
    #[inline]
    pub(crate) fn raw<R: Pod>(self) -> Result<R> {
        decode::value(self.bytes)
    }

    /// What `read` makes of the bytes of an operation's result as a device would leave it, behind which others may lie.
    pub(crate) fn read<R>(
        self,
        record: &OpRecord,
        read: impl FnOnce(&[u8]) -> Result<R>,
    ) -> Result<R> {
        match self.digits {
            Some(_) if self.element == ElementKind::F64 => {
                read(&exact::left(record, ExactSum::<f64>::from(self.partial()?)))
            }
            Some(_) => read(&exact::left(record, ExactSum::<f32>::from(self.partial()?))),
            None => read(self.bytes),
        }
    }

    /// The digits of an exact sum.
    pub(crate) fn partial<T: ExactElement>(self) -> Result<ExactPartial<T>> {
        let message = "an exact sum came back as something else".into();
        let records = self.digits.ok_or(Error::Internal { message })?;
        ExactPartial::read(records.clone(), self.bytes)
    }
}

impl<'a> ManyLeft<'a> {
    /// What is left of one of them.
    #[inline]
    fn nth(self, number: usize) -> Result<Left<'a>> {
        let Many { operation, element, result_bytes } = self.of;
        let len = if self.lens.is_empty() {
            self.len
        } else {
            decode::value::<u32>(decode::nth(self.lens, number, size_of::<u32>()))?.into()
        };
        if len == 0 && !self.lens.is_empty() {
            return Err(Error::Empty { operation });
        }
        Ok(Left {
            bytes: decode::nth(self.bytes, number, result_bytes),
            element,
            len,
            digits: None,
        })
    }
}

/// Makes an operation over elements, or over pairs of them, a fold.
macro_rules! folds {
    ($operation:ident of pairs of $element:ty => $output:ty, from $raw:ty; $record:expr) => {
        $crate::op::fold::folds!(
            $operation,
            ($element, $element),
            $output,
            $raw,
            $crate::op::PairOperation::<$element>::finish,
            $record
        );
    };
    ($operation:ident of $element:ty => $output:ty, from $raw:ty; $record:expr) => {
        $crate::op::fold::folds!(
            $operation,
            $element,
            $output,
            $raw,
            $crate::op::Operation::<$element>::finish,
            $record
        );
    };
    ($operation:ident, $item:ty, $output:ty, $raw:ty, $finish:expr, $record:expr) => {
        impl $crate::op::Fold<$item> for $operation {
            type Output = $output;

            fn finisher(&self) -> $crate::op::fold::Finisher<$output> {
                let operation = *self;
                Box::new(move |left: $crate::op::fold::Left<'_>| {
                    $finish(&operation, left.raw()?, left.len)
                })
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
