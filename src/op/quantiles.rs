//! Order statistics: elements by their rank, and quantiles between them.

use super::decode::{nth, value};
use super::fold::{Finisher, Folds, Left};
use super::narrow::Narrowed;
use super::ranks::{Between, Found, QuantileMethod, Ranks, Wanted};
use super::{AlongFold, ArgNth, BottomK, Fold, TopK};
use crate::error::{Error, Result};
use crate::op::element::{Element, ElementKind};
use half::{bf16, f16};
use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

/// The element with a rank: the one at this index, from 0, if the input were sorted.
///
/// The order is that of `numpy.sort`: −0 is below +0, infinities are ordinary values, and every NaN, whatever its sign, is behind
/// all numbers. It comes as the type's `NAN`. The result is an element of the input, with the same bits
/// on every device. Where there is no such rank, verbs fail with [`Error::InvalidRank`](crate::Error::InvalidRank).
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Nth;
///
/// let numbers = reducer.upload(&[5_i32, -3, 9, 4])?;
/// assert_eq!(reducer.reduce(Nth { rank: 1 }, &numbers).run()?, 4);
/// assert_eq!(Nth { rank: 3 }.on_cpu(&[5, -3, 9, 4])?, 9);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// Along an axis there is one for each row. [`RankStream`](crate::RankStream) finds it in what is larger than memory. Of segments and runs
/// there is none so far.
///
/// The GPU selects and does not sort: of sortable keys it counts the first digit, finds that of the rank, counts the next one among those
/// that begin so, and so on (radix selection; Alabi et al., *Fast k-selection algorithms for graphics processing units*, 2012).
///
/// Of four million elements and more, with 32 or 64 bits each, a sample gives bounds of the rank first (as in Floyd and Rivest, *Expected time
/// bounds for selection*, 1975). Elements between them are kept, and digits of these alone are counted. Where the sample misleads, all are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nth {
    /// Counted from 0: the rank of the smallest element.
    pub rank: u64,
}

/// The median: the element in the middle of the sorted input, or the mean of the two there.
///
/// It is the [`Quantile`] 0.5, and what is said there holds for it.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Median;
///
/// let numbers = reducer.upload(&[5.0_f32, -3.0, 9.0, 4.0])?;
/// assert_eq!(reducer.reduce(Median, &numbers).run()?, 4.5);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Median;

/// A quantile: the value below which a share `q` of the elements lies, as `numpy.quantile` defines it.
///
/// It is `f64` for integers and `f64`, and `f32` for other floats. The two elements beside it are found exactly, and have the same
/// bits on every device; between them the host interpolates, in `f64`, and rounds an `f32` in the end. So its bits are the same, too, and
/// it is within 2 ULP of the larger of the two. A result that is representable is not lost to overflow.
///
/// NaN if there is a NaN, or if it lies between −inf and +inf. −0 is below +0. Of no elements there is no result:
/// [`Error::Empty`](crate::Error::Empty). Where `q` is NaN or not between 0 and 1, verbs fail with [`Error::InvalidRank`](crate::Error::InvalidRank).
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Quantile, QuantileMethod};
///
/// let numbers = reducer.upload(&[1_u8, 2, 3, 10])?;
/// let quantile = Quantile { q: 0.9, method: QuantileMethod::Linear };
/// assert_eq!(reducer.reduce(quantile, &numbers).run()?, quantile.on_cpu(&[1_u8, 2, 3, 10])?);
/// let lower = Quantile { method: QuantileMethod::Lower, ..quantile };
/// assert_eq!(reducer.reduce(lower, &numbers).run()?, 3.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantile {
    /// The share of elements, between 0 and 1.
    pub q: f64,
    /// What is done between two elements.
    pub method: QuantileMethod,
}

/// Several quantiles, each a [`Quantile`], in the order in which they are given. Some cost little more than one: the input is read four times
/// for ten of `f32`, and three or four times for one; of four million and more once. For hundreds it is read more often.
///
/// A quantile between two elements takes two ranks. Of a whole input there is room for 1000 ranks where workgroups have 16 KiB of
/// memory, along an axis for some hundred; of more, verbs fail with [`Error::Unsupported`](crate::Error::Unsupported).
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Quantiles;
///
/// let numbers = reducer.upload(&[1.0_f64, 2.0, 3.0, 4.0, 5.0])?;
/// let quartiles = reducer.reduce(Quantiles::new([0.25, 0.5, 0.75]), &numbers).run()?;
/// assert_eq!(quartiles, [2.0, 3.0, 4.0]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Quantiles {
    quantiles: Arc<[f64]>,
    method: QuantileMethod,
}

/// The interquartile range: how far the [`Quantile`] 0.75 lies above the one of 0.25, both by [`QuantileMethod::Linear`], as `scipy.stats.iqr`
/// has it.
///
/// NaN if there is a NaN, or if both quartiles are the same infinity. It is rounded once more than they are. All else is as [`Quantile`] says.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::InterquartileRange;
///
/// let numbers = reducer.upload(&[1_i16, 2, 3, 4, 90])?;
/// assert_eq!(reducer.reduce(InterquartileRange, &numbers).run()?, 2.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct InterquartileRange;

/// The median of the elements that are not NaN, as `numpy.nanmedian` has it: the [`NanQuantile`] 0.5.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::NanMedian;
///
/// let numbers = reducer.upload(&[5.0_f32, -3.0, f32::NAN, 9.0])?;
/// assert_eq!(reducer.reduce(NanMedian, &numbers).run()?, 5.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanMedian;

/// A quantile of the elements that are not NaN, as `numpy.nanquantile` defines it.
///
/// NaN if all elements are. All else is as [`Quantile`] says of the others. The device counts NaN together with the first digit of keys, and computes
/// the wanted ranks.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{NanQuantile, QuantileMethod};
///
/// let numbers = reducer.upload(&[f64::NAN, 2.0, 4.0])?;
/// let quantile = NanQuantile { q: 0.25, method: QuantileMethod::Linear };
/// assert_eq!(reducer.reduce(quantile, &numbers).run()?, 2.5);
/// assert!(quantile.on_cpu(&[f64::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NanQuantile {
    /// The share of elements, between 0 and 1.
    pub q: f64,
    /// What is done between two elements.
    pub method: QuantileMethod,
}

/// Several quantiles of the elements that are not NaN, each a [`NanQuantile`], in the order in which they are given. Each takes two ranks.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::NanQuantiles;
///
/// let numbers = reducer.upload(&[1.0_f32, f32::NAN, 3.0, 2.0])?;
/// assert_eq!(reducer.reduce(NanQuantiles::new([1.0, 0.5]), &numbers).run()?, [3.0, 2.0]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NanQuantiles {
    quantiles: Arc<[f64]>,
    method: QuantileMethod,
}

/// How several quantiles are asked for.
macro_rules! several {
    ($($several:ident)*) => {$(
        impl $several {
            /// By [`QuantileMethod::Linear`].
            pub fn new(quantiles: impl Into<Arc<[f64]>>) -> Self {
                Self { quantiles: quantiles.into(), method: QuantileMethod::default() }
            }

            /// By another method.
            ///
            /// ```
            #[doc = concat!("use wgpu_reduce::{QuantileMethod, ", stringify!($several), "};")]
            ///
            #[doc = concat!("let deciles = ", stringify!($several), "::new([0.1, 0.9]).method(QuantileMethod::Hazen);")]
            /// assert_eq!(deciles.on_cpu(&[1_i32, 2, 3, 4, 5])?, [1.0, 5.0]);
            /// # Ok::<(), wgpu_reduce::Error>(())
            /// ```
            #[must_use]
            pub fn method(self, method: QuantileMethod) -> Self {
                Self { method, ..self }
            }
        }
    )*};
}
several!(Quantiles NanQuantiles);

/// An element that has an order and a middle.
pub trait Ranked: Element {
    /// Of quantiles.
    type Figure: Copy + PartialEq + std::fmt::Debug + Send + 'static;

    /// What every NaN comes as.
    #[doc(hidden)]
    const NAN: Option<Self>;

    /// The element in the bytes that a device leaves of it.
    #[doc(hidden)]
    fn read(bytes: &[u8]) -> Result<Self>;

    /// A number that tells the element's place in the order: NaN is behind all numbers.
    #[doc(hidden)]
    fn key(self) -> u64;

    /// NaN is behind all numbers.
    #[doc(hidden)]
    fn order(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }

    /// What lies between two elements, the second of which has a share.
    #[doc(hidden)]
    fn between(self, other: Self, share: f64) -> Self::Figure;

    /// How far one figure lies above another.
    #[doc(hidden)]
    fn range(low: Self::Figure, high: Self::Figure) -> Self::Figure;
}

/// Bytes of an element as a device leaves it.
pub(super) const fn left_bytes(kind: ElementKind) -> usize {
    if kind.number().has_64_bits() { 8 } else { 4 }
}

/// The place of a float in the order.
const fn key_of_float(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    match number.to_bits() {
        _ if number.is_nan() => u64::MAX,
        bits if bits & SIGN == 0 => bits | SIGN,
        bits => !bits,
    }
}

/// The place of an integer among those of its type, signed or not.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "modulo 2^64")]
const fn key_of_integer(number: i128, is_signed: bool) -> u64 {
    number as u64 ^ ((is_signed as u64) << 63)
}

/// Between two numbers. What overflows on the way does not if the result does not.
fn interpolated(a: f64, b: f64, share: f64) -> f64 {
    let (sum, difference) = (a + b, b - a);
    let between = match share {
        _ if a.total_cmp(&b).is_eq() => a,
        0.0 => a,
        0.5 if sum.is_finite() => sum / 2.0,
        _ if !difference.is_finite() => a * (1.0 - share) + b * share,
        ..0.5 => a + difference * share,
        _ => b - difference * (1.0 - share),
    };
    // Its bits are the host's.
    if between.is_nan() { f64::NAN } else { between }
}

macro_rules! ranked_floats {
    ($($float:ty as $wide:ty => $figure:ty: $to_f64:expr, $from_f64:expr, $narrowed:expr;)*) => {$(
        impl Ranked for $float {
            type Figure = $figure;

            const NAN: Option<Self> = Some(Self::NAN);

            fn read(bytes: &[u8]) -> Result<Self> {
                value::<$wide>(bytes).map($narrowed)
            }

            fn key(self) -> u64 {
                key_of_float($to_f64(self))
            }

            fn between(self, other: Self, share: f64) -> $figure {
                let [a, b] = [self, other].map($to_f64);
                $from_f64(interpolated(a, b, share))
            }

            fn range(low: $figure, high: $figure) -> $figure {
                let range = high - low;
                // Its bits are the host's.
                if range.is_nan() { <$figure>::NAN } else { range }
            }
        }
    )*};
}
ranked_floats! {
    f32 as f32 => f32: f64::from, to_f32, std::convert::identity;
    f16 as f32 => f32: f64::from, to_f32, Narrowed::<f16>::narrowed;
    bf16 as f32 => f32: f64::from, to_f32, Narrowed::<bf16>::narrowed;
    f64 as f64 => f64: std::convert::identity, std::convert::identity, std::convert::identity;
}

#[expect(clippy::cast_possible_truncation, reason = "rounded once")]
pub(super) const fn to_f32(number: f64) -> f32 {
    number as f32
}

macro_rules! ranked_integers {
    ($($integer:ty as $wide:ty: $narrowed:expr;)*) => {$(
        impl Ranked for $integer {
            type Figure = f64;

            const NAN: Option<Self> = None;

            fn read(bytes: &[u8]) -> Result<Self> {
                value::<$wide>(bytes).map($narrowed)
            }

            fn key(self) -> u64 {
                key_of_integer(self.into(), <$integer>::MIN != 0)
            }

            fn between(self, other: Self, share: f64) -> f64 {
                between_integers(self.into(), other.into(), share)
            }

            fn range(low: f64, high: f64) -> f64 {
                high - low
            }
        }
    )*};
}
ranked_integers! {
    i32 as i32: std::convert::identity;
    u32 as u32: std::convert::identity;
    i64 as i64: std::convert::identity;
    u64 as u64: std::convert::identity;
    i8 as i32: Narrowed::<i8>::narrowed;
    u8 as u32: Narrowed::<u8>::narrowed;
    i16 as i32: Narrowed::<i16>::narrowed;
    u16 as u32: Narrowed::<u16>::narrowed;
}

/// An order statistic that can be found in elements that are read several times: every one but those with indices.
///
/// [`RankStream`](crate::RankStream) finds it. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not found in elements that are read several times",
    label = "no order statistic without indices"
)]
pub trait OrderStatistic<T: Ranked>: Fold<T> {
    #[doc(hidden)]
    fn wanted(&self) -> Ranks<'_>;

    /// The result of the elements of ranks.
    #[doc(hidden)]
    fn of_elements(&self, found: &Found, elements: Vec<T>) -> Result<Self::Output>;
}

/// One by one, since other crates might make them folds that devices finish over types of theirs.
macro_rules! along_axes {
    ($($element:ty),*) => {$(
        impl AlongFold<$element> for Nth {}
        impl AlongFold<$element> for Median {}
        impl AlongFold<$element> for Quantile {}
        impl AlongFold<$element> for Quantiles {}
        impl AlongFold<$element> for InterquartileRange {}
        impl AlongFold<$element> for NanMedian {}
        impl AlongFold<$element> for NanQuantile {}
        impl AlongFold<$element> for NanQuantiles {}
        impl AlongFold<$element> for ArgNth {}
        impl AlongFold<$element> for BottomK {}
        impl AlongFold<$element> for TopK {}
    )*};
}
along_axes!(f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32, u64);

/// Sums and differences of two are exact.
#[expect(clippy::cast_precision_loss, reason = "rounded to the nearest")]
fn between_integers(a: i128, b: i128, share: f64) -> f64 {
    match share {
        0.5 => (a + b) as f64 / 2.0,
        ..0.5 => a as f64 + (b - a) as f64 * share,
        _ => b as f64 - (b - a) as f64 * (1.0 - share),
    }
}

/// Results of the elements with the ranks that were to be found.
pub(super) fn figures<T: Ranked>(found: &Found, values: &[T]) -> Vec<T::Figure> {
    // It is among them where elements may be NaN.
    let nan = values.last().and_then(nan);
    let of = |rank| values.get(found.number_of(rank)).copied();
    let between = |&Between { below, above, share }: &Between| match (nan, of(below), of(above)) {
        (Some(nan), ..) => Some(nan.between(nan, 0.0)),
        (None, Some(below), Some(above)) => Some(below.between(above, share)),
        _ => None,
    };
    found.results.iter().filter_map(between).collect()
}

/// What it comes as, if it is a NaN.
pub(super) fn nan<T: Ranked>(value: &T) -> Option<T> {
    T::NAN.filter(|nan| value.order(nan).is_eq())
}

/// The elements of ranks, as a device leaves them.
fn read<T: Ranked>(left: Left<'_>, found: &Found) -> Result<Vec<T>> {
    let size = left_bytes(T::KIND);
    (0..found.ranks.len()).map(|number| T::read(nth(left.bytes, number, size))).collect()
}

/// The number of elements that a device has found ranks of. Where ranks are of numbers and there is none, a NaN is ranked.
pub(super) fn ranked_len(ranks: &Ranks<'_>, kind: ElementKind, left: Left<'_>) -> Result<u64> {
    let Some((quantiles, _)) = ranks.of_numbers(kind.is_float()) else { return Ok(left.len) };
    let bytes = left_bytes(kind).saturating_mul(quantiles.len()).saturating_mul(2);
    value(left.bytes.get(bytes..).unwrap_or_default())
}

/// The result of elements on the host.
fn of_values<T: Ranked, R>(
    ranks: &Ranks<'_>,
    values: &[T],
    finish: fn(&Found, Vec<T>) -> Result<R>,
) -> Result<R> {
    let mut values = values.to_vec();
    values.sort_unstable_by(T::order);
    if ranks.of_numbers(T::KIND.is_float()).is_some() {
        // NaN are last.
        let numbers = values.partition_point(|value| nan(value).is_none());
        values.truncate(numbers.max(1));
    }
    let found = ranks.find(values.len() as u64, T::KIND.is_float())?;
    finish(&found, elements(&values, &found))
}

/// The elements of ranks.
fn elements<T: Ranked>(sorted: &[T], found: &Found) -> Vec<T> {
    let at = |&rank: &u64| {
        sorted.get(usize::try_from(rank).ok()?).map(|value| nan(value).unwrap_or(*value))
    };
    found.ranks.iter().filter_map(at).collect()
}

/// The first of what must be there.
pub(super) fn first<R>(results: Vec<R>) -> Result<R> {
    let message = || "a rank came back without its element".into();
    results.into_iter().next().ok_or_else(|| Error::Internal { message: message() })
}

/// What is asked for, what comes of it, and how it is made of the elements of ranks.
macro_rules! order_statistic {
    ($($statistic:ident, $name:literal: |$self:ident| $wanted:expr => $output:ty: $finish:expr;)*) => {$(
        impl $statistic {
            fn ranks(&self) -> Ranks<'_> {
                let $self = self;
                Ranks { name: $name, wanted: $wanted }
            }

            /// Computes the result on the host, with the same bits.
            ///
            /// # Errors
            ///
            /// [`Error::Empty`](crate::Error::Empty) of no elements, [`Error::InvalidRank`](crate::Error::InvalidRank) where there is no
            /// such rank or quantile.
            pub fn on_cpu<T: Ranked>(&self, values: &[T]) -> Result<$output> {
                of_values(&self.ranks(), values, $finish)
            }
        }

        impl<T: Ranked> Fold<T> for $statistic {
            type Output = $output;

            fn finisher(&self) -> Finisher<$output> {
                let (statistic, kept) = (self.clone(), OnceLock::<(u64, Found)>::new());
                Box::new(move |left: Left<'_>| {
                    let finish: fn(&Found, Vec<T>) -> Result<$output> = $finish;
                    let len = ranked_len(&statistic.ranks(), T::KIND, left)?;
                    // Rows are as long as each other, though not all have as many numbers.
                    let of_len = |kept: &&(u64, Found)| kept.0 == len;
                    if let Some((_, found)) = kept.get().filter(of_len) {
                        return finish(found, read(left, found)?);
                    }
                    let found = statistic.ranks().find(len, T::KIND.is_float())?;
                    let result = finish(&found, read(left, &found)?);
                    let _ = kept.set((len, found));
                    result
                })
            }

            fn folds(&self) -> Folds<'_> {
                Folds::Ranks(self.ranks())
            }
        }

        impl<T: Ranked> OrderStatistic<T> for $statistic {
            fn wanted(&self) -> Ranks<'_> {
                self.ranks()
            }

            fn of_elements(&self, found: &Found, elements: Vec<T>) -> Result<$output> {
                let finish: fn(&Found, Vec<T>) -> Result<$output> = $finish;
                finish(found, elements)
            }
        }
    )*};
}
order_statistic! {
    Nth, "nth": |of| Wanted::Nth(of.rank) => T: |_, values| first(values);
    Median, "median": |_of| Wanted::Quantiles(&[0.5], QuantileMethod::Linear) => T::Figure:
        |found, values| first(figures(found, &values));
    Quantile, "quantile": |of| Wanted::Quantiles(std::slice::from_ref(&of.q), of.method) => T::Figure:
        |found, values| first(figures(found, &values));
    Quantiles, "quantiles": |of| Wanted::Quantiles(&of.quantiles, of.method) => Vec<T::Figure>:
        |found, values| Ok(figures(found, &values));
    InterquartileRange, "interquartile_range": |_of| Wanted::Quantiles(&[0.25, 0.75], QuantileMethod::Linear) => T::Figure:
        |found, values| match figures(found, &values)[..] {
            [low, high] => Ok(T::range(low, high)),
            _ => first(Vec::new()),
        };
    NanMedian, "nan_median": |_of| Wanted::OfNumbers(&[0.5], QuantileMethod::Linear) => T::Figure:
        |found, values| first(figures(found, &values));
    NanQuantile, "nan_quantile": |of| Wanted::OfNumbers(std::slice::from_ref(&of.q), of.method) => T::Figure:
        |found, values| first(figures(found, &values));
    NanQuantiles, "nan_quantiles": |of| Wanted::OfNumbers(&of.quantiles, of.method) => Vec<T::Figure>:
        |found, values| Ok(figures(found, &values));
}
