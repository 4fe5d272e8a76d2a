//! Accumulators as they lie in memory.

use crate::error::Result;

/// An accumulator, which is read from its words: the fields of the WGSL type `Acc`, in their order.
pub(in crate::op) trait Accumulated: Sized {
    /// An array of words, or numbers that they are.
    type Words: bytemuck::Pod;

    fn of(words: Self::Words) -> Result<Self>;
}

macro_rules! as_they_lie {
    ($($number:ty),*) => {$(
        impl Accumulated for $number {
            type Words = Self;

            fn of(words: Self) -> Result<Self> {
                Ok(words)
            }
        }
    )*};
}
as_they_lie!(u32, u64, u128, f32, f64, [u32; 2], [u64; 2]);

/// The total as it is.
pub(in crate::op) const fn same<A: Copy>(total: A) -> A {
    total
}

/// What has words, the lowest first.
pub(in crate::op) trait Words {
    fn words(self) -> Vec<u32>;
}

impl Words for u32 {
    fn words(self) -> Vec<u32> {
        vec![self]
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the halves")]
impl Words for u64 {
    fn words(self) -> Vec<u32> {
        vec![self as u32, (self >> u32::BITS) as u32]
    }
}

impl Words for f32 {
    fn words(self) -> Vec<u32> {
        self.to_bits().words()
    }
}

impl Words for f64 {
    fn words(self) -> Vec<u32> {
        self.to_bits().words()
    }
}

/// Words, and zeros behind them.
pub(in crate::op) fn filled<const N: usize>(words: impl IntoIterator<Item = u32>) -> [u32; N] {
    let mut filled = [0; N];
    filled.iter_mut().zip(words).for_each(|(place, word)| *place = word);
    filled
}
