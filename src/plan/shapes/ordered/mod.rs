//! One result of a custom operator, which keeps the order of the elements.

mod plan;
#[cfg(test)]
mod tests;

pub(crate) use plan::lower;
