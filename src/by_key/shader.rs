//! The shaders that find runs of equal keys.

use crate::fragment::{Fragment, fragment, join};
use std::fmt;

/// A shader that has to do with keys; values are reduced by those of segments.
///
/// ```
/// for shader in wgpu_reduce::ByKeyShader::ALL {
///     assert!(shader.wgsl().contains("@compute"), "{shader}");
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ByKeyShader {
    /// Finds where runs begin, and counts them.
    Heads,
    /// Numbers them.
    Places,
    /// Leaves where each begins, and its key.
    Runs,
}

impl ByKeyShader {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Heads, Self::Places, Self::Runs];

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        let scan = fragment!("by_key/scan.wgsl");
        match self {
            Self::Heads => vec![fragment!("by_key/heads.wgsl"), scan],
            Self::Places => vec![fragment!("by_key/places.wgsl"), scan],
            Self::Runs => vec![fragment!("by_key/runs.wgsl"), scan],
        }
    }
}

impl fmt::Display for ByKeyShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Heads => "heads of runs",
            Self::Places => "places of runs",
            Self::Runs => "runs of keys",
        })
    }
}
