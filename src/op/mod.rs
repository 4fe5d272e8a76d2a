//! The operations: each is one record, in a file of its own, with its WGSL and its CPU meaning.

mod sum;
mod wrapping_sum;

pub use sum::Sum;
pub use wrapping_sum::WrappingSum;

use crate::accumulator::Accumulator;
use crate::element::{Element, ElementKind};
use crate::error::{Error, Result};
use crate::fragment::Fragment;

/// An operation over elements of type `T`.
///
/// An operation is an identity, a lift of an element into the accumulator, an associative and
/// commutative combine, and a finish of the accumulator into the output; the WGSL of all four is one
/// file in `shaders/ops/`. What comes out, by the type of the elements:
///
/// | operation | `f32` | `i32` | `u32` |
/// |---|---|---|---|
/// | [`Sum`] | `f32` | `i64` | `u64` |
/// | [`WrappingSum`] | | `i32` | `u32` |
///
/// Pairs of operation and type that do not exist do not compile:
///
/// ```compile_fail
/// fn takes_operation<T: wgpu_reduce::Element>(_: impl wgpu_reduce::Operation<T>) {}
/// takes_operation::<f32>(wgpu_reduce::WrappingSum);
/// ```
pub trait Operation<T: Element>: Copy + Send + 'static {
    /// What comes out.
    type Output: bytemuck::Pod + PartialEq + std::fmt::Debug + Send;

    /// The operation as data.
    fn record(&self) -> &'static OpRecord;

    /// The same result computed on the host, by definition rather than for speed.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) for no elements, where the operation has no identity.
    fn on_cpu(&self, values: &[T]) -> Result<Self::Output>;
}

/// An operation as data: what planner and shader composition need to know of it.
#[derive(Debug)]
pub struct OpRecord {
    pub(crate) name: &'static str,
    pub(crate) fragment: Fragment,
    /// What it does with elements of a type; `None` where it does not take them.
    pub(crate) over: fn(ElementKind) -> Option<Over>,
}

/// An operation over elements of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Over {
    /// What the elements are accumulated in.
    pub(crate) accumulator: Accumulator,
    /// Bytes of the result.
    pub(crate) output_bytes: u64,
}

impl Over {
    /// The result is the accumulator as it is.
    pub(crate) const fn unfinished(accumulator: Accumulator) -> Self {
        Self { accumulator, output_bytes: accumulator.size_bytes() }
    }
}

impl OpRecord {
    /// Every operation of this crate.
    pub const ALL: [&'static Self; 2] = [&sum::RECORD, &wrapping_sum::RECORD];

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
        (self.over)(element).is_some()
    }

    /// What it does with elements of a type.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] where it does not take them.
    pub(crate) fn over(&self, element: ElementKind) -> Result<Over> {
        (self.over)(element).ok_or(Error::NotDefined { operation: self.name, element })
    }
}

impl PartialEq for OpRecord {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OpRecord {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The record says of a pair what its types say.
    fn check<T: Element, O: Operation<T>>(operation: O) {
        let record = operation.record();
        let over = record.over(T::KIND).unwrap();
        assert_eq!(over.output_bytes, size_of::<O::Output>() as u64, "{record:?} {}", T::KIND);
        assert!(OpRecord::ALL.contains(&record), "{record:?}");
    }

    #[test]
    fn records_agree_with_types() {
        check::<f32, _>(Sum);
        check::<i32, _>(Sum);
        check::<u32, _>(Sum);
        check::<i32, _>(WrappingSum);
        check::<u32, _>(WrappingSum);
        let pairs: usize = OpRecord::ALL
            .iter()
            .map(|record| ElementKind::ALL.iter().filter(|kind| record.takes(**kind)).count())
            .sum();
        assert_eq!(pairs, 5, "a pair is not checked here");
    }
}
