//! Blocking calls, one per operation: sugar for [`GpuReducer::reduce`].

use crate::api::input::Input;
use crate::api::reducer::GpuReducer;
use crate::error::Result;
use crate::op::element::Element;
use crate::op::{
    All, Any, ArgMax, ArgMin, BitAnd, BitOr, BitXor, CountNan, CountNonZero, Dot, DotExact, Fold,
    Max, Mean, MeanExact, Min, MinMax, NanArgMax, NanArgMin, NanMax, NanMean, NanMin, NanSum,
    NormL1, NormL2, NormMax, Product, Stats, Sum, SumExact, SumOfSquares, Variance, WrappingSum,
};
use crate::plan::shapes::bins::{Binned, Bins, Histogram};

impl GpuReducer {
    /// The sum of all elements, [as `Sum` defines it](Sum): `i64` for signed integers of up to 32 bits, `u64` for unsigned
    /// ones, `i128` for `i64`, `u128` for `u64`, all exact; `f32` for `f32` and `f16`, `f64` for `f64`, the same bits on
    /// every run; 0 for no elements.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[u32::MAX, 1])?;
    /// assert_eq!(reducer.sum(&buffer)?, 1_u64 << 32);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn sum<'a, I: Input<'a>>(&self, input: I) -> Result<<Sum as Fold<I::Item>>::Output>
    where
        Sum: Fold<I::Item>,
    {
        self.reduce(Sum, input).run()
    }

    /// The sum of all elements modulo 2 to the number of their bits, [as `WrappingSum` defines
    /// it](WrappingSum), in their own type: the same bits everywhere; 0 for no elements.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[u32::MAX, 3])?;
    /// assert_eq!(reducer.wrapping_sum(&buffer)?, 2);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn wrapping_sum<'a, I: Input<'a>>(
        &self,
        input: I,
    ) -> Result<<WrappingSum as Fold<I::Item>>::Output>
    where
        WrappingSum: Fold<I::Item>,
    {
        self.reduce(WrappingSum, input).run()
    }
}

/// Calls of operations that take nothing but elements, each with what it gives and an example.
macro_rules! calls {
    ($($name:ident: $operation:ident, $what:literal, $input:literal => $result:literal;)*) => {
        impl GpuReducer {$(
            #[doc = $what]
            #[doc = ""]
            #[doc = concat!(
                "NaN, ties, no elements and determinism are [as `", stringify!($operation),
                "` defines them](", stringify!($operation), "). Not in browsers."
            )]
            #[doc = ""]
            #[doc = "```"]
            #[doc = "# let reducer = wgpu_reduce::GpuReducer::new()?;"]
            #[doc = concat!("let buffer = reducer.upload(", $input, ")?;")]
            #[doc = concat!(
                "assert_eq!(reducer.", stringify!($name), "(&buffer)?, ", $result, ");"
            )]
            #[doc = "# Ok::<(), wgpu_reduce::Error>(())"]
            #[doc = "```"]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = "As [`Request::run`](crate::Request::run)."]
            pub fn $name<'a, I: Input<'a>>(&self, input: I) -> Result<<$operation as Fold<I::Item>>::Output>
            where
                $operation: Fold<I::Item>,
            {
                self.reduce($operation, input).run()
            }
        )*}
    };
}

calls! {
    product: Product, "The product of all elements: of integers modulo 2^64, of floats a float; 1 of no elements.",
        "&[-3_i32, 4]" => "-12_i64";
    sum_of_squares: SumOfSquares, "The sum of the elements' squares: an exact `u128` of integers, of floats a float; 0 of no elements.",
        "&[3_i32, -4]" => "25_u128";
    norm_l1: NormL1, "The sum of the elements' magnitudes: an exact `u64` of integers of up to 32 bits and `u128` of longer ones, of floats a float; 0 of no elements.",
        "&[3_i32, -4]" => "7_u64";
    norm_l2: NormL2, "The root of the sum of the elements' squares, safe from overflow and underflow: `f64` of integers, of floats a float; 0 of no elements.",
        "&[f32::MAX, 0.0]" => "f32::MAX";
    norm_max: NormMax, "The largest magnitude: of integers the unsigned type as long as theirs, of floats theirs; 0 of no elements.",
        "&[3_i32, -4]" => "4_u32";
    min: Min, "The smallest element; NaN if there is one.",
        "&[2.5_f32, -1.0]" => "-1.0_f32";
    max: Max, "The largest element; NaN if there is one.",
        "&[2.5_f32, -1.0]" => "2.5_f32";
    min_max: MinMax, "The smallest and the largest element, in one pass over the data; NaN if there is one.",
        "&[2_i32, -1]" => "wgpu_reduce::Extrema { min: -1, max: 2 }";
    argmin: ArgMin, "The smallest element and the index where it first stands; the first NaN if there is one.",
        "&[2_i32, -1, -1]" => "wgpu_reduce::Located { index: 1, value: -1 }";
    argmax: ArgMax, "The largest element and the index where it first stands; the first NaN if there is one.",
        "&[2_i32, -1, 2]" => "wgpu_reduce::Located { index: 0, value: 2 }";
    mean: Mean, "The mean: `f64` for integers and `f64`, `f32` for `f32` and `f16`.",
        "&[1_u32, 2]" => "1.5_f64";
    all: All, "Whether no element is zero; true of no elements.",
        "&[1_u32, 0]" => "false";
    any: Any, "Whether an element is not zero; false of no elements.",
        "&[1_u32, 0]" => "true";
    count_nonzero: CountNonZero, "How many elements are not zero: NaN counts, −0 does not.",
        "&[1_u32, 0]" => "1_u64";
    count_nan: CountNan, "How many elements are NaN.",
        "&[1.0, f32::NAN]" => "1_u64";
    bit_and: BitAnd, "The bits that all elements have; all bits of no elements.",
        "&[0b110_u32, 0b101]" => "0b100_u32";
    bit_or: BitOr, "The bits that any element has; none of no elements.",
        "&[0b110_u32, 0b101]" => "0b111_u32";
    bit_xor: BitXor, "The bits that an odd number of elements has; none of no elements.",
        "&[0b110_u32, 0b101]" => "0b011_u32";
    nan_sum: NanSum, "The sum of the elements that are not NaN; 0 if all are.",
        "&[1.5, f32::NAN]" => "1.5_f32";
    nan_mean: NanMean, "The mean of the elements that are not NaN; NaN if all are.",
        "&[1.5, f32::NAN]" => "1.5_f32";
    nan_min: NanMin, "The smallest element that is not NaN; NaN if all are.",
        "&[1.5, f32::NAN]" => "1.5_f32";
    nan_max: NanMax, "The largest element that is not NaN; NaN if all are.",
        "&[1.5, f32::NAN]" => "1.5_f32";
    nan_argmin: NanArgMin, "The smallest element that is not NaN and the index where it first stands.",
        "&[f32::NAN, 1.5]" => "wgpu_reduce::Located { index: 1, value: 1.5 }";
    nan_argmax: NanArgMax, "The largest element that is not NaN and the index where it first stands.",
        "&[f32::NAN, 1.5]" => "wgpu_reduce::Located { index: 1, value: 1.5 }";
}

/// Calls that need to know the delta degrees of freedom.
impl GpuReducer {
    /// The sum of squared deviations from the mean, divided by the number of elements less `ddof`: 0 for a whole
    /// population, 1 to estimate from a sample. `f64` for integers of up to 32 bits and `f64`, `f32` for `f32` and `f16`;
    /// of `i64` and `u64` there is none.
    ///
    /// NaN, no elements, bounds and determinism are [as `Variance` defines them](Variance).
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_i32, 2, 3, 4])?;
    /// assert_eq!(reducer.variance(&buffer, 0)?, 1.25);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn variance<'a, I: Input<'a>>(
        &self,
        input: I,
        ddof: u32,
    ) -> Result<<Variance as Fold<I::Item>>::Output>
    where
        Variance: Fold<I::Item>,
    {
        self.reduce(Variance { ddof }, input).run()
    }

    /// Count, extremes with their indices, sum, mean and variance of a population, in one pass over the
    /// data; with `reduce(Stats { ddof: 1 }, …)` the variance of a sample.
    ///
    /// NaN, ties, no elements, bounds and determinism are [as `Stats` defines them](Stats).
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[3_i32, -1, 4])?;
    /// let stats = reducer.stats(&buffer)?;
    /// assert_eq!((stats.min.value, stats.max.value, stats.mean), (-1, 4, 2.0));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn stats<'a, I: Input<'a>>(&self, input: I) -> Result<<Stats as Fold<I::Item>>::Output>
    where
        Stats: Fold<I::Item>,
    {
        self.reduce(Stats::default(), input).run()
    }

    /// The sum of the products of the elements of two inputs of the same length, [as `Dot` defines it](Dot): `i128` for signed
    /// integers of up to 32 bits, `u128` for unsigned ones, both exact; `f32` for `f32` and `f16`, `f64` for `f64`, the same
    /// bits on every run; 0 for no elements. Of `i64` and `u64` there is none.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let (a, b) = (reducer.upload(&[1_i32, 2, 3])?, reducer.upload(&[4_i32, -5, 6])?);
    /// assert_eq!(reducer.dot(&a, &b)?, 12);
    /// assert_eq!(reducer.dot(a.slice(1..)?, b.slice(..2)?)?, -7);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn dot<'a, T: Element>(
        &self,
        left: impl Input<'a, Item = T>,
        right: impl Input<'a, Item = T>,
    ) -> Result<<Dot as Fold<(T, T)>>::Output>
    where
        Dot: Fold<(T, T)>,
    {
        self.reduce(Dot, (left, right)).run()
    }

    /// The real sum of `f32`, rounded once to the nearest `f32`, ties to even, [as `SumExact` defines it](SumExact): the same
    /// bits on every device, in any order of the elements.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1e30_f32, 1.0, -1e30])?;
    /// assert_eq!(reducer.sum_exact(&buffer)?, 1.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn sum_exact<'a, I: Input<'a>>(
        &self,
        input: I,
    ) -> Result<<SumExact as Fold<I::Item>>::Output>
    where
        SumExact: Fold<I::Item>,
    {
        self.reduce(SumExact, input).run()
    }

    /// The mean of `f32`, rounded once, [as `MeanExact` defines it](MeanExact): the same bits on every device.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1e30_f32, 3.0, -1e30])?;
    /// assert_eq!(reducer.mean_exact(&buffer)?, 1.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run); [`Error::Empty`](crate::Error::Empty) for no elements.
    pub fn mean_exact<'a>(&self, input: impl Input<'a, Item = f32>) -> Result<f32> {
        self.reduce(MeanExact, input).run()
    }

    /// The real dot product of two inputs of `f32`, rounded once, [as `DotExact` defines it](DotExact): the same bits on every
    /// device, in any order of the pairs.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let left = reducer.upload(&[3e38_f32, 1.0, -3e38])?;
    /// let right = reducer.upload(&[2e38_f32, 1e-30, 2e38])?;
    /// assert_eq!(reducer.dot_exact(&left, &right)?, 1e-30);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn dot_exact<'a>(
        &self,
        left: impl Input<'a, Item = f32>,
        right: impl Input<'a, Item = f32>,
    ) -> Result<f32> {
        self.reduce(DotExact, (left, right)).run()
    }

    /// How many elements are in each bin: counts as `numpy.histogram` has them. [`bin`](Self::bin) has channels and weights.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let buffer = reducer.upload(&[0.1_f32, 0.5, 1.0, -3.0, f32::NAN])?;
    /// let histogram = reducer.histogram(&buffer, &Bins::even(0.0..1.0, 2)?)?;
    /// assert_eq!(histogram.counts, [1, 2]);
    /// assert_eq!((histogram.below, histogram.above, histogram.nan), (1, 0, 1));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn histogram<'a, T: Binned>(
        &self,
        input: impl Input<'a, Item = T>,
        bins: &'a Bins,
    ) -> Result<Histogram> {
        self.bin(input, bins).run()
    }
}
