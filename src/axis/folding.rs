//! What folds rows: an operation of the crate's, or an operator of the user's.

use super::form::Form;
use super::shader::{AxisKernel, AxisShader};
use crate::caps::Caps;
use crate::custom::{CustomShader, Operator};
use crate::element::ElementKind;
use crate::op::{OpRecord, Over};
use crate::recording::Constants;
use crate::shader::Shader;
use std::sync::Arc;

/// What the planner has to know of it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Folding<'a> {
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

impl Folding<'_> {
    /// Bytes from one accumulator to the next.
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

    pub(super) const fn identity(&self) -> [u32; 4] {
        match self {
            Self::Operation { .. } => [0; 4],
            Self::Custom { identity, .. } => *identity,
        }
    }

    pub(super) fn shader(
        &self,
        form: &Form,
        finishes: bool,
        element: ElementKind,
        caps: &Caps,
    ) -> Shader {
        match *self {
            Self::Operation { operation, over } => Shader::Axis(AxisShader {
                kernel: form.kernel,
                collective: form.collective,
                operation,
                element,
                finishes,
                stores_quads: finishes && form.stores_quads,
                native_u64: over.is_native_on(caps),
                over,
            }),
            Self::Custom { operator, .. } => {
                let reads_partials = form.kernel == AxisKernel::Parts;
                Shader::Custom(CustomShader::along(operator, reads_partials, finishes))
            }
        }
    }

    /// What the pipeline tells the shader of the device.
    pub(super) fn device_constants(&self, form: &Form, caps: &Caps) -> Option<(&'static str, u32)> {
        match self {
            Self::Operation { .. } => form.device_constants(caps),
            Self::Custom { .. } => None,
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
