//! What folds along axes and over segments: an operation of the crate's, or an operator of the user's.

use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::fold::Folds;
use crate::op::operator::{Operator, Permit};
use crate::op::{OpRecord, Over};
use crate::plan::caps::Caps;
use crate::plan::limits::unsupported;
use crate::plan::recording::Constants;
use crate::plan::tuning::Tuning;
use crate::shader::custom::CustomShader;
use std::sync::Arc;

/// What planners have to know of it.
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
        #[allow(dead_code, reason = "it tells the compiler where there is no operator")]
        permit: Permit,
    },
}

impl<'a> Folding<'a> {
    /// A fold of many results, over elements of a type.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`](crate::Error::NotDefined) where it does not take them, [`Error::Unsupported`](crate::Error::Unsupported) for what only the host finishes.
    pub(crate) fn of(fold: Folds<'a>, element: ElementKind) -> Result<Self> {
        match fold {
            Folds::Operation(operation) => {
                Ok(Self::Operation { operation, over: operation.over(element)? })
            }
            Folds::Custom(operator, identity, permit) => {
                Ok(Self::Custom { operator, identity, permit })
            }
            Folds::Ranks(ranks) => {
                Err(unsupported(format!("{} but of whole inputs and along axes", ranks.name)))
            }
            Folds::Exact(terms) => {
                Err(unsupported(format!("several sums of {terms} that the host finishes")))
            }
        }
    }

    /// The operation's name, or what stands for one.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Operation { operation, .. } => operation.name(),
            Self::Custom { .. } => "custom operator",
        }
    }

    /// Fails where there is no result of so many elements.
    pub(crate) fn check_len(&self, element: ElementKind, len: u64) -> Result<()> {
        match self {
            Self::Operation { operation, .. } => {
                operation.check_len(len)?;
                operation.check_room(element, len)
            }
            Self::Custom { .. } => Ok(()),
        }
    }

    /// Words of an accumulator, as workgroups hand it over.
    pub(crate) fn accumulator_words(&self) -> u32 {
        match self {
            Self::Operation { over, .. } => over.accumulator.words(),
            Self::Custom { .. } => Operator::PARTIAL_WORDS,
        }
    }

    /// Whether one workgroup may take an accumulator from another in the same pass.
    pub(crate) const fn can_be_marked(&self) -> bool {
        match self {
            Self::Operation { over, .. } => over.accumulator.can_be_marked(),
            Self::Custom { .. } => true,
        }
    }

    /// Bytes from one accumulator to the next, also in workgroup memory.
    pub(crate) fn accumulator_bytes(&self) -> u64 {
        match self {
            Self::Operation { over, .. } => over.accumulator.size_bytes(),
            Self::Custom { operator, .. } => operator.partial_bytes(),
        }
    }

    /// Bytes from one result to the next.
    pub(crate) fn output_bytes(&self) -> u64 {
        match self {
            Self::Operation { over, .. } => over.output_bytes,
            Self::Custom { operator, .. } => operator.result_bytes(),
        }
    }

    /// Whether it has roundings that a bound counts.
    pub(crate) fn rounds(&self) -> bool {
        match self {
            Self::Operation { over, .. } => over.accumulator.rounds(),
            Self::Custom { .. } => false,
        }
    }

    /// Quads that a whole input's invocations have in flight, of which bounds of deviations are made in every shape; of no weight
    /// for an operator.
    pub(crate) fn loads_in_flight(&self, caps: &Caps, element: ElementKind, len: u64) -> u32 {
        match self {
            Self::Operation { operation, .. } => {
                Tuning::for_operation(caps, operation, element, len).loads_in_flight
            }
            Self::Custom { .. } => 0,
        }
    }

    /// Whether there is a result of no elements.
    pub(crate) const fn takes_none(&self) -> bool {
        match self {
            Self::Operation { operation, .. } => operation.takes_none(),
            Self::Custom { .. } => true,
        }
    }

    /// Whether elements may be combined in any order.
    pub(crate) const fn takes_any_order(&self) -> bool {
        matches!(self, Self::Operation { .. })
    }

    /// The parameters of a dispatch that are the identity.
    pub(crate) const fn identity(&self) -> [u32; 4] {
        match self {
            Self::Operation { .. } => [0; 4],
            Self::Custom { identity, .. } => *identity,
        }
    }

    /// The constants by the names that the shader has for them.
    pub(crate) fn names(&self, constants: Constants) -> Constants {
        match self {
            Self::Operation { .. } => constants,
            Self::Custom { .. } => CustomShader::constants(constants),
        }
    }
}
