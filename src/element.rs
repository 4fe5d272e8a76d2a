//! The types of the input: how an element lies in memory and what it is accumulated in.

use crate::fragment::{Fragment, fragment};
use std::fmt;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for i32 {}
    impl Sealed for u32 {}
}

/// A type that a buffer on the GPU can hold: `f32`, `i32` or `u32`.
///
/// Sealed: every element type has a WGSL fragment in `shaders/elements/` that only this crate has.
///
/// ```
/// use wgpu_reduce::{Element, ElementKind};
///
/// assert_eq!(<f32 as Element>::KIND, ElementKind::F32);
/// assert_eq!(ElementKind::F32.size_bytes(), 4);
/// ```
pub trait Element: bytemuck::Pod + Send + Sync + sealed::Sealed {
    /// The type as a value.
    const KIND: ElementKind;
}

impl Element for f32 {
    const KIND: ElementKind = ElementKind::F32;
}
impl Element for i32 {
    const KIND: ElementKind = ElementKind::I32;
}
impl Element for u32 {
    const KIND: ElementKind = ElementKind::U32;
}

/// An element type as a value, for plans and command lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ElementKind {
    /// IEEE 754 binary32.
    F32,
    /// 32-bit two's complement.
    I32,
    /// 32-bit unsigned.
    U32,
}

impl ElementKind {
    /// Every element type.
    pub const ALL: [Self; 3] = [Self::F32, Self::I32, Self::U32];

    /// The name in Rust and WGSL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::U32 => "u32",
        }
    }

    /// Bytes of one element.
    #[must_use]
    pub const fn size_bytes(self) -> u64 {
        4
    }

    /// The WGSL that reads an element from its word and widens it.
    pub(crate) const fn fragment(self) -> Fragment {
        match self {
            Self::F32 => fragment!("elements/f32.wgsl"),
            Self::I32 => fragment!("elements/i32.wgsl"),
            Self::U32 => fragment!("elements/u32.wgsl"),
        }
    }

    /// What sums of this type are accumulated in.
    pub(crate) const fn wide(self) -> Wide {
        match self {
            Self::F32 => Wide::F32,
            Self::I32 | Self::U32 => Wide::I64,
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The number type that elements are widened to before they are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wide {
    /// f32, rounding at every addition.
    F32,
    /// 64-bit integers in two limbs, exact.
    I64,
}

impl Wide {
    pub(crate) const fn fragment(self) -> Fragment {
        match self {
            Self::F32 => fragment!("accumulators/f32.wgsl"),
            Self::I64 => fragment!("accumulators/i64.wgsl"),
        }
    }

    pub(crate) const fn size_bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::I64 => 8,
        }
    }

    /// Whether additions round.
    pub(crate) const fn rounds(self) -> bool {
        matches!(self, Self::F32)
    }
}
