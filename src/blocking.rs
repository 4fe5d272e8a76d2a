//! Blocking calls, one per operation: sugar for [`GpuReducer::reduce`].

use crate::element::Element;
use crate::error::Result;
use crate::op::{Operation, Sum, WrappingSum};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;

impl GpuReducer {
    /// The sum of all elements, [as `Sum` defines it](Sum): `i64` for `i32`, `u64` for `u32`, both
    /// exact; `f32` for `f32`, the same bits on every run; 0 for no elements.
    ///
    /// ```no_run
    /// # fn run(reducer: &wgpu_reduce::GpuReducer) -> wgpu_reduce::Result<()> {
    /// let buffer = reducer.upload(&[u32::MAX, 1])?;
    /// assert_eq!(reducer.sum(&buffer)?, 1_u64 << 32);
    /// # Ok(())
    /// # }
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

    /// The sum of all elements modulo 2^32, [as `WrappingSum` defines it](WrappingSum): `i32` for
    /// `i32`, `u32` for `u32`, the same bits everywhere; 0 for no elements.
    ///
    /// ```no_run
    /// # fn run(reducer: &wgpu_reduce::GpuReducer) -> wgpu_reduce::Result<()> {
    /// let buffer = reducer.upload(&[u32::MAX, 3])?;
    /// assert_eq!(reducer.wrapping_sum(&buffer)?, 2);
    /// # Ok(())
    /// # }
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
