//! The types of the input: how an element lies in memory.

use crate::shader::fragment::{Fragment, fragment};
use std::fmt;

mod sealed {
    pub trait Sealed {}
}

/// A type that a buffer on the GPU can hold.
///
/// `f32`, `i32` and `u32` are read as they are. `u8`, `i8`, `u16` and `i16` are packed, four or two in a
/// word, and have 32 bits from the shader's first step on; so do [`half::f16`] and [`half::bf16`], which become an
/// `f32` by integer operations on their bits, on devices without 16-bit floats, too. `i64`, `u64` and `f64` are
/// two words each: all that is done with integers, and with the order of floats, is done in 32-bit
/// limbs, so that it works everywhere. Sums and products of `f64` are computed by the device where it has `f64`
/// ([`Caps::f64`](crate::Caps::f64)), and else by integers, with as many digits but more slowly.
///
/// Sealed: every element type has a WGSL fragment in `shaders/elements/` that only this crate has.
///
/// ```
/// use wgpu_reduce::{Element, ElementKind};
///
/// assert_eq!(<f32 as Element>::KIND, ElementKind::F32);
/// assert_eq!(ElementKind::I16.size_bytes(), 2);
/// ```
pub trait Element: bytemuck::Pod + Send + Sync + sealed::Sealed {
    /// The type as a value.
    const KIND: ElementKind;
}

/// Calls a macro with what it is given and a row for each element type: the only list of them.
///
/// A row is `type => Kind [class] { "name", bytes, Number, "file", exact "file", "documentation" };`. The class says how an
/// element lies in words, and of packed ones which type of 32 bits has their values. The files in `shaders/elements/` read
/// an element as a number and, where exact sums take the type, as the bits of an `f32`.
macro_rules! element_rows {
    ($callback:ident $($context:tt)*) => {
        $callback! {
            $($context)*
            f32 => F32 [word] { "f32", 4, F32, "f32", exact "u32", "IEEE 754 binary32." };
            i32 => I32 [word] { "i32", 4, I32, "i32", "32-bit two's complement." };
            u32 => U32 [word] { "u32", 4, U32, "u32", "32-bit unsigned." };
            u8 => U8 [packed integer as u32] { "u8", 1, U32, "u8", "8-bit unsigned, four in a word." };
            i8 => I8 [packed integer as i32] {
                "i8", 1, I32, "i8", "8-bit two's complement, four in a word."
            };
            u16 => U16 [packed integer as u32] {
                "u16", 2, U32, "u16", "16-bit unsigned, two in a word."
            };
            i16 => I16 [packed integer as i32] {
                "i16", 2, I32, "i16", "16-bit two's complement, two in a word."
            };
            half::f16 => F16 [packed float as f32] {
                "f16", 2, F32, "f16", exact "f16_bits", "IEEE 754 binary16, two in a word."
            };
            half::bf16 => Bf16 [packed float as f32] {
                "bf16", 2, F32, "bf16", exact "bf16", "bfloat16, the upper half of a binary32, two in a word."
            };
            i64 => I64 [wide] { "i64", 8, I64, "bits64", "64-bit two's complement, in two words." };
            u64 => U64 [wide] { "u64", 8, U64, "bits64", "64-bit unsigned, in two words." };
            f64 => F64 [wide] { "f64", 8, F64, "bits64", "IEEE 754 binary64, in two words." };
        }
    };
}
pub(crate) use element_rows;

macro_rules! optional_decoding {
    () => {
        None
    };
    ($file:literal) => {
        Some(fragment!(concat!("elements/", $file, ".wgsl")))
    };
}

macro_rules! rounding {
    ($element:ty, [packed float as f32]) => {
        Some(|number| <$element>::from_f32(number).to_f32())
    };
    ($element:ty, $class:tt) => {
        None
    };
}

macro_rules! elements {
    ($($element:ty => $kind:ident $class:tt {
        $name:literal, $bytes:literal, $number:ident, $file:literal, $(exact $bits:literal,)? $doc:literal
    };)*) => {
        $(
            impl sealed::Sealed for $element {}

            impl Element for $element {
                const KIND: ElementKind = ElementKind::$kind;
            }
        )*

        /// An element type as a value, for plans and command lines.
        ///
        /// ```
        /// use wgpu_reduce::ElementKind;
        ///
        /// let long = ElementKind::ALL.into_iter().filter(|kind| kind.size_bytes() == 8);
        /// let names: Vec<_> = long.map(ElementKind::name).collect();
        /// assert!(names.contains(&"f64") && !names.contains(&"u32"));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ElementKind {
            $(#[doc = $doc] $kind,)*
        }

        impl ElementKind {
            /// Every element type.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$kind),*];

            /// The name in Rust, as in `f32`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Bytes of one element.
            #[must_use]
            pub const fn size_bytes(self) -> u64 {
                match self {
                    $(Self::$kind => $bytes,)*
                }
            }

            /// What the elements are once they are read.
            pub(crate) const fn number(self) -> Number {
                match self {
                    $(Self::$kind => Number::$number,)*
                }
            }

            /// The WGSL that reads an element from its bits.
            pub(crate) const fn decoding(self) -> Fragment {
                match self {
                    $(Self::$kind => fragment!(concat!("elements/", $file, ".wgsl")),)*
                }
            }

            /// The WGSL that reads an element as the bits of an `f32`, where exact sums take it.
            pub(crate) const fn exact_decoding(self) -> Option<Fragment> {
                match self {
                    $(Self::$kind => optional_decoding!($($bits)?),)*
                }
            }

            /// What makes an `f32` the nearest element, of floats of fewer bits.
            pub(crate) const fn rounding(self) -> Option<fn(f32) -> f32> {
                match self {
                    $(Self::$kind => rounding!($element, $class),)*
                }
            }
        }
    };
}
element_rows!(elements);

impl ElementKind {
    /// Whether elements are floats.
    ///
    /// ```
    /// use wgpu_reduce::ElementKind;
    ///
    /// assert!(ElementKind::Bf16.is_float() && !ElementKind::I16.is_float());
    /// ```
    #[must_use]
    pub const fn is_float(self) -> bool {
        self.number().is_float()
    }

    /// Elements in 16 bytes.
    pub(crate) const fn per_quad(self) -> u64 {
        16 / self.size_bytes()
    }

    /// Whether the sum of four elements is a number like any other.
    pub(crate) const fn has_room_for_sums(self) -> bool {
        self.size_bytes() < 4 && !self.is_float()
    }

    /// The WGSL of elements: how they lie in words, how one is read, and what it is.
    pub(crate) fn fragments(self) -> [Fragment; 3] {
        let number = self.number();
        let bits = if number.has_64_bits() {
            fragment!("parts/bits64.wgsl")
        } else {
            fragment!("parts/bits32.wgsl")
        };
        [self.decoding(), number.fragment(), bits]
    }

    /// The WGSL that finds elements in words.
    pub(crate) const fn layout(self) -> Fragment {
        match self.size_bytes() {
            1 => fragment!("layouts/bytes.wgsl"),
            2 => fragment!("layouts/halves.wgsl"),
            8 => fragment!("layouts/doubles.wgsl"),
            _ => fragment!("layouts/words.wgsl"),
        }
    }

    /// The WGSL that lifts all elements of a quad, where there is one input.
    pub(crate) const fn quads(self) -> Fragment {
        match self.size_bytes() {
            1 => fragment!("quads/bytes.wgsl"),
            2 => fragment!("quads/halves.wgsl"),
            8 => fragment!("quads/doubles.wgsl"),
            _ => fragment!("quads/words.wgsl"),
        }
    }

    /// The WGSL that takes one element of a quad.
    pub(crate) const fn one_of_quad(self) -> Fragment {
        match self.size_bytes() {
            1 => fragment!("quads/one_of_bytes.wgsl"),
            2 => fragment!("quads/one_of_halves.wgsl"),
            8 => fragment!("quads/one_of_doubles.wgsl"),
            _ => fragment!("quads/one_of_words.wgsl"),
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What elements are in a shader, once they are read: what operations know of their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    F32,
    I32,
    U32,
    I64,
    U64,
    F64,
}

impl Number {
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Whether it is two words.
    pub(crate) const fn has_64_bits(self) -> bool {
        matches!(self, Self::I64 | Self::U64 | Self::F64)
    }

    /// The type in WGSL.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 | Self::U64 | Self::F64 => "vec2<u32>",
        }
    }

    const fn fragment(self) -> Fragment {
        match self {
            Self::F32 => fragment!("numbers/f32.wgsl"),
            Self::I32 => fragment!("numbers/i32.wgsl"),
            Self::U32 => fragment!("numbers/u32.wgsl"),
            Self::I64 => fragment!("numbers/i64.wgsl"),
            Self::U64 => fragment!("numbers/u64.wgsl"),
            Self::F64 => fragment!("numbers/f64.wgsl"),
        }
    }
}
