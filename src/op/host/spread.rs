//! The sum of integers' keys and that of the squares of the same numbers less 2^31.

use super::{Figures, accumulator};

accumulator! {
    /// As in `shaders/parts/spread.wgsl`.
    Spread { sum: u64, squares: u128 }
}

impl Figures for Spread {
    fn and(self, other: Self) -> Self {
        let sum = self.sum.wrapping_add(other.sum);
        Self { sum, squares: self.squares.wrapping_add(other.squares) }
    }
}
