//! What ARCHITECTURE.md says must stay true of the tree itself.

mod chains;
mod documents;
mod imports;
mod layers;
mod package;
mod places;
mod shaders;
mod source;
mod tree;
mod unsafety;
