//! Elements that are known by their index, the files that tests put them in, and whether a sum of them is right: what benches and the
//! command line measure on. `benches/peers/` has the same elements in CUDA and Python. And what benches are told, and tell of times.

mod arguments;
mod near;
pub mod npy;
mod times;

pub use arguments::Arguments;
pub use near::{Overflowing, agrees, is_near};
pub use times::Times;

/// Multiplicative hashing (Knuth, *The Art of Computer Programming*, vol. 3, §6.4) of the index modulo
/// 2^32: well spread and quick to make.
///
/// ```
/// assert_eq!(wgpu_reduce_known::hash(1), 2_654_435_761);
/// assert_eq!(wgpu_reduce_known::hash((1 << 32) + 1), 2_654_435_761);
/// ```
#[must_use]
pub fn hash(index: u64) -> u32 {
    u32::try_from(index & 0xFFFF_FFFF).unwrap_or_default().wrapping_mul(2_654_435_761)
}

/// A well-mixed hash of the index: the finaliser of `MurmurHash3`. What a shift or a mask leaves of it is spread
/// well, too, and neighbours have nothing in common.
///
/// ```
/// assert_eq!(wgpu_reduce_known::mixed(0), 0x92CA_2F0E);
/// ```
#[must_use]
pub fn mixed(index: u64) -> u32 {
    let folded = (index ^ index >> 32) & 0xFFFF_FFFF;
    let mut h = u32::try_from(folded).unwrap_or_default() ^ 0x9E37_79B9;
    h = (h ^ h >> 16).wrapping_mul(0x85EB_CA6B);
    h = (h ^ h >> 13).wrapping_mul(0xC2B2_AE35);
    h ^ h >> 16
}

/// A hash as a number of 24 bits, from 0 on and below 1.
///
/// ```
/// assert_eq!(wgpu_reduce_known::uniform(1 << 31), 0.5);
/// assert!(wgpu_reduce_known::uniform(u32::MAX) < 1.0);
/// ```
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "24 bits")]
pub fn uniform(hash: u32) -> f32 {
    (hash >> 8) as f32 / 16_777_216.0
}

/// A byte of a picture that is made up: slopes over rows of 4096 pixels, 32 columns or 48 rows to a shade, with 3 bits of
/// noise. Neighbours are alike, as in photographs, and all 256 values occur.
///
/// ```
/// assert!(wgpu_reduce_known::picture(0) < 8);
/// assert!((3..11).contains(&wgpu_reduce_known::picture(100)));
/// ```
#[must_use]
pub fn picture(index: u64) -> u8 {
    let (x, y) = (index % 4096, index / 4096);
    let noise = u64::from(hash(index) >> 29);
    ((x / 32 + y / 48 + noise) & 0xFF).to_le_bytes()[0]
}

/// A hash as an odd number from −15 to 15: sums of many stay near zero, so that `f32` has them exactly in any
/// order.
///
/// ```
/// assert_eq!(wgpu_reduce_known::small_odd(0), -15);
/// assert_eq!(wgpu_reduce_known::small_odd(u32::MAX), 15);
/// ```
#[must_use]
pub fn small_odd(hash: u32) -> i32 {
    (hash >> 28).cast_signed() * 2 - 15
}

/// A hash as a finite number of either sign between 2^-20 and 2^12 in magnitude, all powers of two alike:
/// sums of many depend on the order.
///
/// ```
/// assert_eq!(wgpu_reduce_known::wide(0), 1.0 / 1_048_576.0);
/// assert_eq!(wgpu_reduce_known::wide(1 << 31), -1.0 / 1_048_576.0);
/// assert!(wgpu_reduce_known::wide(u32::MAX) > -4096.0);
/// ```
#[must_use]
pub fn wide(hash: u32) -> f32 {
    let (sign, power) = (hash & 0x8000_0000, (hash >> 23) & 31);
    f32::from_bits(sign | ((107 + power) << 23) | (hash & 0x007F_FFFF))
}
