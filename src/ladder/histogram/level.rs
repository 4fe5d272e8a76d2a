//! The levels of the histogram, and what there is to say about each.

use crate::shader::fragment::{Fragment, fragment, join};
use std::fmt;

/// One step towards a fast histogram of bytes; later levels build on earlier ones.
///
/// One of the CUDA write-ups has them, write-up C: by global atomics, by a private copy for each block, by a private
/// copy for each warp. Each is a file of its own in `shaders/ladder/histogram/`.
///
/// ```
/// use wgpu_reduce::ladder::HistogramLevel;
///
/// for level in HistogramLevel::ALL {
///     println!("{level}: {}", level.description());
///     println!("    fixes {}", level.fixes());
///     assert!(level.wgsl().contains("@compute"));
/// }
/// assert_eq!(HistogramLevel::WorkgroupCopy.to_string(), "1 workgroup_copy");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum HistogramLevel {
    /// All invocations count in the result.
    GlobalAtomics,
    /// Each workgroup counts in a copy of its own, in workgroup memory.
    WorkgroupCopy,
    /// Each subgroup does, as far as there is room.
    SubgroupCopies,
}

impl HistogramLevel {
    /// Every level, in order.
    pub const ALL: [Self; 3] = [Self::GlobalAtomics, Self::WorkgroupCopy, Self::SubgroupCopies];

    /// Its place, from 0.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Its name, without the number: that of its file in `shaders/ladder/histogram/`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::GlobalAtomics => "global_atomics",
            Self::WorkgroupCopy => "workgroup_copy",
            Self::SubgroupCopies => "subgroup_copies",
        }
    }

    /// What it does, in one sentence.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::GlobalAtomics => "Every element is counted in the result, by an atomic addition.",
            Self::WorkgroupCopy => {
                "Each workgroup counts in a copy in workgroup memory, and adds it to the result."
            }
            Self::SubgroupCopies => {
                "Each subgroup has a copy of its own, as far as workgroup memory has room for them."
            }
        }
    }

    /// What it fixes over the level before, as the object of a sentence.
    #[must_use]
    pub const fn fixes(self) -> &'static str {
        match self {
            Self::GlobalAtomics => "nothing: it is the baseline",
            Self::WorkgroupCopy => "that all invocations of the device queue for 256 places",
            Self::SubgroupCopies => "that subgroups of a workgroup meet in one copy",
        }
    }

    /// Whether it needs subgroup operations.
    #[must_use]
    pub const fn needs_subgroups(self) -> bool {
        matches!(self, Self::SubgroupCopies)
    }

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        vec![match self {
            Self::GlobalAtomics => fragment!("ladder/histogram/0_global_atomics.wgsl"),
            Self::WorkgroupCopy => fragment!("ladder/histogram/1_workgroup_copy.wgsl"),
            Self::SubgroupCopies => fragment!("ladder/histogram/2_subgroup_copies.wgsl"),
        }]
    }
}

impl fmt::Display for HistogramLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Through `pad`, so that a width applies.
        f.pad(&format!("{} {}", self.number(), self.name()))
    }
}
