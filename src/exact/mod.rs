//! Exact sums: see [`ExactSum`].

mod bytes;
mod class;
mod fixed;
mod format;
mod magnitude;
mod partial;
mod parts;
mod products;
mod records;
mod sum;
mod sums;
mod terms;
mod traits;

pub(crate) use class::Class;
pub use format::ExactElement;
pub use partial::ExactPartial;
pub(crate) use records::{MAX_WORKGROUPS, Records};
pub(crate) use sum::Bin;
pub use sum::ExactSum;
pub use terms::ExactTerms;
