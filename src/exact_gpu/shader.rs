//! The shaders of exact sums.

use crate::fragment::{Fragment, fragment, join};
use crate::variant::Collective;
use std::fmt;

/// The shader of an exact sum, with subgroup operations or without.
///
/// ```
/// use wgpu_reduce::{Collective, ExactShader};
///
/// let shader = ExactShader { collective: Collective::Workgroup };
/// assert!(!shader.wgsl().contains("subgroupAdd"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExactShader {
    /// How the invocations of a workgroup share what they share.
    pub collective: Collective,
}

impl ExactShader {
    /// All there are.
    pub const ALL: [Self; 2] =
        [Self { collective: Collective::Subgroup }, Self { collective: Collective::Workgroup }];

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        vec![
            fragment!("exact/elements.wgsl"),
            fragment!("exact/window.wgsl"),
            fragment!("exact/bins.wgsl"),
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
        write!(f, "exact sum by {:?}", self.collective)
    }
}
