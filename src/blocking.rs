//! Blocking calls, one per operation: sugar for [`GpuReducer::reduce`].

use crate::element::Element;
use crate::error::Result;
use crate::op::{
    All, Any, ArgMax, ArgMin, BitAnd, BitOr, BitXor, CountNan, CountNonZero, Max, Mean, Min,
    MinMax, NanArgMax, NanArgMin, NanMax, NanMean, NanMin, NanSum, NormL1, NormL2, NormMax,
    Operation, Product, Stats, Sum, SumOfSquares, Variance, WrappingSum,
};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;

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
    /// As [`reduce`](Self::reduce) and [`Pending::wait`](crate::Pending::wait).
    pub fn sum<'a, T: Element>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
    ) -> Result<<Sum as Operation<T>>::Output>
    where
        Sum: Operation<T>,
    {
        self.reduce(Sum, input)?.wait()
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
    /// As [`reduce`](Self::reduce) and [`Pending::wait`](crate::Pending::wait).
    pub fn wrapping_sum<'a, T: Element>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
    ) -> Result<<WrappingSum as Operation<T>>::Output>
    where
        WrappingSum: Operation<T>,
    {
        self.reduce(WrappingSum, input)?.wait()
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
            #[doc = "As [`reduce`](Self::reduce) and [`Pending::wait`](crate::Pending::wait)."]
            pub fn $name<'a, T: Element>(
                &self,
                input: impl Into<GpuSlices<'a, T>>,
            ) -> Result<<$operation as Operation<T>>::Output>
            where
                $operation: Operation<T>,
            {
                self.reduce($operation, input)?.wait()
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
    /// As [`reduce`](Self::reduce) and [`Pending::wait`](crate::Pending::wait).
    pub fn variance<'a, T: Element>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        ddof: u32,
    ) -> Result<<Variance as Operation<T>>::Output>
    where
        Variance: Operation<T>,
    {
        self.reduce(Variance { ddof }, input)?.wait()
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
    /// As [`reduce`](Self::reduce) and [`Pending::wait`](crate::Pending::wait).
    pub fn stats<'a, T: Element>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
    ) -> Result<<Stats as Operation<T>>::Output>
    where
        Stats: Operation<T>,
    {
        self.reduce(Stats::default(), input)?.wait()
    }
}
