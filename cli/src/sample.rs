//! The element types as files have them.

use crate::check::{Exact, Rounded, Tally};
use crate::number::Number;
use rand::RngExt as _;
use wgpu_reduce::Element;

/// What random numbers are made of; its output is the same in every version.
pub(crate) type Generator = rand_chacha::ChaCha8Rng;

/// Makes a random element.
pub(crate) type Draw<T> = fn(&mut Generator) -> T;

/// An element that can be read, summed, checked and made up.
pub(crate) trait Sample: Element + npyz::AutoSerialize {
    /// What the elements sum to.
    type Total: bytemuck::Pod + Into<Number>;
    /// The sum on the CPU.
    type Tally: Tally<Self, Self::Total>;

    /// From 0 to 1 for floats, from the whole range for integers.
    const UNIFORM: Draw<Self>;
    /// Of mean 0 and standard deviation 1, for types that can hold it.
    const NORMAL: Option<Draw<Self>> = None;
}

impl Sample for f32 {
    type Total = Self;
    type Tally = Rounded;
    const UNIFORM: Draw<Self> = |rng| rng.random();
    const NORMAL: Option<Draw<Self>> = Some(|rng| rng.sample(rand_distr::StandardNormal));
}

impl Sample for i32 {
    type Total = i64;
    type Tally = Exact;
    const UNIFORM: Draw<Self> = |rng| rng.random();
}

impl Sample for u32 {
    type Total = u64;
    type Tally = Exact;
    const UNIFORM: Draw<Self> = |rng| rng.random();
}

/// Calls a function that is generic over [`Sample`] with the type that a kind stands for.
macro_rules! with_sample {
    ($kind:expr, $function:ident($($argument:expr),*)) => {
        match $kind {
            wgpu_reduce::ElementKind::F32 => $function::<f32>($($argument),*),
            wgpu_reduce::ElementKind::I32 => $function::<i32>($($argument),*),
            wgpu_reduce::ElementKind::U32 => $function::<u32>($($argument),*),
            kind => Err($crate::failure::Failure::Usage(format!("{kind} is not supported"))),
        }
    };
}
pub(crate) use with_sample;
