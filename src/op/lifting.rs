//! How the elements of a quad become an accumulator.

use crate::op::element::ElementKind;
use crate::op::operator::Permit;
use crate::shader::fragment::{Fragment, fragment};
use crate::shader::joined::Joined;

/// What an operation's WGSL says of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lifting {
    /// How one is lifted, wherever it stands.
    Each,
    /// The same, and elements may be added up before they are lifted, if they have room for that.
    Summed,
    /// How one is lifted, or four, wherever they stand.
    Four,
    /// How one is lifted, and how four, or two of 64 bits, are appended to those of an invocation's tile.
    Appended,
    /// As [`Appended`](Self::Appended), and NaN is left out.
    Numbers,
    /// How elements are lifted and appended with their indices, where one place is looked for.
    Found,
    /// How elements are lifted and appended with their indices, where two places are looked for.
    FoundBoth,
    /// One, with its partner in a second input.
    Pairs,
    /// Each of several operations in its own way.
    Several(&'static Joined, Permit),
}

const ANYWHERE: Fragment = fragment!("lifts/anywhere.wgsl");
const NUMBERS: Fragment = fragment!("lifts/numbers.wgsl");

impl Lifting {
    /// The WGSL for kernels whose places all stand for several elements until they are found.
    pub(crate) fn fragments(self, element: ElementKind) -> Vec<Fragment> {
        let mut fragments = self.fragments_beside_ends(element);
        fragments.extend(self.finds_indices().then_some(ANYWHERE));
        fragments
    }

    /// The WGSL for kernels that fold partials, which have nothing to lift.
    pub(crate) fn fragments_of_partials(self) -> Vec<Fragment> {
        match self {
            Self::Found | Self::FoundBoth => vec![ANYWHERE],
            // What appends elements is there, although nothing calls it.
            Self::Numbers => vec![NUMBERS],
            Self::Several(joined, _) => {
                let [mut fragments, others] =
                    joined.both().map(|over| over.lifting.fragments_of_partials());
                let others: Vec<_> =
                    others.into_iter().filter(|other| !fragments.contains(other)).collect();
                fragments.extend(others);
                fragments
            }
            _ => Vec::new(),
        }
    }

    /// The WGSL for a kernel that says itself which places stand for several elements.
    pub(crate) fn fragments_beside_ends(self, element: ElementKind) -> Vec<Fragment> {
        let found = fragment!("lifts/found.wgsl");
        let unplaced = fragment!("lifts/unplaced.wgsl");
        let unopened = |lift| vec![lift, unplaced, fragment!("lifts/unopened.wgsl")];
        match self {
            Self::Summed if element.has_room_for_sums() => unopened(fragment!("lifts/summed.wgsl")),
            Self::Each | Self::Summed => unopened(fragment!("lifts/each.wgsl")),
            Self::Four => unopened(fragment!("lifts/four.wgsl")),
            Self::Appended if element.number().has_64_bits() => {
                unopened(fragment!("lifts/appended_by_two.wgsl"))
            }
            Self::Appended => unopened(fragment!("lifts/appended.wgsl")),
            Self::Numbers => {
                let mut fragments = Self::Appended.fragments_beside_ends(element);
                fragments.push(NUMBERS);
                fragments
            }
            Self::Found => vec![found, fragment!("lifts/found_one.wgsl")],
            Self::FoundBoth => vec![found, fragment!("lifts/found_both.wgsl")],
            Self::Pairs if element.number().has_64_bits() => {
                vec![fragment!("lifts/pairs_doubles.wgsl")]
            }
            Self::Pairs => vec![fragment!("lifts/pairs.wgsl")],
            Self::Several(joined, _) => joined.lifts(element),
        }
    }

    /// Whether what is lifted knows where an element stands.
    pub(crate) fn finds_indices(self) -> bool {
        match self {
            Self::Found | Self::FoundBoth => true,
            Self::Several(joined, _) => {
                joined.both().iter().any(|over| over.lifting.finds_indices())
            }
            _ => false,
        }
    }

    /// How many inputs the elements are of.
    pub(crate) const fn inputs(self) -> u32 {
        match self {
            Self::Pairs => 2,
            _ => 1,
        }
    }
}
