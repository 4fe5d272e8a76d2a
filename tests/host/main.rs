//! Tests that need no GPU: plans, and shaders through naga.

mod plan;
mod shaders;
