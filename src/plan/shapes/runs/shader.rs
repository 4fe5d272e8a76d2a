//! The shaders that find runs of equal keys.

use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::shapes::segments::SegmentsParts;
use crate::shader::fragment::{Fragment, fragment, join};
use crate::shader::variant::Collective;
use std::fmt;

/// A shader that has to do with keys. Where runs are found first, values are reduced by those of segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ByKeyShader {
    /// Finds where runs begin, and counts them.
    Heads,
    /// Numbers them.
    Places,
    /// Leaves where each begins, and its key.
    Runs,
    /// Finds runs and folds their values, for each share of the keys apart.
    Fold(SegmentsParts),
    /// Numbers runs, and puts together what shares have of one.
    Join(SegmentsParts),
    /// Moves together what shares have left.
    Gather,
}

impl ByKeyShader {
    /// All that can be composed.
    pub fn all() -> impl Iterator<Item = Self> {
        let collectives = [Collective::Subgroup, Collective::Workgroup];
        let parts = collectives.into_iter().flat_map(|collective| {
            OpRecord::ALL.into_iter().flat_map(move |operation| {
                let forms = move |element| SegmentsParts::forms(collective, operation, element);
                ElementKind::ALL.into_iter().flat_map(forms)
            })
        });
        let of_words = parts.filter(SegmentsParts::is_of_words);
        let of_parts = of_words.flat_map(|parts| [Self::Fold(parts), Self::Join(parts)]);
        [Self::Heads, Self::Places, Self::Runs, Self::Gather].into_iter().chain(of_parts)
    }

    /// What it is composed of, where that is said of it.
    #[must_use]
    pub const fn parts(&self) -> Option<&SegmentsParts> {
        match self {
            Self::Fold(parts) | Self::Join(parts) => Some(parts),
            _ => None,
        }
    }

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
            Self::Fold(parts) => counted(&parts, fragment!("by_key/fold.wgsl"), true),
            Self::Join(parts) => counted(&parts, fragment!("by_key/join.wgsl"), false),
            Self::Gather => vec![fragment!("by_key/gather.wgsl")],
        }
    }
}

/// A kernel that scans stretches and counts.
fn counted(parts: &SegmentsParts, kernel: Fragment, reads_elements: bool) -> Vec<Fragment> {
    let mut fragments = vec![kernel, fragment!("by_key/shares.wgsl")];
    match parts.collective {
        Collective::Subgroup => fragments.push(fragment!("by_key/count_subgroup.wgsl")),
        Collective::Workgroup => fragments
            .extend([fragment!("by_key/count_workgroup.wgsl"), fragment!("by_key/scan.wgsl")]),
    }
    fragments.extend(parts.scanned(reads_elements));
    fragments
}

impl fmt::Display for ByKeyShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, parts) = match self {
            Self::Heads => return f.write_str("heads of runs"),
            Self::Places => return f.write_str("places of runs"),
            Self::Runs => return f.write_str("runs of keys"),
            Self::Gather => return f.write_str("gathering of runs"),
            Self::Fold(parts) => ("fold", parts),
            Self::Join(parts) => ("join", parts),
        };
        let (operation, element) = (parts.operation.name(), parts.element);
        write!(f, "{name} of runs, {operation} {element} {:?}", parts.collective)
    }
}
