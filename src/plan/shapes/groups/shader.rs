//! The shaders of groups.

use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::merging::Merging;
use crate::op::{OpRecord, Over};
use crate::plan::shapes::bins::WeightKind;
use crate::plan::shapes::groups::plan::over_of;
use crate::shader::fragment::{Fragment, fragment, join};
use std::fmt;

/// The shader of a pass of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GroupsShader {
    /// Tells where the windows of exact sums are to lie.
    Sample(GroupsParts),
    /// Merges elements.
    Merge(GroupsParts, Slots),
    /// Makes results of the totals.
    Finish(GroupsParts),
}

/// The parts that a shader of groups is composed of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GroupsParts {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    pub(crate) over: Over,
    pub(crate) law: Merging,
}

/// Which groups have slots in the memory of a workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slots {
    /// All of them, in several copies.
    Copies,
    /// The first that come.
    FirstCome,
}

impl GroupsShader {
    /// All there are.
    pub fn all() -> impl Iterator<Item = Self> {
        let parts = OpRecord::ALL.into_iter().flat_map(|operation| {
            ElementKind::ALL
                .into_iter()
                .filter_map(move |element| GroupsParts::of(operation, element).ok())
        });
        parts.flat_map(|parts| {
            let sample = (parts.law == Merging::Digits).then_some(Self::Sample(parts));
            let merge = [Slots::Copies, Slots::FirstCome].map(|slots| Self::Merge(parts, slots));
            merge.into_iter().chain([Self::Finish(parts)]).chain(sample)
        })
    }

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        let fragments = match self {
            Self::Sample(parts) => parts.sampled(),
            Self::Merge(parts, slots) => parts.merged(slots),
            Self::Finish(parts) => parts.finished(),
        };
        let mut once: Vec<Fragment> = Vec::new();
        for fragment in fragments {
            if !once.contains(&fragment) {
                once.push(fragment);
            }
        }
        once
    }
}

impl GroupsParts {
    /// The parts of an operation over elements of a type, where groups have it.
    pub(crate) fn of(operation: &'static OpRecord, element: ElementKind) -> Result<Self> {
        let (over, law) = over_of(operation, element)?;
        Ok(Self { operation, element, over, law })
    }

    /// The digits of the numbers of an exact sum.
    const fn digits(&self) -> WeightKind {
        if self.element.number().has_64_bits() { WeightKind::F64 } else { WeightKind::F32 }
    }

    /// Words of a slot, but for what is beside an accumulator: of exact sums a window and what has been seen.
    pub(crate) fn kept_words(&self) -> u32 {
        match (self.law, self.digits()) {
            (Merging::Digits, WeightKind::F64) => 5,
            (Merging::Digits, _) => 4,
            _ => self.over.accumulator.words(),
        }
    }

    /// Words of a group's digits behind all slots.
    pub(crate) fn digit_words(&self) -> u32 {
        if self.law == Merging::Digits { self.digits().sum_words() } else { 0 }
    }

    fn sampled(&self) -> Vec<Fragment> {
        let mut fragments = vec![fragment!("groups/sample.wgsl"), self.numbers()];
        fragments.push(self.element.layout());
        fragments.extend(self.over.accumulator.fragments_of(self.element));
        fragments
    }

    fn merged(&self, slots: Slots) -> Vec<Fragment> {
        let mut fragments = vec![
            fragment!("groups/gather.wgsl"),
            fragment!("groups/slots/words.wgsl"),
            fragment!("groups/slots/workgroup.wgsl"),
            slots.fragment(),
            self.merged_by(),
            self.element.layout(),
        ];
        if !self.law.has_keys() {
            fragments.push(fragment!("groups/laws/at_once.wgsl"));
        }
        if self.law == Merging::Digits {
            fragments.extend([
                fragment!("groups/slots/numbers.wgsl"),
                fragment!("groups/slots/windows.wgsl"),
                self.numbers(),
            ]);
            fragments.push(fragment!("histogram/sums/totals.wgsl"));
            fragments.extend(self.digits().numbers());
            fragments.extend(self.over.accumulator.fragments_of(self.element));
        } else {
            fragments.extend([fragment!("groups/slots/merged.wgsl"), self.kept()]);
            fragments.extend(self.over.lifting.fragments(self.element));
            fragments.extend(self.accumulated());
        }
        fragments
    }

    fn finished(&self) -> Vec<Fragment> {
        let mut fragments =
            vec![fragment!("groups/finish.wgsl"), fragment!("groups/slots/words.wgsl")];
        if self.law == Merging::Digits {
            fragments.extend([
                fragment!("groups/slots/finished_numbers.wgsl"),
                fragment!("groups/slots/windows.wgsl"),
                self.numbers(),
                fragment!("histogram/weights/carried.wgsl"),
            ]);
            fragments.extend(self.digits().digits());
        } else {
            fragments.extend([fragment!("groups/slots/finished.wgsl"), self.kept()]);
        }
        fragments.extend(self.over.lifting.fragments_of_partials());
        fragments.extend(self.accumulated());
        fragments
    }

    /// Numbers in windows.
    const fn numbers(&self) -> Fragment {
        match self.digits() {
            WeightKind::F64 => fragment!("groups/numbers_f64.wgsl"),
            _ => fragment!("groups/numbers_f32.wgsl"),
        }
    }

    fn accumulated(&self) -> Vec<Fragment> {
        let Over { fragment, accumulator, .. } = self.over;
        let mut fragments = vec![fragment];
        fragments.extend(accumulator.fragments(false));
        fragments.extend(accumulator.fragments_of(self.element));
        fragments
    }

    /// How words are merged.
    const fn merged_by(&self) -> Fragment {
        match self.law {
            Merging::AnyBit | Merging::AllBits => fragment!("groups/laws/set.wgsl"),
            Merging::OddBits => fragment!("groups/laws/flipped.wgsl"),
            Merging::Smallest | Merging::Largest | Merging::TwoSmallest | Merging::Located => {
                fragment!("groups/laws/first_key.wgsl")
            }
            Merging::Added | Merging::AddedApart | Merging::Digits => {
                fragment!("groups/laws/added.wgsl")
            }
        }
    }

    /// How they are kept.
    const fn kept(&self) -> Fragment {
        match self.law {
            Merging::AllBits => fragment!("groups/laws/lacking.wgsl"),
            Merging::Smallest | Merging::Largest | Merging::TwoSmallest | Merging::Located => {
                fragment!("groups/laws/turned.wgsl")
            }
            _ => fragment!("groups/laws/as_it_is.wgsl"),
        }
    }
}

impl Slots {
    const fn fragment(self) -> Fragment {
        match self {
            Self::Copies => fragment!("groups/places/copies.wgsl"),
            Self::FirstCome => fragment!("groups/places/first_come.wgsl"),
        }
    }
}

impl fmt::Display for GroupsShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample(parts) => write!(f, "{parts}, a sample"),
            Self::Merge(parts, Slots::Copies) => write!(f, "{parts} in copies"),
            Self::Merge(parts, Slots::FirstCome) => write!(f, "{parts} as they come"),
            Self::Finish(parts) => write!(f, "{parts}, finished"),
        }
    }
}

impl fmt::Display for GroupsParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "groups {} {}", self.operation.name(), self.element)
    }
}
