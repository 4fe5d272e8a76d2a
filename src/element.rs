//! The types of the input: how an element lies in memory.

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

    /// The WGSL that reads an element from its word.
    pub(crate) const fn fragment(self) -> Fragment {
        match self {
            Self::F32 => fragment!("elements/f32.wgsl"),
            Self::I32 => fragment!("elements/i32.wgsl"),
            Self::U32 => fragment!("elements/u32.wgsl"),
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
