//! What folds along axes and over segments: an operation of the crate's, or an operator of the user's.

use crate::custom::{CustomOp, CustomShader, CustomValue, Operator};
use crate::element::ElementKind;
use crate::error::{Error, Result};
use crate::op::{OpRecord, Over};
use crate::recording::Constants;
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
    },
}

impl<'a> Folding<'a> {
    /// An operation over elements of a type.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] where it does not take them, [`Error::WrongInputs`] where it takes pairs.
    pub(crate) fn of_operation(operation: &'static OpRecord, element: ElementKind) -> Result<Self> {
        let over = operation.over(element)?;
        if over.lifting.inputs() != 1 {
            return Err(Error::WrongInputs { operation: operation.name(), inputs: 1 });
        }
        Ok(Self::Operation { operation, over })
    }

    /// An operator, with its own identity.
    pub(crate) fn of_operator<T, A, R>(operator: &'a CustomOp<T, A, R>) -> Self
    where
        A: CustomValue,
        R: CustomValue,
    {
        Self::Custom { operator: &operator.operator, identity: operator.identity_words() }
    }

    /// Words of an accumulator, as workgroups hand it over.
    pub(crate) fn accumulator_words(&self) -> u32 {
        match self {
            Self::Operation { over, .. } => over.accumulator.words(),
            Self::Custom { .. } => Operator::PARTIAL_WORDS,
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
    pub(crate) const fn rounds(&self) -> bool {
        match self {
            Self::Operation { over, .. } => over.accumulator.rounds(),
            Self::Custom { .. } => false,
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
