//! The element types as files have them.

use rand::RngExt as _;
use wgpu_reduce::Element;

/// What random numbers are made of; its output is the same in every version.
pub(crate) type Generator = rand_chacha::ChaCha8Rng;

/// Makes a random element.
pub(crate) type Draw<T> = fn(&mut Generator) -> T;

/// An element that can be read and made up.
pub(crate) trait Sample: Element + npyz::AutoSerialize {
    /// From 0 to 1 for floats, from the whole range for integers.
    const UNIFORM: Draw<Self>;
    /// Of mean 0 and standard deviation 1, for types that can hold it.
    const NORMAL: Option<Draw<Self>> = None;
}

impl Sample for f32 {
    const UNIFORM: Draw<Self> = |rng| rng.random();
    const NORMAL: Option<Draw<Self>> = Some(|rng| rng.sample(rand_distr::StandardNormal));
}

impl Sample for i32 {
    const UNIFORM: Draw<Self> = |rng| rng.random();
}

impl Sample for u32 {
    const UNIFORM: Draw<Self> = |rng| rng.random();
}

/// What an expression gives for the type that a kind stands for, if that is among those named.
macro_rules! with_sample {
    ($kind:expr, $name:ident in [$($element:ty),*] => $result:expr) => {
        match $kind {
            $(<$element as wgpu_reduce::Element>::KIND => {
                type $name = $element;
                $result
            })*
            kind => Err($crate::failure::Failure::Usage(format!("{kind} is not supported"))),
        }
    };
}
pub(crate) use with_sample;
