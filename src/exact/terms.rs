//! What an exact sum on a device is of.

use std::fmt;

/// What an exact sum is of. [`ExactPartial`](crate::ExactPartial) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExactTerms {
    /// The elements of one input.
    Elements,
    /// The products of the elements of two inputs.
    Products,
}

impl fmt::Display for ExactTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Elements => "elements",
            Self::Products => "products",
        })
    }
}
