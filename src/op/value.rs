//! What custom operators map, and what their accumulators and results may be.

use crate::op::element::ElementKind;
use std::fmt;

/// What `map` takes beside the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InputType {
    pub(crate) element: ElementKind,
    /// Whether it is a pair of elements.
    pub(crate) paired: bool,
}

/// A type of WGSL that a custom operator accumulates in or leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ValueType {
    pub(crate) scalar: ElementKind,
    /// From 1 to 4.
    pub(crate) components: u32,
}

impl ValueType {
    /// Bytes of a value on the host, and of a result.
    pub(crate) const fn size_bytes(self) -> u64 {
        4 * self.components as u64
    }

    /// Bytes from one value to the next in WGSL's arrays: three components take as many as four.
    pub(crate) const fn stride_bytes(self) -> u64 {
        4 * self.components.next_power_of_two() as u64
    }
}

/// As in WGSL: `f32`, or `vec2<f32>`.
impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.components {
            1 => write!(f, "{}", self.scalar),
            components => write!(f, "vec{components}<{}>", self.scalar),
        }
    }
}

pub(crate) mod sealed {
    use super::ValueType;

    pub trait Value {
        const TYPE: ValueType;
    }
}

/// An accumulator or a result of a [`CustomOp`](crate::CustomOp): `f32`, `i32` or `u32`, or an array of
/// two to four of them, which in WGSL is a vector: `[f32; 3]` is `vec3<f32>`.
///
/// ```
/// fn takes(_: impl wgpu_reduce::CustomValue) {}
/// takes(1_u32);
/// takes([0.0_f32; 3]);
/// ```
///
/// ```compile_fail,E0277
/// fn takes(_: impl wgpu_reduce::CustomValue) {}
/// takes([0.0_f32; 5]);
/// ```
pub trait CustomValue:
    bytemuck::Pod + PartialEq + fmt::Debug + Send + Sync + sealed::Value
{
}

macro_rules! values {
    ($($scalar:ty),*) => {$(
        values!($scalar: $scalar, 1; [$scalar; 2], 2; [$scalar; 3], 3; [$scalar; 4], 4);
    )*};
    ($scalar:ty: $($value:ty, $components:literal);*) => {$(
        impl sealed::Value for $value {
            const TYPE: ValueType = ValueType {
                scalar: <$scalar as crate::op::element::Element>::KIND,
                components: $components,
            };
        }

        impl CustomValue for $value {}
    )*};
}
values!(f32, i32, u32);

/// The words of a value; zeros follow.
pub(crate) fn words_of<V: CustomValue>(value: V) -> [u32; 4] {
    let mut words = [0; 4];
    let of_value: Vec<u32> = bytemuck::pod_collect_to_vec(bytemuck::bytes_of(&value));
    for (word, of_value) in words.iter_mut().zip(of_value) {
        *word = of_value;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::sealed::Value;
    use super::*;

    #[test]
    fn arrays_are_vectors() {
        assert_eq!(<u32 as Value>::TYPE.to_string(), "u32");
        assert_eq!(<[i32; 2] as Value>::TYPE.to_string(), "vec2<i32>");
        let three = <[f32; 3] as Value>::TYPE;
        assert_eq!((three.size_bytes(), three.stride_bytes()), (12, 16));
        assert_eq!(words_of([1.0_f32, -0.0, 0.0]), [0x3F80_0000, 0x8000_0000, 0, 0]);
        assert_eq!(words_of(f32::NEG_INFINITY), [0xFF80_0000, 0, 0, 0]);
    }
}
