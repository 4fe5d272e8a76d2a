//! Exact sums: see [`ExactSum`].

mod bytes;
mod class;
mod fixed;
mod magnitude;
mod parts;
mod products;
mod sum;
mod sums;

pub(crate) use class::Class;
pub(crate) use sum::Bin;
pub use sum::ExactSum;
