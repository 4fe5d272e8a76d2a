//! Operators of the caller's own: their text, a planner that keeps the order of the elements, and the
//! calls.

mod check;
mod input;
mod op;
mod prefix;
pub(crate) mod scan;
pub(crate) mod shader;
mod sizes;

pub use input::CustomInput;
pub use op::CustomOp;
pub use shader::CustomShader;
