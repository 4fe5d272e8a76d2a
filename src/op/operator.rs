//! A custom operator as data.

use super::value::{InputType, ValueType};
use crate::error::Result;
use crate::plan::limits::unsupported;

/// An operator apart from its identity: all that its shaders depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operator {
    pub(crate) text: String,
    pub(crate) input: InputType,
    pub(crate) accumulator: ValueType,
    pub(crate) result: ValueType,
    /// Whether the text has a `finish`.
    pub(crate) finishes: bool,
    pub(crate) permit: Permit,
}

/// A permit for what the npm package leaves out: custom operators, several operations from one read, and the levels of the ladder.
/// There this type has no value, so that the compiler leaves out all code for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permit {
    #[cfg(not(all(feature = "recorded", target_family = "wasm")))]
    Given,
}

impl Permit {
    #[cfg(not(all(feature = "recorded", target_family = "wasm")))]
    const IS_THERE: Option<Self> = Some(Self::Given);
    #[cfg(all(feature = "recorded", target_family = "wasm"))]
    const IS_THERE: Option<Self> = None;

    /// # Errors
    ///
    /// [`Error::Unsupported`](crate::Error::Unsupported) in the npm package.
    #[allow(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
    pub(crate) fn ask(what: &str) -> Result<Self> {
        Self::IS_THERE.ok_or_else(|| unsupported(what))
    }
}

impl Operator {
    /// Bytes from one partial to the next, where kernels of the library leave them: an accumulator, and whether it
    /// exists.
    pub(crate) const fn partial_bytes(&self) -> u64 {
        match self.accumulator.components {
            1 => 8,
            2 | 3 => 16,
            _ => 32,
        }
    }

    /// Words of a partial, as segments hand it over: four components at most, and whether it exists.
    pub(crate) const PARTIAL_WORDS: u32 = 5;

    /// Bytes from one result to the next.
    pub(crate) const fn result_bytes(&self) -> u64 {
        self.result.size_bytes()
    }
}
