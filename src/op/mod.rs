//! The operations: each is one record, in a file of its own, with its WGSL and its CPU meaning.

mod all;
mod any;
mod argmax;
mod argmin;
mod bit_and;
mod bit_or;
mod bit_xor;
mod count_nan;
mod count_nonzero;
mod deviations;
mod dot;
mod doubles;
mod host;
mod max;
mod mean;
mod min;
mod min_max;
mod nan_argmax;
mod nan_argmin;
mod nan_max;
mod nan_mean;
mod nan_min;
mod nan_sum;
mod narrow;
mod norm_l1;
mod norm_l2;
mod norm_max;
mod order;
mod pairs;
mod precision;
mod product;
mod results;
mod stats;
mod sum;
mod sum_exact;
mod sum_of_squares;
mod variance;
mod words;
mod wrapping_sum;
mod zero;

pub use all::All;
pub use any::Any;
pub use argmax::ArgMax;
pub use argmin::ArgMin;
pub use bit_and::BitAnd;
pub use bit_or::BitOr;
pub use bit_xor::BitXor;
pub use count_nan::CountNan;
pub use count_nonzero::CountNonZero;
pub use dot::Dot;
pub use max::Max;
pub use mean::Mean;
pub use min::Min;
pub use min_max::MinMax;
pub use nan_argmax::NanArgMax;
pub use nan_argmin::NanArgMin;
pub use nan_max::NanMax;
pub use nan_mean::NanMean;
pub use nan_min::NanMin;
pub use nan_sum::NanSum;
pub use norm_l1::NormL1;
pub use norm_l2::NormL2;
pub use norm_max::NormMax;
pub use pairs::PairOperation;
pub use product::Product;
pub use results::{Extrema, Located, Statistics};
pub use stats::Stats;
pub use sum::Sum;
pub use sum_exact::SumExact;
pub use sum_of_squares::SumOfSquares;
pub use variance::Variance;
pub use wrapping_sum::WrappingSum;

pub(crate) use host::HostFold;
pub(crate) use precision::Precision;

use crate::accumulator::Accumulator;
use crate::caps::Caps;
use crate::element::{Element, ElementKind, Number};
use crate::error::{Error, Result};
use crate::fragment::Fragment;
use crate::lifting::Lifting;
use crate::limits::unsupported;
use crate::plan::Plan;

/// An operation over elements of type `T`.
///
/// An operation is an identity, a lift of an element into the accumulator, an associative and
/// commutative combine, and a finish of the accumulator into the output; the WGSL of all four is one
/// file in `shaders/ops/`, and beside it the last two are there for the host, which combines what several
/// devices leave. What comes out, by the type of the elements; [`Dot`] is a [`PairOperation`], of two inputs:
///
/// | operation | `f32` | `f16` | `f64` | `i8` | `i16` | `i32` | `i64` | `u8` | `u16` | `u32` | `u64` |
/// |---|---|---|---|---|---|---|---|---|---|---|---|
/// | [`Sum`] | `f32` | `f32` | `f64` * | `i64` | `i64` | `i64` | `i128` | `u64` | `u64` | `u64` | `u128` |
/// | [`SumExact`] | `f32` | `f32` | | | | | | | | | |
/// | [`WrappingSum`] | | | | `i8` | `i16` | `i32` | `i64` | `u8` | `u16` | `u32` | `u64` |
/// | [`Product`] | `f32` | `f32` | `f64` * | `i64` | `i64` | `i64` | `i64` | `u64` | `u64` | `u64` | `u64` |
/// | [`SumOfSquares`] | `f32` | `f32` | `f64` * | `u128` | `u128` | `u128` | | `u128` | `u128` | `u128` | |
/// | [`Dot`] | `f32` | `f32` | `f64` * | `i128` | `i128` | `i128` | | `u128` | `u128` | `u128` | |
/// | [`NormL1`] | `f32` | `f32` | `f64` * | `u64` | `u64` | `u64` | `u128` | `u64` | `u64` | `u64` | `u128` |
/// | [`NormL2`] | `f32` | `f32` | `f64` * | `f64` | `f64` | `f64` | | `f64` | `f64` | `f64` | |
/// | [`NormMax`] | `f32` | `f16` | `f64` | `u8` | `u16` | `u32` | `u64` | `u8` | `u16` | `u32` | `u64` |
/// | [`Min`], [`Max`] | `f32` | `f16` | `f64` | `i8` | `i16` | `i32` | `i64` | `u8` | `u16` | `u32` | `u64` |
/// | [`MinMax`] | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` | `Extrema` |
/// | [`ArgMin`], [`ArgMax`] | `Located` | `Located` | `Located` | `Located` | `Located` | `Located` | `Located` | `Located` | `Located` | `Located` | `Located` |
/// | [`Mean`] | `f32` | `f32` | `f64` * | `f64` | `f64` | `f64` | `f64` | `f64` | `f64` | `f64` | `f64` |
/// | [`Variance`] | `f32` | `f32` | `f64` * | `f64` | `f64` | `f64` | | `f64` | `f64` | `f64` | |
/// | [`Stats`] | `Statistics` | `Statistics` | `Statistics` * | `Statistics` | `Statistics` | `Statistics` | | `Statistics` | `Statistics` | `Statistics` | |
/// | [`All`], [`Any`] | `bool` | `bool` | `bool` | `bool` | `bool` | `bool` | `bool` | `bool` | `bool` | `bool` | `bool` |
/// | [`CountNonZero`] | `u64` | `u64` | `u64` | `u64` | `u64` | `u64` | `u64` | `u64` | `u64` | `u64` | `u64` |
/// | [`CountNan`] | `u64` | `u64` | `u64` | | | | | | | | |
/// | [`BitAnd`], [`BitOr`], [`BitXor`] | | | | `i8` | `i16` | `i32` | `i64` | `u8` | `u16` | `u32` | `u64` |
/// | [`NanSum`] | `f32` | `f32` | `f64` * | | | | | | | | |
/// | [`NanMean`] | `f32` | `f32` | `f64` * | | | | | | | | |
/// | [`NanMin`], [`NanMax`] | `f32` | `f16` | `f64` | | | | | | | | |
/// | [`NanArgMin`], [`NanArgMax`] | `Located` | `Located` | `Located` | | | | | | | | |
///
/// [`Extrema`], [`Located`] and [`Statistics`] are of the elements' type; the sum in [`Statistics`] is of the type
/// that [`Sum`] has, mean and variance of that of [`Mean`]. Those with a star compute with `f64` on the device, and
/// are [`Error::Unsupported`] where [`Caps::f64`] is not set. All others do with integers and `f32`, on any device.
///
/// What elements are accumulated in, between lift and finish:
///
/// | operation | `f32`, `f16` | `f64` | `i8` to `u32` | `i64`, `u64` |
/// |---|---|---|---|---|
/// | [`Sum`] | `f32` | `f64` | 64 bits | 128 bits |
/// | [`SumExact`] | digits | | | |
/// | [`WrappingSum`] | | | a word | 64 bits |
/// | [`Product`] | `f32` | `f64` | 64 bits | 64 bits |
/// | [`SumOfSquares`] | `f32` | `f64` | 128 bits | |
/// | [`Dot`] | `f32` | `f64` | 128 bits | |
/// | [`NormL1`] | `f32` | `f64` | 64 bits | 128 bits |
/// | [`NormL2`] | a scaled `f32` | a scaled `f64` | 128 bits | |
/// | [`NormMax`] | a word | two words | a word | two words |
/// | [`Min`], [`Max`] | a word | two words | a word | two words |
/// | [`MinMax`] | two words | four words | two words | four words |
/// | [`ArgMin`], [`ArgMax`] | a key, an index | a key, an index | a key, an index | a key, an index |
/// | [`Mean`] | a count, distances | `f64` | 64 bits | 128 bits |
/// | [`Variance`] | a count, a mean, squares | a count, a mean, squares | 64 and 128 bits | |
/// | [`Stats`] | two keys, two indices, a count, a mean, squares | two keys, two indices, a count, a mean, squares | two keys, two indices, 64 and 128 bits | |
/// | [`All`], [`Any`] | a word | a word | a word | a word |
/// | [`CountNonZero`] | 64 bits | 64 bits | 64 bits | 64 bits |
/// | [`CountNan`] | 64 bits | 64 bits | | |
/// | [`BitAnd`], [`BitOr`], [`BitXor`] | | | a word | two words |
/// | [`NanSum`] | `f32` | `f64` | | |
/// | [`NanMean`] | a count, distances | a count, `f64` | | |
/// | [`NanMin`], [`NanMax`] | a word | two words | | |
/// | [`NanArgMin`], [`NanArgMax`] | a key, an index | a key, an index | | |
///
/// A word has 32 bits, and is a key, a magnitude or a set of bits where it is no number. Sums of integers in 64 or
/// 128 bits are exact as long as they fit, which each operation's page says; those of floats round. Distances are
/// counted from an element, and squares are those of deviations. The digits are those of [`SumExact`].
/// There is no [`SumOfSquares`], [`NormL2`], [`Variance`], [`Stats`] or [`Dot`] of `i64` and `u64`, whose products add
/// up to more than the 128 bits that Rust's types have.
///
/// Packed elements are to an operation what the type of 32 bits is that has all of their values: `u32` for
/// `u8` and `u16`, `i32` for `i8` and `i16`, `f32` for [`half::f16`]. What is said of that type, of its
/// accumulator and of its bounds holds for them. What a device leaves of packed elements, [`Raw`](Self::Raw), is the
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
pub trait Operation<T: Element>: Copy + Send + 'static {
    /// What the device leaves: plain data, and where it can be what comes out.
    type Raw: bytemuck::Pod + Send;

    /// What comes out.
    type Output: Copy + PartialEq + std::fmt::Debug + Send + 'static;

    /// The operation as data.
    fn record(&self) -> &'static OpRecord;

    /// Makes the result of what the device has left of `len` elements. [`GpuReducer::encode`] leaves the
    /// former, and this is for whoever brings it to the host.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) if no element counted.
    ///
    /// [`GpuReducer::encode`]: crate::GpuReducer::encode
    fn finish(&self, raw: Self::Raw, len: u64) -> Result<Self::Output>;

    /// The same result computed on the host, by definition rather than for speed.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) for no elements, where there is no result of none.
    fn on_cpu(&self, values: &[T]) -> Result<Self::Output>;

    /// How far the result that a device computes by `plan` may lie from that of
    /// [`on_cpu`](Self::on_cpu): 0 where both have the same bits, infinite where overflow makes any
    /// number possible. It is taken for granted that the device rounds to nearest and keeps the order
    /// that the shader says, as those known do.
    fn tolerance(&self, values: &[T], plan: &Plan) -> f64 {
        let _ = (values, plan);
        0.0
    }
}

/// Implements an operation over one type of elements: what comes out, the CPU's way to it, if need be
/// what the device leaves and how that is finished, and how far the two may be apart.
macro_rules! operate {
    ($operation:ident of $element:ty => $output:ty; $cpu:expr $(; within $tolerance:expr)?) => {
        operate!(
            $operation of $element => $output, from $output = |raw, _| Ok(raw);
            $cpu $(; within $tolerance)?
        );
    };
    (
        $operation:ident of $element:ty => $output:ty, from $raw:ty = $finish:expr;
        $cpu:expr $(; within $tolerance:expr)?
    ) => {
        impl $crate::op::Operation<$element> for $operation {
            type Raw = $raw;
            type Output = $output;

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

            $(fn tolerance(&self, values: &[$element], plan: &$crate::plan::Plan) -> f64 {
                let tolerance: fn(&[$element], &$crate::plan::Plan) -> f64 = $tolerance;
                tolerance(values, plan)
            })?
        }
    };
}
use operate;

/// An operation as data: what planner and shader composition need to know of it.
///
/// ```
/// use wgpu_reduce::{ElementKind, OpRecord, Operation, Product};
///
/// let product = Operation::<i32>::record(&Product);
/// assert_eq!((product.name(), product.takes_none()), ("product", true));
/// let of_f64: Vec<_> = OpRecord::ALL.into_iter().filter(|op| op.takes(ElementKind::F64)).collect();
/// assert!(of_f64.contains(&product));
/// ```
#[derive(Debug)]
pub struct OpRecord {
    pub(crate) name: &'static str,
    /// Whether there is a result of no elements.
    pub(crate) of_none: bool,
    /// Whether there is a result of NaN alone: not where it is left out and the result has to be an element.
    pub(crate) of_nan: bool,
    /// What it does with numbers of a type; `None` where it does not take them.
    pub(crate) over: fn(Number) -> Option<Over>,
    /// What combines and finishes, of the same numbers, on the host.
    #[cfg_attr(
        target_family = "wasm",
        expect(dead_code, reason = "only results of several adapters are combined on the host")
    )]
    pub(crate) on_host: fn(Number) -> Option<HostFold>,
}

/// An operation over elements of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Over {
    /// The WGSL of identity, lift, combine and finish.
    pub(crate) fragment: Fragment,
    /// What the elements are accumulated in.
    pub(crate) accumulator: Accumulator,
    /// What that WGSL lifts.
    pub(crate) lifting: Lifting,
    /// Bytes of what the device leaves.
    pub(crate) output_bytes: u64,
}

impl Over {
    /// Elements are lifted one by one, and the result is the accumulator as it is.
    pub(crate) const fn unfinished(fragment: Fragment, accumulator: Accumulator) -> Self {
        let output_bytes = accumulator.size_bytes();
        Self { fragment, accumulator, lifting: Lifting::Each, output_bytes }
    }

    /// Whether a device's integers of 64 bits are used.
    pub(crate) const fn is_native_on(&self, caps: &Caps) -> bool {
        caps.native_u64 && self.accumulator.has_native_form()
    }
}

impl OpRecord {
    /// Every operation of one input, in this crate.
    pub const ALL: [&'static Self; 29] = [
        &sum::RECORD,
        &wrapping_sum::RECORD,
        &product::RECORD,
        &sum_of_squares::RECORD,
        &norm_l1::RECORD,
        &norm_l2::RECORD,
        &norm_max::RECORD,
        &min::RECORD,
        &max::RECORD,
        &min_max::RECORD,
        &argmin::RECORD,
        &argmax::RECORD,
        &mean::RECORD,
        &variance::RECORD,
        &stats::RECORD,
        &all::RECORD,
        &any::RECORD,
        &count_nonzero::RECORD,
        &count_nan::RECORD,
        &bit_and::RECORD,
        &bit_or::RECORD,
        &bit_xor::RECORD,
        &nan_sum::RECORD,
        &nan_mean::RECORD,
        &nan_min::RECORD,
        &nan_max::RECORD,
        &nan_argmin::RECORD,
        &nan_argmax::RECORD,
        &sum_exact::RECORD,
    ];

    /// Every operation of two inputs: see [`PairOperation`].
    pub const PAIRS: [&'static Self; 1] = [&dot::RECORD];

    /// The operation of a name, of one input or of two.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().chain(Self::PAIRS).find(|record| record.name == name)
    }

    /// The operation's name, as in the library's call; on the command line `-` stands for `_`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it takes elements of a type.
    ///
    /// ```
    /// use wgpu_reduce::{ElementKind, Operation, WrappingSum};
    ///
    /// let record = Operation::<i32>::record(&WrappingSum);
    /// assert!(record.takes(ElementKind::U32));
    /// assert!(!record.takes(ElementKind::F32));
    /// ```
    #[must_use]
    pub fn takes(&self, element: ElementKind) -> bool {
        (self.over)(element.number()).is_some()
    }

    /// Whether its results say where elements stand, by indices, as those of `argmin` and `stats` do.
    ///
    /// ```
    /// use wgpu_reduce::{ArgMin, Min, Operation, Stats};
    ///
    /// assert!(Operation::<f32>::record(&ArgMin).finds_indices());
    /// assert!(Operation::<i32>::record(&Stats::default()).finds_indices());
    /// assert!(!Operation::<f32>::record(&Min).finds_indices());
    /// ```
    #[must_use]
    pub fn finds_indices(&self) -> bool {
        ElementKind::ALL
            .into_iter()
            .any(|kind| (self.over)(kind.number()).is_some_and(|over| over.lifting.finds_indices()))
    }

    /// Whether there is a result of no elements, as 0 is that of `sum`. Where there is none, calls fail
    /// with [`Error::Empty`].
    #[must_use]
    pub const fn takes_none(&self) -> bool {
        self.of_none
    }

    /// Fails where there is no result of so many elements.
    pub(crate) const fn check_len(&self, len: u64) -> Result<()> {
        if len == 0 && !self.of_none {
            return Err(Error::Empty { operation: self.name });
        }
        Ok(())
    }

    /// Fails where one result cannot be of so many elements of a type, because its accumulator has no room for them.
    pub(crate) fn check_room(&self, element: ElementKind, len: u64) -> Result<()> {
        let most = self.over(element)?.accumulator.most_elements();
        if len <= most {
            return Ok(());
        }
        let name = self.name;
        let what = format!("a result of {name} is of {most} elements at most, and not of {len}");
        Err(Error::InvalidBuffer { what })
    }

    /// Whether it computes with `f64` on the device, for elements of a type: it then works on devices
    /// with [`Caps::f64`] alone, and is [`Error::Unsupported`] elsewhere.
    ///
    /// ```
    /// use wgpu_reduce::{ElementKind, Operation, Max, Sum};
    ///
    /// assert!(Operation::<f64>::record(&Sum).needs_f64(ElementKind::F64));
    /// assert!(!Operation::<f64>::record(&Max).needs_f64(ElementKind::F64));
    /// ```
    #[must_use]
    pub fn needs_f64(&self, element: ElementKind) -> bool {
        (self.over)(element.number()).is_some_and(|over| over.accumulator.needs_f64())
    }

    /// Fails where a device cannot do it.
    pub(crate) fn check_caps(&self, element: ElementKind, caps: &Caps) -> Result<()> {
        if self.needs_f64(element) && !caps.f64 {
            let what = format!("f64 in shaders, which {} of {element} needs", self.name);
            return Err(unsupported(what));
        }
        Ok(())
    }

    /// What it does with elements of a type.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] where it does not take them.
    pub(crate) fn over(&self, element: ElementKind) -> Result<Over> {
        (self.over)(element.number()).ok_or(Error::NotDefined { operation: self.name, element })
    }

    /// What makes of accumulators on the host what a device leaves of them all.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] where it does not take elements of a type.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn on_host(&self, element: ElementKind) -> Result<HostFold> {
        (self.on_host)(element.number()).ok_or(Error::NotDefined { operation: self.name, element })
    }
}

impl PartialEq for OpRecord {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OpRecord {}

#[cfg(test)]
mod tests;
