//! Operators of the caller's own: their text, a planner that keeps the order of the elements, and the
//! calls.

mod check;
mod input;
mod op;
mod pieces;
mod plan;
mod prefix;
mod scan;
mod shader;
mod sizes;
#[cfg(test)]
mod tests;
mod value;

pub use input::CustomInput;
pub use op::CustomOp;
pub(crate) use plan::{CustomPlan, Request};
pub use shader::CustomShader;
pub(crate) use shader::Operator;
pub use value::CustomValue;
