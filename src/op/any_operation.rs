//! Operations that are known when the program runs.

use super::fold::{Finish, Finisher, Folds, Left, ShapedFold, Shared};
use super::{ElementKind, Fold, OpRecord};
use crate::error::Result;
use std::fmt;
use std::sync::Arc;

/// An operation that is known when the program runs, and not when it is compiled: its record, and what makes results.
///
/// It reduces [`AnySlices`](crate::AnySlices), whose type is known as late, in every shape. All of its results are of one
/// type, so that a program with every operation on every type of elements is compiled once.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{AnyOperation, AnySlices, ElementKind, Max, Operation};
///
/// // Of elements of 32 bits a device leaves a word.
/// let largest = AnyOperation::new(Operation::<i32>::record(&Max), |element, raw, _len| {
///     let word = [raw[0], raw[1], raw[2], raw[3]];
///     Ok(match element {
///         ElementKind::F32 => f32::from_le_bytes(word).to_string(),
///         _ => i32::from_le_bytes(word).to_string(),
///     })
/// });
/// let (integers, floats) = (reducer.upload(&[3_i32, -7, 12])?, reducer.upload(&[0.5_f32, 0.25])?);
/// assert_eq!(reducer.reduce(&largest, AnySlices::from(&integers)).run()?, "12");
/// assert_eq!(reducer.reduce(&largest, AnySlices::from(&floats)).run()?, "0.5");
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub struct AnyOperation<R> {
    record: &'static OpRecord,
    finisher: Arc<dyn Finish<R>>,
}

impl<R: Send> AnyOperation<R> {
    /// By its record. `finish` makes a result of what a device leaves, the bytes of the operation's
    /// [`Raw`](crate::DeviceFold::Raw) on such elements and maybe others behind them, and of the number of elements; as
    /// [`Operation::finish`](crate::Operation::finish). Of many results several threads may call it at once.
    ///
    /// A segment's number is told where the operation has no result of no elements; else it is 0. A run's may be 1 whatever it is.
    pub fn new(
        record: &'static OpRecord,
        finish: impl Fn(ElementKind, &[u8], u64) -> Result<R> + Send + Sync + 'static,
    ) -> Self {
        let finisher =
            move |left: Left<'_>| left.read(record, |raw| finish(left.element, raw, left.len));
        Self { record, finisher: Arc::new(finisher) }
    }

    /// What the library knows of it.
    #[must_use]
    pub const fn record(&self) -> &'static OpRecord {
        self.record
    }
}

impl<R> Clone for AnyOperation<R> {
    fn clone(&self) -> Self {
        Self { record: self.record, finisher: Arc::clone(&self.finisher) }
    }
}

impl<R> fmt::Debug for AnyOperation<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyOperation").field("record", self.record).finish_non_exhaustive()
    }
}

impl<R: Send + 'static> Fold<ElementKind> for &AnyOperation<R> {
    type Output = R;

    fn finisher(&self) -> Finisher<R> {
        Box::new(Shared(Arc::clone(&self.finisher)))
    }

    fn folds(&self) -> Folds<'_> {
        Folds::Operation(self.record)
    }
}

impl<R: Send + 'static> ShapedFold<ElementKind> for &AnyOperation<R> {}
