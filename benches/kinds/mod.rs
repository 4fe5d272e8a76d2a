//! Kinds of data that exact sums are measured on.

use wgpu_reduce_known::mixed;

/// A kind of data: its name, and element `index` of it.
pub(crate) type Kind = (&'static str, fn(u64) -> f32);

pub(crate) const KINDS: [Kind; 5] = [
    ("uniform", uniform),
    ("normal", normal),
    ("spread", spread),
    ("bits", bits),
    ("half zeros", half_zeros),
];

/// Uniform in [0, 1).
pub(crate) fn uniform(index: u64) -> f32 {
    wgpu_reduce_known::uniform(mixed(index))
}

/// Normal, of mean 0 and variance 1 (Box and Muller, 1958).
fn normal(index: u64) -> f32 {
    let (radius, angle) = (1.0 - uniform(2 * index), uniform(2 * index + 1));
    (-2.0 * radius.ln()).sqrt() * (std::f32::consts::TAU * angle).cos()
}

/// Numbers of either sign, spread evenly over 40 powers of two around 1.
fn spread(index: u64) -> f32 {
    let exponent = mixed(2 * index) % 40;
    f32::from_bits((mixed(2 * index + 1) & 0x807F_FFFF) | ((127 - 20 + exponent) << 23))
}

/// Every finite number equally likely, by its bits.
fn bits(index: u64) -> f32 {
    let bits = mixed(index);
    let infinite = bits >> 23 & 0xFF == 0xFF;
    f32::from_bits(if infinite { bits & 0xBFFF_FFFF } else { bits })
}

/// Every other one a zero of either sign, the others normal.
fn half_zeros(index: u64) -> f32 {
    if index.is_multiple_of(2) { normal(index) } else { f32::from_bits(mixed(index) & (1 << 31)) }
}
