//! Any shader of this crate, as the pipeline cache knows it.

use crate::exact_gpu::ExactShader;
use crate::fragment::{Fragment, join, locate};
use crate::ladder::LadderShader;
use crate::variant::Variant;
use std::fmt;

/// A shader, by its choice of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Shader {
    /// Composed of kernel, collective, operation, element and sink.
    Reduction(Variant),
    /// A level of the ladder.
    Ladder(LadderShader),
    /// An exact sum.
    Exact(ExactShader),
}

impl Shader {
    fn fragments(&self) -> Vec<Fragment> {
        match self {
            Self::Reduction(variant) => variant.fragments(),
            Self::Ladder(shader) => shader.fragments(),
            Self::Exact(shader) => shader.fragments(),
        }
    }

    pub(crate) fn entry_point(&self) -> &'static str {
        match self {
            Self::Reduction(_) | Self::Exact(_) => "reduce",
            Self::Ladder(shader) => shader.entry_point(),
        }
    }

    pub(crate) fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    /// The file, below `shaders/`, and the line in it that `line` of [`Shader::wgsl`] came from.
    pub(crate) fn locate(&self, line: u32) -> (&'static str, u32) {
        locate(&self.fragments(), line)
    }
}

impl fmt::Display for Shader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reduction(variant) => variant.fmt(f),
            Self::Ladder(shader) => shader.fmt(f),
            Self::Exact(shader) => shader.fmt(f),
        }
    }
}
