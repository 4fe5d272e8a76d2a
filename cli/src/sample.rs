//! The element types: which there are, as files have them, and made up.

use half::{bf16, f16};
use npyz::{DType, FixedSizeBytes};
use rand::RngExt as _;
use std::io;
use wgpu_reduce::Element;

/// Calls a macro with the element types of a class in brackets, and with what else it is given. Types
/// are listed nowhere else.
macro_rules! with_elements {
    (all, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [f32, i32, u32, u8, i8, u16, i16, half::f16, half::bf16, i64, u64, f64] $($rest)* }
    };
    (integers, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [i32, u32, u8, i8, u16, i16, i64, u64] $($rest)* }
    };
    (floats, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [f32, half::f16, half::bf16, f64] $($rest)* }
    };
    // Those whose squares the library adds up.
    (squared, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [f32, i32, u32, u8, i8, u16, i16, half::f16, half::bf16, f64] $($rest)* }
    };
    (short_integers, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [i32, u32, u8, i8, u16, i16] $($rest)* }
    };
    // Those whose exact sum is an `ExactSum`.
    (summed_whole, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [f32, f64] $($rest)* }
    };
    // Floats of 16 bits.
    (half_floats, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [half::f16, half::bf16] $($rest)* }
    };
    (short_floats, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [f32, half::f16, half::bf16] $($rest)* }
    };
    // Those that the ladder has shaders for.
    (ladder, [$($callback:tt)+] { $($rest:tt)* }) => {
        $($callback)+! { [f32, i32, u32] $($rest)* }
    };
}
pub(crate) use with_elements;

/// What an expression gives for the type that a kind stands for, if that is in a class.
macro_rules! with_sample {
    ($kind:expr, $name:ident in $class:ident => $result:expr) => {
        $crate::sample::with_elements!(
            $class, [$crate::sample::match_sample] { $kind, $name => $result }
        )
    };
}
pub(crate) use with_sample;

macro_rules! match_sample {
    ([$($element:ty),*] $kind:expr, $name:ident => $result:expr) => {
        match $kind {
            $(<$element as wgpu_reduce::Element>::KIND => {
                type $name = $element;
                $result
            })*
            kind => Err($crate::failure::Failure::Usage(format!("{kind} is not supported"))),
        }
    };
}
pub(crate) use match_sample;

/// What random numbers are made of; its output is the same in every version.
pub(crate) type Generator = rand_chacha::ChaCha8Rng;

/// Makes a random element.
pub(crate) type Draw<T> = fn(&mut Generator) -> T;

/// An element that can be read and made up.
pub(crate) trait Sample: Element {
    /// What a `.npy` file has of it.
    type Stored: npyz::Serialize;
    /// From 0 to 1 for floats, from the whole range for integers.
    const UNIFORM: Draw<Self>;
    /// Numbers of mean 0 and standard deviation 1, for types that can hold them.
    const NORMAL: Option<Draw<Self>> = None;

    /// The type in a `.npy` file's header.
    fn dtype() -> io::Result<DType>;

    /// As a `.npy` file has it.
    fn stored(self) -> Self::Stored;
}

/// Where a `.npy` file has the type itself.
macro_rules! stored_as_it_is {
    () => {
        type Stored = Self;

        fn dtype() -> io::Result<DType> {
            Ok(<Self as npyz::AutoSerialize>::default_dtype())
        }

        fn stored(self) -> Self {
            self
        }
    };
}

impl Sample for f32 {
    stored_as_it_is!();

    const UNIFORM: Draw<Self> = |rng| rng.random();
    const NORMAL: Option<Draw<Self>> = Some(|rng| rng.sample(rand_distr::StandardNormal));
}

impl Sample for f16 {
    stored_as_it_is!();

    /// A multiple of 2^-11, of which every one below 1 is an `f16`.
    const UNIFORM: Draw<Self> = |rng| Self::from_f32(f32::from(rng.random::<u16>() >> 5) / 2048.0);
    const NORMAL: Option<Draw<Self>> =
        Some(|rng| Self::from_f32(rng.sample(rand_distr::StandardNormal)));
}

/// NumPy has no such type. Its files have what the package `ml_dtypes` writes: two bytes without a meaning.
impl Sample for bf16 {
    type Stored = FixedSizeBytes<2>;

    /// A multiple of 2^-8, of which every one below 1 is a `bf16`.
    const UNIFORM: Draw<Self> = |rng| Self::from_f32(f32::from(rng.random::<u8>()) / 256.0);
    const NORMAL: Option<Draw<Self>> =
        Some(|rng| Self::from_f32(rng.sample(rand_distr::StandardNormal)));

    fn dtype() -> io::Result<DType> {
        "<V2".parse().map(DType::Plain).map_err(io::Error::other)
    }

    fn stored(self) -> FixedSizeBytes<2> {
        FixedSizeBytes(self.to_le_bytes())
    }
}

impl Sample for f64 {
    stored_as_it_is!();

    const UNIFORM: Draw<Self> = |rng| rng.random();
    const NORMAL: Option<Draw<Self>> = Some(|rng| rng.sample(rand_distr::StandardNormal));
}

macro_rules! sample_integers {
    ([$($integer:ty),*]) => {$(
        impl Sample for $integer {
            stored_as_it_is!();

            const UNIFORM: Draw<Self> = |rng| rng.random();
        }
    )*};
}
with_elements!(integers, [sample_integers] {});
