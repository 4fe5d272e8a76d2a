//! The sum of integers' keys and that of the squares of the same numbers less 2^31.

use super::super::words::{word64, word128};
use super::{Accumulated, Figures, Words};
use crate::error::Result;

/// As in `shaders/parts/spread.wgsl`.
#[derive(Clone, Copy)]
pub(in crate::op) struct Spread {
    sum: u64,
    squares: u128,
}

impl Accumulated for Spread {
    type Words = [u32; 6];

    fn of([low, high, squares @ ..]: [u32; 6]) -> Result<Self> {
        Ok(Self { sum: word64(low, high), squares: word128(squares) })
    }
}

impl Words for Spread {
    #[expect(clippy::cast_possible_truncation, reason = "the halves")]
    fn words(self) -> Vec<u32> {
        let [low, high] = [self.squares as u64, (self.squares >> u64::BITS) as u64];
        [self.sum.words(), low.words(), high.words()].concat()
    }
}

impl Figures for Spread {
    fn and(self, other: Self) -> Self {
        let sum = self.sum.wrapping_add(other.sum);
        Self { sum, squares: self.squares.wrapping_add(other.squares) }
    }
}
