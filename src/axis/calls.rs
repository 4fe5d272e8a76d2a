//! Rows and columns of matrices.

use super::{Matrix, View};
use crate::element::Element;
use crate::error::Result;
use crate::op::Operation;
#[cfg(not(target_family = "wasm"))]
use crate::op::{Sum, SumExact};
use crate::pending::Pending;
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;

impl GpuReducer {
    /// Starts a reduction of each row of a matrix, and returns at once:
    /// [`reduce_axis`](Self::reduce_axis) along the axis 1.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ArgMax, Matrix};
    ///
    /// let matrix = reducer.upload(&[1_u32, 9, 2, 7, 5, 6])?;
    /// let found = reducer.reduce_rows(ArgMax, &matrix, Matrix { rows: 2, columns: 3 })?.wait()?;
    /// assert_eq!((found[0].index, found[1].index), (1, 0));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_axis`](Self::reduce_axis).
    pub fn reduce_rows<'a, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        matrix: Matrix,
    ) -> Result<Pending<Vec<O::Output>>> {
        self.reduce_axis(operation, input, View::from(matrix), 1)
    }

    /// Starts a reduction of each column of a matrix, and returns at once:
    /// [`reduce_axis`](Self::reduce_axis) along the axis 0.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ArgMax, Matrix};
    ///
    /// let matrix = reducer.upload(&[1_u32, 9, 2, 7, 5, 6])?;
    /// let found = reducer.reduce_columns(ArgMax, &matrix, Matrix { rows: 2, columns: 3 })?.wait()?;
    /// assert_eq!((found[0].index, found[1].index, found[2].index), (1, 0, 1));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_axis`](Self::reduce_axis).
    pub fn reduce_columns<'a, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        matrix: Matrix,
    ) -> Result<Pending<Vec<O::Output>>> {
        self.reduce_axis(operation, input, View::from(matrix), 0)
    }

    /// The sum of each row of a matrix, [as `Sum` defines it](Sum): of the types that [`sum`](Self::sum) has; 0 for rows
    /// without elements.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Matrix;
    ///
    /// let matrix = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(reducer.sum_rows(&matrix, Matrix { rows: 2, columns: 3 })?, [6, 15]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_axis`](Self::reduce_axis) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn sum_rows<'a, T: Element>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        matrix: Matrix,
    ) -> Result<Vec<<Sum as Operation<T>>::Output>>
    where
        Sum: Operation<T>,
    {
        self.reduce_rows(Sum, input, matrix)?.wait()
    }

    /// The sum of each column of a matrix, as [`sum_rows`](Self::sum_rows).
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Matrix;
    ///
    /// let matrix = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(reducer.sum_columns(&matrix, Matrix { rows: 2, columns: 3 })?, [5, 7, 9]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_axis`](Self::reduce_axis) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn sum_columns<'a, T: Element>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        matrix: Matrix,
    ) -> Result<Vec<<Sum as Operation<T>>::Output>>
    where
        Sum: Operation<T>,
    {
        self.reduce_columns(Sum, input, matrix)?.wait()
    }

    /// The real sum of each row of a matrix, rounded once, [as `SumExact` defines it](SumExact): the same bits
    /// on every device, and for the columns of the transposed matrix. `reduce_axis(SumExact, …)` does it along
    /// any axis of a view.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Matrix;
    ///
    /// let matrix = reducer.upload(&[1e30_f32, 1.0, -1e30, 0.1, 0.2, 0.3])?;
    /// assert_eq!(reducer.sum_rows_exact(&matrix, Matrix { rows: 2, columns: 3 })?, [1.0, 0.6]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_axis`](Self::reduce_axis) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn sum_rows_exact<'a>(
        &self,
        input: impl Into<GpuSlices<'a, f32>>,
        matrix: Matrix,
    ) -> Result<Vec<f32>> {
        self.reduce_rows(SumExact, input, matrix)?.wait()
    }

    /// The real sum of each column of a matrix, as [`sum_rows_exact`](Self::sum_rows_exact).
    /// Not in browsers.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Matrix;
    ///
    /// let matrix = reducer.upload(&[1e30_f32, 0.1, 1.0, 0.2, -1e30, 0.3])?;
    /// assert_eq!(reducer.sum_columns_exact(&matrix, Matrix { rows: 3, columns: 2 })?, [1.0, 0.6]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_axis`](Self::reduce_axis) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn sum_columns_exact<'a>(
        &self,
        input: impl Into<GpuSlices<'a, f32>>,
        matrix: Matrix,
    ) -> Result<Vec<f32>> {
        self.reduce_columns(SumExact, input, matrix)?.wait()
    }
}
