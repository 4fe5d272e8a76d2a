//! Input data: repeatable, and shaped to find mistakes.

use super::special::NoOrdinaryNumbers;
use half::{bf16, f16};
use wgpu_reduce::Element;
pub(crate) use wgpu_reduce_known::mixed as mix;

/// What the elements look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    /// All the same.
    Constant,
    /// Anything the type's usual range has.
    Random,
    /// The largest and smallest values, so that sums overflow the element's type.
    Extreme,
    /// In pairs that cancel.
    Cancelling,
    /// Tiny values; for floats subnormal ones and both zeros.
    Tiny,
}

impl Shape {
    pub(crate) const ALL: [Self; 5] =
        [Self::Constant, Self::Random, Self::Extreme, Self::Cancelling, Self::Tiny];
}

/// An element type that tests know how to make.
pub(crate) trait TestElement: Element + PartialEq + std::fmt::Debug {
    /// Element `index` of data of a shape.
    fn element(shape: Shape, index: u64) -> Self;

    /// A value that spoils any sum it gets into.
    fn poison() -> Self;

    /// The number, if it is a float, and 0 of integers.
    fn float(self) -> f64;

    /// How far it is from another.
    fn distance(self, other: Self) -> f64;

    /// What it has beside ordinary numbers, if it is a type of floats.
    fn no_ordinary_numbers() -> Option<NoOrdinaryNumbers<Self>> {
        None
    }

    /// `len` elements of a shape.
    fn data(shape: Shape, len: u64) -> Vec<Self> {
        (0..len).map(|index| Self::element(shape, index)).collect()
    }
}

/// An element type with data whose sums are exact in the type itself, in any order.
pub(crate) trait ExactElement: Element {
    /// Element `index`: a small whole number, not the same as its neighbours.
    fn exact(index: u64) -> Self;
}

impl ExactElement for f32 {
    #[expect(clippy::cast_precision_loss, reason = "below 64")]
    fn exact(index: u64) -> Self {
        (mix(index) % 64) as Self - 31.0
    }
}

impl ExactElement for i32 {
    fn exact(index: u64) -> Self {
        mix(index).cast_signed()
    }
}

impl ExactElement for u32 {
    fn exact(index: u64) -> Self {
        mix(index)
    }
}

impl TestElement for f32 {
    #[expect(clippy::cast_precision_loss, reason = "test data")]
    fn element(shape: Shape, index: u64) -> Self {
        let uniform = (mix(index) >> 8) as Self / 16_777_216.0;
        match shape {
            Shape::Constant => 1.5,
            Shape::Random => uniform - 0.5,
            Shape::Extreme => {
                (uniform - 0.5) * 2.0_f32.powi((mix(!index) % 160).cast_signed() - 100)
            }
            Shape::Cancelling => {
                let magnitude = ((mix(index / 2) >> 8) as Self) * 1e3;
                if index.is_multiple_of(2) { magnitude } else { -magnitude }
            }
            Shape::Tiny => Self::from_bits((mix(index) & 0x8000_0000) | (mix(index) % 3)),
        }
    }

    fn no_ordinary_numbers() -> Option<NoOrdinaryNumbers<Self>> {
        Some(NoOrdinaryNumbers::f32())
    }

    fn poison() -> Self {
        Self::NAN
    }

    fn float(self) -> f64 {
        self.into()
    }

    fn distance(self, other: Self) -> f64 {
        (f64::from(self) - f64::from(other)).abs()
    }
}

impl TestElement for i32 {
    fn element(shape: Shape, index: u64) -> Self {
        let random = mix(index).cast_signed();
        match shape {
            Shape::Constant => -3,
            Shape::Random => random,
            Shape::Extreme => [Self::MIN, Self::MAX, Self::MIN][(mix(index) % 3) as usize],
            Shape::Cancelling => {
                let half = mix(index / 2).cast_signed() >> 1;
                if index.is_multiple_of(2) { half } else { -half }
            }
            Shape::Tiny => random.signum(),
        }
    }

    fn poison() -> Self {
        0x5AA5_5AA5
    }

    fn float(self) -> f64 {
        0.0
    }

    fn distance(self, other: Self) -> f64 {
        f64::from(self.abs_diff(other))
    }
}

impl TestElement for u32 {
    fn element(shape: Shape, index: u64) -> Self {
        match shape {
            Shape::Constant => 7,
            Shape::Random => mix(index),
            Shape::Extreme => Self::MAX,
            Shape::Cancelling => [0x8000_0000, 0x7FFF_FFFF][(index % 2) as usize],
            Shape::Tiny => mix(index) & 1,
        }
    }

    fn poison() -> Self {
        0xA55A_A55A
    }

    fn float(self) -> f64 {
        0.0
    }

    fn distance(self, other: Self) -> f64 {
        f64::from(self.abs_diff(other))
    }
}

macro_rules! narrow_integers {
    ($($narrow:ident: $poison:literal),*) => {$(
        impl TestElement for $narrow {
            #[expect(clippy::cast_possible_truncation, reason = "test data")]
            #[allow(clippy::cast_possible_wrap, reason = "test data")]
            fn element(shape: Shape, index: u64) -> Self {
                let random = mix(index) as Self;
                match shape {
                    Shape::Constant => 7,
                    Shape::Random => random,
                    Shape::Extreme => [Self::MIN, Self::MAX, Self::MAX][(mix(index) % 3) as usize],
                    Shape::Cancelling => {
                        let half = (mix(index / 2) as Self) / 2;
                        if index.is_multiple_of(2) { half } else { half.wrapping_neg() }
                    }
                    Shape::Tiny => random & 1,
                }
            }

            fn poison() -> Self {
                $poison
            }

            fn float(self) -> f64 {
                0.0
            }

            fn distance(self, other: Self) -> f64 {
                f64::from(self.abs_diff(other))
            }
        }
    )*};
}
narrow_integers!(u8: 0xA5, i8: 0x5A, u16: 0xA55A, i16: 0x5AA5);

macro_rules! halves {
    ($($half:ident: $extreme:literal, $cancelling:literal;)*) => {$(
        impl TestElement for $half {
            #[expect(clippy::cast_possible_truncation, reason = "test data")]
            fn element(shape: Shape, index: u64) -> Self {
                let random = mix(index);
                match shape {
                    Shape::Constant | Shape::Random => Self::from_f32(f32::element(shape, index)),
                    Shape::Extreme => Self::from_bits(random as u16 & $extreme),
                    Shape::Cancelling => {
                        let magnitude = Self::from_bits((mix(index / 2) & $cancelling) as u16);
                        if index.is_multiple_of(2) { magnitude } else { -magnitude }
                    }
                    Shape::Tiny => Self::from_bits((random & 0x8003) as u16),
                }
            }

            fn no_ordinary_numbers() -> Option<NoOrdinaryNumbers<Self>> {
                Some(NoOrdinaryNumbers::$half())
            }

            fn poison() -> Self {
                Self::NAN
            }

            fn float(self) -> f64 {
                self.into()
            }

            fn distance(self, other: Self) -> f64 {
                (f64::from(self) - f64::from(other)).abs()
            }
        }
    )*};
}
// The masks of extreme and of cancelling numbers. An eighth of the extreme ones is subnormal or zero, of either sign.
// Numbers of bf16 have sums of squares that an f32 holds, as those of f32 have.
halves! {
    f16: 0xBBFF, 0x6FFF;
    bf16: 0xD47F, 0x4FFF;
}

/// 64 of them.
fn mix64(index: u64) -> u64 {
    u64::from(mix(index)) << 32 | u64::from(mix(!index))
}

macro_rules! wide_integers {
    ($($wide:ident: $poison:literal),*) => {$(
        impl TestElement for $wide {
            #[allow(clippy::cast_possible_wrap, reason = "test data")]
            fn element(shape: Shape, index: u64) -> Self {
                let random = mix64(index) as Self;
                match shape {
                    Shape::Constant => 7,
                    // With the same upper halves, or the same lower ones, among them.
                    Shape::Random => match mix(!index) % 8 {
                        0 => random | 0xFFFF_FFFF,
                        1 => random >> 31,
                        _ => random,
                    },
                    Shape::Extreme => [Self::MIN, Self::MAX, Self::MAX][(mix(index) % 3) as usize],
                    Shape::Cancelling => {
                        let half = (mix64(index / 2) as Self) / 2;
                        if index.is_multiple_of(2) { half } else { half.wrapping_neg() }
                    }
                    Shape::Tiny => random & 1,
                }
            }

            fn poison() -> Self {
                $poison
            }

            fn float(self) -> f64 {
                0.0
            }

            #[expect(clippy::cast_precision_loss, reason = "a distance")]
            fn distance(self, other: Self) -> f64 {
                self.abs_diff(other) as f64
            }
        }
    )*};
}
wide_integers!(i64: 0x5AA5_5AA5_5AA5_5AA5, u64: 0xA55A_A55A_A55A_A55A);

impl TestElement for f64 {
    #[expect(clippy::cast_precision_loss, reason = "test data")]
    fn element(shape: Shape, index: u64) -> Self {
        let uniform = (mix64(index) >> 11) as Self / 9_007_199_254_740_992.0;
        match shape {
            Shape::Constant => 1.5,
            Shape::Random => uniform - 0.5,
            Shape::Extreme => {
                (uniform - 0.5) * 2.0_f64.powi((mix(!index) % 1000).cast_signed() - 600)
            }
            Shape::Cancelling => {
                let magnitude = mix64(index / 2) as Self;
                if index.is_multiple_of(2) { magnitude } else { -magnitude }
            }
            // Subnormal numbers that one word or the other tells apart, and both zeros.
            Shape::Tiny => Self::from_bits(mix64(index) & 0x8000_0001_0000_0001),
        }
    }

    fn no_ordinary_numbers() -> Option<NoOrdinaryNumbers<Self>> {
        Some(NoOrdinaryNumbers::f64())
    }

    fn poison() -> Self {
        Self::NAN
    }

    fn float(self) -> f64 {
        self
    }

    fn distance(self, other: Self) -> f64 {
        (self - other).abs()
    }
}
