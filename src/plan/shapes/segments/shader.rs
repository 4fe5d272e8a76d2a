//! The shaders of reductions of segments.

use crate::op::element::ElementKind;
use crate::op::{OpRecord, Over};
use crate::shader::fragment::{Fragment, fragment, join};
use crate::shader::variant::Collective;
use std::fmt;

/// A shader of a reduction of segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SegmentsShader {
    /// Tells which offset is wrong, where one is.
    Judge,
    /// Finds out where tiles begin.
    Split,
    /// The same, and clears what workgroups hand over to each other.
    SplitAndClear,
    /// Folds the tiles.
    Fold(SegmentsParts),
    /// Puts together what workgroups have of a segment.
    Close(SegmentsParts),
}

/// The parts that a shader over segments is composed of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentsParts {
    /// How a workgroup's invocations become one value.
    pub collective: Collective,
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// Whether the shader needs integers of 64 bits, or `f64`.
    pub native: bool,
    /// Whether subgroups vote on where the workgroup goes ([`Caps::uniform_votes`](crate::Caps::uniform_votes)).
    pub votes: bool,
    /// Whether workgroups ask others for what these have of a segment, in place of another pass
    /// ([`Closing::LookAhead`](crate::Closing::LookAhead)).
    pub looks_ahead: bool,
    pub(crate) over: Over,
}

impl SegmentsParts {
    /// Whether it computes with `f64`.
    #[must_use]
    pub fn needs_f64(&self) -> bool {
        self.native && self.over.accumulator.is_of_f64()
    }

    /// In both forms of the accumulator, if it has two.
    pub(crate) fn forms(
        collective: Collective,
        operation: &'static OpRecord,
        element: ElementKind,
    ) -> Vec<Self> {
        let Some(over) = operation.over(element).ok() else { return Vec::new() };
        let forms = if over.accumulator.has_native_form() { &[false, true][..] } else { &[false] };
        let form = |&native| Self {
            collective,
            operation,
            element,
            native,
            votes: false,
            looks_ahead: false,
            over,
        };
        forms.iter().map(form).collect()
    }

    /// Whether accumulators are as large as elements, and of one word.
    pub(crate) fn is_of_words(&self) -> bool {
        self.over.accumulator.words() == 1 && self.element.size_bytes() == 4
    }

    /// How segments that end in a tile are closed.
    fn closed(&self) -> Fragment {
        if self.is_of_words() {
            fragment!("segments/closed_in_place.wgsl")
        } else {
            fragment!("segments/closed_by_runs.wgsl")
        }
    }

    /// How what several workgroups have of a segment becomes one.
    const fn handed_over(&self) -> Fragment {
        if self.looks_ahead {
            fragment!("segments/closed_ahead.wgsl")
        } else {
            fragment!("segments/closed_by_pass.wgsl")
        }
    }

    /// How the invocations of a workgroup agree on a condition that is the same for all.
    const fn agreed(&self) -> Fragment {
        if self.votes {
            fragment!("segments/agreed_by_vote.wgsl")
        } else {
            fragment!("segments/agreed.wgsl")
        }
    }

    /// What follows a kernel: everything that knows accumulators, and, if it reads elements, those.
    fn fragments(&self, kernel: Fragment, reads_elements: bool) -> Vec<Fragment> {
        let mut fragments = vec![kernel, fragment!("segments/parts.wgsl")];
        if reads_elements {
            fragments.extend([self.closed(), self.handed_over(), self.agreed()]);
        }
        fragments.extend(self.scanned(reads_elements));
        fragments
    }

    /// What follows a kernel that scans stretches.
    pub(crate) fn scanned(&self, reads_elements: bool) -> Vec<Fragment> {
        let Over { fragment, accumulator, lifting, .. } = self.over;
        let mut fragments = vec![fragment!("segments/stretch.wgsl")];
        fragments.extend([self.collective.entry(), self.collective.fragment()]);
        match self.collective {
            Collective::Subgroup => fragments.extend([
                fragment!("segments/scan_subgroup.wgsl"),
                accumulator.shuffle(),
                accumulator.shuffle_up(),
            ]),
            Collective::Workgroup => fragments.push(fragment!("segments/scan_workgroup.wgsl")),
        }
        fragments.push(self.element.layout());
        fragments.push(if reads_elements {
            self.element.quads()
        } else {
            fragment!("segments/no_elements.wgsl")
        });
        fragments.extend(lifting.fragments(self.element));
        fragments.push(fragment);
        fragments.extend(accumulator.fragments(self.native));
        fragments.extend(accumulator.fragments_of(self.element));
        fragments
    }
}

impl SegmentsShader {
    /// All that can be composed for operations of this crate.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [Self::Judge, Self::Split, Self::SplitAndClear];
        others.into_iter().chain(OpRecord::ALL.into_iter().flat_map(Self::of))
    }

    /// All that can be composed for an operation.
    pub fn of(operation: &'static OpRecord) -> impl Iterator<Item = Self> {
        let collectives = [Collective::Subgroup, Collective::Workgroup];
        let parts = collectives.into_iter().flat_map(move |collective| {
            let forms = move |element| SegmentsParts::forms(collective, operation, element);
            ElementKind::ALL.into_iter().flat_map(forms)
        });
        parts.flat_map(|parts| {
            let ahead = parts.over.accumulator.can_be_marked();
            let voting = [false, true].into_iter().take(1 + usize::from(ahead));
            let voting = voting.map(move |looks_ahead| {
                Self::Fold(SegmentsParts { votes: true, looks_ahead, ..parts })
            });
            let votes = (parts.collective == Collective::Subgroup).then_some(voting);
            [Self::Fold(parts), Self::Close(parts)].into_iter().chain(votes.into_iter().flatten())
        })
    }

    /// What it is composed of, where that is said of it.
    #[must_use]
    pub const fn parts(&self) -> Option<&SegmentsParts> {
        match self {
            Self::Judge | Self::Split | Self::SplitAndClear => None,
            Self::Fold(parts) | Self::Close(parts) => Some(parts),
        }
    }

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(&self) -> Vec<Fragment> {
        match self {
            Self::Judge => vec![fragment!("segments/judge.wgsl")],
            Self::Split => {
                vec![fragment!("segments/split.wgsl"), fragment!("segments/clear_nothing.wgsl")]
            }
            Self::SplitAndClear => {
                vec![fragment!("segments/split.wgsl"), fragment!("segments/clear_shares.wgsl")]
            }
            Self::Fold(parts) => parts.fragments(fragment!("segments/fold.wgsl"), true),
            Self::Close(parts) => parts.fragments(fragment!("segments/close.wgsl"), false),
        }
    }
}

impl fmt::Display for SegmentsShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, parts) = match self {
            Self::Judge => return f.write_str("the first wrong offset of segments"),
            Self::Split => return f.write_str("split of segments"),
            Self::SplitAndClear => return f.write_str("split of segments, which clears shares"),
            Self::Fold(parts) => ("fold", parts),
            Self::Close(parts) => ("close", parts),
        };
        let SegmentsParts { collective, operation, element, native, votes, looks_ahead, .. } =
            parts;
        write!(f, "{name} of segments, {} {element} {collective:?}", operation.name())?;
        f.write_str(if *native { " native" } else { "" })?;
        f.write_str(if *votes { " voting" } else { "" })?;
        f.write_str(if *looks_ahead { " looking ahead" } else { "" })
    }
}
