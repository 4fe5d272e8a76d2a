//! Keys of elements: integers that are ordered as the elements are.

use super::Words;
use crate::op::element::Element;
use std::ops::Not;

/// A key: of one word or two.
pub(in crate::op) trait Key:
    bytemuck::Pod + Words + Ord + Not<Output = Self>
{
}

impl Key for u32 {}
impl Key for u64 {}

/// Elements that have keys, as `shaders/numbers/` has them.
pub(in crate::op) trait Keyed: Element {
    type Key: Key;

    /// The bits of the number with a key; of a NaN where no number has it.
    fn bits_of_key(key: Self::Key) -> Self::Key;

    /// Whether it is that of a NaN.
    fn is_nan_key(key: Self::Key) -> bool;
}

macro_rules! keyed {
    ($($number:ty, $key:ty: $xor:expr;)*) => {$(
        impl Keyed for $number {
            type Key = $key;

            fn bits_of_key(key: $key) -> $key {
                key ^ $xor
            }

            fn is_nan_key(_: $key) -> bool {
                false
            }
        }
    )*};
    ($($float:ident: $key:ident),*) => {$(
        impl Keyed for $float {
            type Key = $key;

            fn bits_of_key(key: $key) -> $key {
                const SIGN: $key = 1 << ($key::BITS - 1);
                if Self::is_nan_key(key) {
                    return $float::NAN.to_bits();
                }
                if key >= SIGN { key ^ SIGN } else { !key }
            }

            fn is_nan_key(key: $key) -> bool {
                let of_infinity = $float::NEG_INFINITY.to_bits();
                key < !of_infinity || key > of_infinity
            }
        }
    )*};
}
keyed! {
    i32, u32: 1 << 31;
    u32, u32: 0;
    i64, u64: 1 << 63;
    u64, u64: 0;
}
keyed!(f32: u32, f64: u64);
