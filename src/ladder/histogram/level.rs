//! The levels of the histogram, and what there is to say about each.

use crate::ladder::levels::levels;
use crate::shader::fragment::{Fragment, join};
use std::fmt;

levels! {
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
    ///     println!("    removes {}", level.fixes());
    ///     assert!(level.wgsl().contains("@compute"));
    /// }
    /// assert_eq!(HistogramLevel::WorkgroupCopy.to_string(), "1 workgroup_copy");
    /// ```
    HistogramLevel of "shaders/ladder/histogram/":
    GlobalAtomics "global_atomics" in "ladder/histogram/0_global_atomics.wgsl",
        does "Every element is counted in the result, by an atomic addition.",
        fixes "nothing: it is the baseline";
    WorkgroupCopy "workgroup_copy" in "ladder/histogram/1_workgroup_copy.wgsl",
        does "Each workgroup counts in a copy in workgroup memory, and adds it to the result.",
        fixes "the queue of all invocations at 256 places";
    SubgroupCopies "subgroup_copies" in "ladder/histogram/2_subgroup_copies.wgsl",
        does "Each subgroup has a copy of its own, as far as workgroup memory has room for them.",
        fixes "the queue of a workgroup's subgroups at one copy";
}

impl HistogramLevel {
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
        vec![self.fragment()]
    }
}

impl fmt::Display for HistogramLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Through `pad`, so that a width applies.
        f.pad(&format!("{} {}", self.number(), self.name()))
    }
}
