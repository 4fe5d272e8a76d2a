//! The passes that combine elements or what others have left of them, and their shaders.

use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::folding::Folding;
use crate::plan::shapes::segments::shader::{SegmentsParts, SegmentsShader};
use crate::shader::Shader;
use crate::shader::custom::CustomShader;
use crate::shader::variant::Collective;

/// A pass that combines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoldingPass {
    /// Folds tiles.
    Fold,
    /// The same, and asks the workgroups behind for what they have of a segment.
    FoldAhead,
    /// Closes segments that several workgroups have parts of.
    Close,
}

impl FoldingPass {
    pub(crate) fn shader(
        self,
        folding: &Folding<'_>,
        collective: Collective,
        element: ElementKind,
        caps: &Caps,
    ) -> Shader {
        let closes = self == Self::Close;
        match *folding {
            Folding::Operation { operation, over } => {
                let parts = SegmentsParts {
                    collective,
                    operation,
                    element,
                    native: over.is_native_on(caps),
                    votes: caps.uniform_votes && collective == Collective::Subgroup && !closes,
                    looks_ahead: self == Self::FoldAhead,
                    over,
                };
                Shader::Segments(if closes {
                    SegmentsShader::Close(parts)
                } else {
                    SegmentsShader::Fold(parts)
                })
            }
            Folding::Custom { operator, .. } => {
                Shader::Custom(CustomShader::of_segments(operator, closes))
            }
        }
    }
}
