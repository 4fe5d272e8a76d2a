//! Groups: elements by their keys, which come in any order.

#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod key;
mod layout;
mod plan;
mod shader;
#[cfg(test)]
mod tests;

pub use key::GroupKey;
pub use key::Grouped;
pub(crate) use key::key_of;
pub(crate) use layout::Layout;
pub(crate) use plan::lower;
pub use shader::{GroupsParts, GroupsShader, Slots};
