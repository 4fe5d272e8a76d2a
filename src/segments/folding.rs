//! What folds segments: an operation of the crate's, or an operator of the user's.

use super::shader::{SegmentsParts, SegmentsShader};
use crate::caps::Caps;
use crate::custom::{CustomShader, Operator};
use crate::element::ElementKind;
use crate::op::{OpRecord, Over};
use crate::recording::Constants;
use crate::shader::Shader;
use crate::variant::Collective;
use std::sync::Arc;

/// What the planner has to know of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Folding<'a> {
    Operation {
        operation: &'static OpRecord,
        over: Over,
    },
    /// Keeps the elements in their order.
    Custom {
        operator: &'a Arc<Operator>,
        /// The bits of the identity's components.
        identity: [u32; 4],
    },
}

/// A pass that combines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoldingPass {
    /// Folds tiles.
    Fold,
    /// The same, and asks the workgroups behind for what they have of a segment.
    FoldAhead,
    /// Closes segments that several workgroups have parts of.
    Close,
}

impl Folding<'_> {
    /// Words of an accumulator, as workgroups hand it over.
    pub(super) fn accumulator_words(&self) -> u32 {
        match self {
            Self::Operation { over, .. } => over.accumulator.words(),
            Self::Custom { .. } => Operator::PARTIAL_WORDS,
        }
    }

    /// Bytes of an accumulator in workgroup memory.
    pub(super) fn accumulator_bytes(&self) -> u64 {
        match self {
            Self::Operation { over, .. } => over.accumulator.size_bytes(),
            Self::Custom { operator, .. } => operator.partial_bytes(),
        }
    }

    /// Bytes from one result to the next.
    pub(super) fn output_bytes(&self) -> u64 {
        match self {
            Self::Operation { over, .. } => over.output_bytes,
            Self::Custom { operator, .. } => operator.result_bytes(),
        }
    }

    /// Whether it has roundings that a bound counts.
    pub(super) const fn rounds(&self) -> bool {
        match self {
            Self::Operation { over, .. } => over.accumulator.rounds(),
            Self::Custom { .. } => false,
        }
    }

    /// Whether there is a result of no elements.
    pub(super) const fn takes_none(&self) -> bool {
        match self {
            Self::Operation { operation, .. } => operation.takes_none(),
            Self::Custom { .. } => true,
        }
    }

    /// Whether elements may be combined in any order.
    pub(super) const fn takes_any_order(&self) -> bool {
        matches!(self, Self::Operation { .. })
    }

    pub(super) const fn identity(&self) -> [u32; 4] {
        match self {
            Self::Operation { .. } => [0; 4],
            Self::Custom { identity, .. } => *identity,
        }
    }

    /// The shader of a pass.
    pub(super) fn shader(
        &self,
        pass: FoldingPass,
        collective: Collective,
        element: ElementKind,
        caps: &Caps,
    ) -> Shader {
        let closes = pass == FoldingPass::Close;
        match *self {
            Self::Operation { operation, over } => {
                let native_u64 = over.is_native_on(caps);
                let votes = caps.uniform_votes && collective == Collective::Subgroup && !closes;
                let looks_ahead = pass == FoldingPass::FoldAhead;
                let parts = SegmentsParts {
                    collective,
                    operation,
                    element,
                    native_u64,
                    votes,
                    looks_ahead,
                    over,
                };
                Shader::Segments(if closes {
                    SegmentsShader::Close(parts)
                } else {
                    SegmentsShader::Fold(parts)
                })
            }
            Self::Custom { operator, .. } => {
                Shader::Custom(CustomShader::of_segments(operator, closes))
            }
        }
    }

    /// The constants by the names that the shader has for them.
    pub(super) fn names(&self, constants: Constants) -> Constants {
        match self {
            Self::Operation { .. } => constants,
            Self::Custom { .. } => CustomShader::constants(constants),
        }
    }
}
