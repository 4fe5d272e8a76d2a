//! How the elements of a quad become an accumulator.

use crate::element::ElementKind;
use crate::fragment::{Fragment, fragment};

/// What an operation's WGSL says of elements: how one is lifted, or four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifting {
    /// One, wherever it stands.
    Each,
    /// The same, and elements may be added up before they are lifted, if they have room for that.
    Summed,
    /// One, with its index.
    EachAt,
    /// One or four, with the first one's index.
    Four,
}

impl Lifting {
    pub(crate) const fn fragment(self, element: ElementKind) -> Fragment {
        match self {
            Self::Summed if element.has_room_for_sums() => fragment!("lifts/summed.wgsl"),
            Self::Each | Self::Summed => fragment!("lifts/each.wgsl"),
            Self::EachAt => fragment!("lifts/each_at.wgsl"),
            Self::Four => fragment!("lifts/four.wgsl"),
        }
    }
}
