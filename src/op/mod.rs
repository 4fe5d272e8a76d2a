//! The operations: each is one record, in a file of its own, with its WGSL and its CPU meaning.

mod sum;

pub use sum::Sum;

use crate::element::{Element, ElementKind, Wide};
use crate::error::Result;
use crate::fragment::Fragment;

/// An operation over elements of type `T`.
///
/// An operation is an identity, a lift of an element into the accumulator, an associative and
/// commutative combine, and a finish of the accumulator into the output; the WGSL of all four is one
/// file in `shaders/ops/`. Pairs of operation and type that do not exist do not compile:
///
/// ```compile_fail
/// fn takes_operation<T: wgpu_reduce::Element>(_: impl wgpu_reduce::Operation<T>) {}
/// takes_operation::<f64>(wgpu_reduce::Sum);
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
    /// The accumulator for elements of a type.
    pub(crate) accumulator: fn(ElementKind) -> Wide,
    /// Bytes of the output for elements of a type.
    pub(crate) output_bytes: fn(ElementKind) -> u64,
}

impl OpRecord {
    /// Every operation of this crate.
    pub const ALL: [&'static Self; 1] = [&sum::RECORD];

    /// The operation's name, as in the library's call and on the command line.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl PartialEq for OpRecord {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OpRecord {}
