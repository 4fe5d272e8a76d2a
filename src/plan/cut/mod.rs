//! Elements cut into windows that a binding covers, pairs of them, too.

pub(crate) mod beside;
pub(crate) mod bound;
pub(crate) mod few;
pub(crate) mod pair;
pub(crate) mod part;
pub(crate) mod source;
pub(crate) mod window;

pub use part::Part;
