//! The shaders of exact sums.

use crate::exact::ExactTerms;
use crate::shader::fragment::{Fragment, fragment, join};
use crate::shader::variant::{Collective, ENDS};
use std::fmt;

/// The shader of an exact sum, with subgroup operations or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExactShader {
    /// What is added.
    pub terms: ExactTerms,
    /// How the invocations of a workgroup share what they share.
    pub collective: Collective,
}

impl ExactShader {
    /// All there are.
    pub const ALL: [Self; 4] = [
        Self { terms: ExactTerms::Elements, collective: Collective::Subgroup },
        Self { terms: ExactTerms::Elements, collective: Collective::Workgroup },
        Self { terms: ExactTerms::Products, collective: Collective::Subgroup },
        Self { terms: ExactTerms::Products, collective: Collective::Workgroup },
    ];

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        vec![
            fragment!("exact/gather.wgsl"),
            ENDS,
            match self.terms {
                ExactTerms::Elements => fragment!("exact/elements.wgsl"),
                ExactTerms::Products => fragment!("exact/pairs.wgsl"),
            },
            fragment!("parts/window.wgsl"),
            fragment!("parts/kinds.wgsl"),
            fragment!("exact/bins.wgsl"),
            self.collective.entry(),
            match self.collective {
                Collective::Subgroup => fragment!("exact/subgroup.wgsl"),
                Collective::Workgroup => fragment!("exact/workgroup.wgsl"),
            },
            fragment!("exact/columns.wgsl"),
        ]
    }
}

impl fmt::Display for ExactShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exact sum of {} by {:?}", self.terms, self.collective)
    }
}
