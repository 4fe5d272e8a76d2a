//! What keeps the traits of operations to those of this crate: a record says what a kernel writes, and a type from elsewhere
//! could claim less room for it.

/// Belongs to an operation on elements of type `T`.
pub trait Sealed<T> {}
