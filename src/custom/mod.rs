//! Operators of the caller's own: their text, a planner that keeps the order of the elements, and the
//! calls.

mod check;
mod input;
mod op;
mod pieces;
mod plan;
mod prefix;
mod run;
mod scan;
mod shader;
mod sizes;
#[cfg(test)]
mod tests;
mod value;

pub use input::{CustomInput, GpuSlicePair};
pub use op::CustomOp;
pub use plan::CustomPlan;
pub use shader::CustomShader;
pub(crate) use shader::Operator;
pub use value::CustomValue;
