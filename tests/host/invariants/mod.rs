//! What must stay true of the tree itself.

mod chains;
mod documents;
mod folders;
mod package;
mod places;
mod shaders;
mod source;
mod tree;
mod unsafety;
