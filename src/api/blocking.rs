//! Blocking calls, one per operation: sugar for [`GpuReducer::reduce`].

use crate::api::input::Input;
use crate::api::reducer::GpuReducer;
use crate::error::Result;
use crate::exact::ExactElement;
use crate::op::element::Element;
#[allow(clippy::wildcard_imports, reason = "each has its call")]
use crate::op::operations::*;
use crate::op::{Dot, DotExact, Fold, Median, Quantile, QuantileMethod, Ranked};
use crate::plan::shapes::bins::{Bins, Histogram};

/// The documentation of a call, and the call: of what it gives, an example's input and arguments, and its result.
macro_rules! call {
    ($name:ident $operation:ident() ()) => {};
    ($name:ident $operation:ident($field:ident) ()) => {};
    ($name:ident $operation:ident() ($what:literal, $input:literal => $result:literal)) => {
        call!(@documented $operation $what, $input, ("reducer.", stringify!($name), "(&buffer)?, ", $result);
            pub fn $name<'a, I: Input<'a>>(&self, input: I) -> Result<<$operation as Fold<I::Item>>::Output>
            where
                $operation: Fold<I::Item>,
            {
                self.reduce($operation, input).run()
            }
        );
    };
    ($name:ident $operation:ident($field:ident) ($what:literal, $input:literal, $value:literal => $result:literal)) => {
        call!(@documented $operation $what, $input, ("reducer.", stringify!($name), "(&buffer, ", $value, ")?, ", $result);
            pub fn $name<'a, I: Input<'a>>(&self, input: I, $field: u32) -> Result<<$operation as Fold<I::Item>>::Output>
            where
                $operation: Fold<I::Item>,
            {
                self.reduce($operation { $field }, input).run()
            }
        );
    };
    (@documented $operation:ident $what:literal, $input:literal, ($($equal:expr),*); $($call:tt)*) => {
        impl GpuReducer {
            #[doc = $what]
            #[doc = ""]
            #[doc = concat!(
                "NaN, ties, no elements, bounds and determinism are [as `", stringify!($operation),
                "` defines them](", stringify!($operation), "). Not in browsers."
            )]
            #[doc = ""]
            #[doc = "```"]
            #[doc = "# let reducer = wgpu_reduce::GpuReducer::new()?;"]
            #[doc = concat!("let buffer = reducer.upload(", $input, ")?;")]
            #[doc = concat!("assert_eq!(", $($equal),*, ");")]
            #[doc = "# Ok::<(), wgpu_reduce::Error>(())"]
            #[doc = "```"]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = "As [`Request::run`](crate::Request::run)."]
            $($call)*
        }
    };
}

macro_rules! calls {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        $(call!($name $operation($($field)?) $call);)*
    };
}
crate::for_each_operation!(calls);

/// Calls that are like no other.
impl GpuReducer {
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
    /// integers of up to 32 bits, `u128` for unsigned ones, both exact; `f32` for floats of up to 32 bits, `f64` for `f64`, the same
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

    /// The real dot product of two inputs of `f32` or `f64`, rounded once, [as `DotExact` defines it](DotExact): the same bits on every
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
    pub fn dot_exact<'a, T: ExactElement>(
        &self,
        left: impl Input<'a, Item = T>,
        right: impl Input<'a, Item = T>,
    ) -> Result<T> {
        self.reduce(DotExact, (left, right)).run()
    }

    /// The median, [as `Median` defines it](Median): the element in the middle of the sorted input, or the mean of the two there. `f64`
    /// for integers and `f64`, `f32` for other floats; NaN if there is one.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[7_i32, -1, 4, 5])?;
    /// assert_eq!(reducer.median(&buffer)?, 4.5);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn median<'a, T: Ranked>(&self, input: impl Input<'a, Item = T>) -> Result<T::Figure> {
        self.reduce(Median, input).run()
    }

    /// The quantile at `q`, a share of elements from 0 to 1, [as `Quantile` defines it](Quantile) by the method `Linear`: `f64` for
    /// integers and `f64`, `f32` for other floats; NaN if there is one.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[7.0_f32, -1.0, 4.0, 5.0, 0.0])?;
    /// assert_eq!(reducer.quantile(&buffer, 0.25)?, 0.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::run`](crate::Request::run).
    pub fn quantile<'a, T: Ranked>(
        &self,
        input: impl Input<'a, Item = T>,
        q: f64,
    ) -> Result<T::Figure> {
        self.reduce(Quantile { q, method: QuantileMethod::Linear }, input).run()
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
    pub fn histogram<'a, T: Element>(
        &self,
        input: impl Input<'a, Item = T>,
        bins: &'a Bins,
    ) -> Result<Histogram> {
        self.bin(input, bins).run()
    }
}
