//! What a request computes: an operation, or an operator of the user's.

use super::ranks::Ranks;
use super::{OpRecord, decode, exact};
use crate::error::{Error, Result};
use crate::exact::{ExactElement, ExactPartial, ExactSum, ExactTerms, Records};
use crate::op::element::ElementKind;
use crate::op::operator::{Operator, Permit};
use crate::trusted::collect;
use bytemuck::Pod;
use std::sync::Arc;

/// What a request computes of inputs whose items are of type `I`: elements, or pairs of elements.
///
/// [`Operation`](crate::Operation) and [`PairOperation`](crate::PairOperation) list the operations of this crate. A reference to a [`CustomOp`](crate::CustomOp) is one, too.
/// [`Unrounded`](crate::Unrounded) leaves an exact sum as it is.
///
/// So is a tuple of two to eight operations of one input, which gives a tuple of their results from one read of the elements. It has every
/// shape but groups and counted inputs. Each result is defined as that of its operation alone, with the same bound; a rounded one may have
/// other bits. A tuple fails as the first of its operations that fails, also where others have a result. Results come to the host by `run` and
/// `start`; streams and [`MultiGpu`](crate::MultiGpu) take no tuple. Exact sums are in none, nor what accumulates in more than 16 words together:
/// both are [`Error::Unsupported`], which says how many words there are. A program keeps the texts of each tuple that it uses.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{ArgMin, CountNan, Matrix, Max, Sum};
///
/// let x = reducer.upload(&[3.0_f32, f32::NAN, -1.0, 4.0])?;
/// let (least, nan) = reducer.reduce((ArgMin, CountNan), &x).run()?;
/// assert!(least.index == 1 && nan == 1);
/// let ends = x.slice(2..4)?;
/// assert_eq!(reducer.reduce((Sum, Max), ends).run()?, (3.0, 4.0));
/// let rows = reducer.reduce((Sum, Max), ends).rows(Matrix { rows: 2, columns: 1 });
/// assert_eq!(rows.run()?, [(-1.0, -1.0), (4.0, 4.0)]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
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
            `(T, T)`, come from a tuple of two inputs; each of a tuple of operations takes the items; a custom operator is passed by reference, as `&operator`"
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
/// All are that leave their results on a device, [`AnyOperation`](crate::AnyOperation), and tuples of operations.
#[diagnostic::on_unimplemented(
    message = "the host finishes `{Self}`, for a whole input",
    label = "its result cannot stay on the GPU, and it has no shape but the whole input",
    note = "`SumExact` and `MeanExact` can; sums that are to be merged come back by `run` or `start`"
)]
pub trait ShapedFold<I>: Fold<I> {}

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
    message = "the host finishes `{Self}`",
    label = "its results cannot stay on the GPU",
    note = "results of tuples, and sums that are to be merged, come back by `run` or `start`; those of `SumExact` and `MeanExact` can stay"
)]
pub trait DeviceFold<I>: ShapedFold<I> {
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
    Custom(&'a Arc<Operator>, [u32; 4], Permit),
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
    pub(crate) lens: Lens<'a>,
}

/// Of how many elements each of many results is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lens<'a> {
    /// Of as many as the others.
    Alike(u64),
    /// Numbers of 32 bits, as many as there are results or more; of 0 elements there is no result.
    Words(&'a [u8]),
    /// Numbers of 64 bits, likewise.
    Doubles(&'a [u8]),
}

/// Where the numbers of elements of many results lie in what comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LensPlace {
    /// Nowhere: each is this one.
    Alike(u64),
    /// Numbers of 32 bits, from a byte on.
    Words(u64),
    /// Numbers of 64 bits, from a byte on.
    Doubles(u64),
}

impl LensPlace {
    /// They, in all that comes back.
    pub(crate) fn lens_in(self, bytes: &[u8]) -> Lens<'_> {
        match self {
            Self::Alike(len) => Lens::Alike(len),
            Self::Words(first) => Lens::Words(decode::from(bytes, first)),
            Self::Doubles(first) => Lens::Doubles(decode::from(bytes, first)),
        }
    }
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
        let len = match self.lens {
            Lens::Alike(len) => Some(len),
            Lens::Words(lens) => {
                let len = decode::value::<u32>(decode::nth(lens, number, size_of::<u32>()))?;
                (len > 0).then_some(len.into())
            }
            Lens::Doubles(lens) => {
                let len = decode::value::<u64>(decode::nth(lens, number, size_of::<u64>()))?;
                (len > 0).then_some(len)
            }
        };
        let len = len.ok_or(Error::Empty { operation })?;
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

        impl $crate::op::ShapedFold<$item> for $operation {}

        impl $crate::op::DeviceFold<$item> for $operation {
            type Raw = $raw;
        }
    };
}
pub(super) use folds;
