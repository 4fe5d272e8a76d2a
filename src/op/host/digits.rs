//! Digits of an exact sum.

use super::{Accumulated, Words};
use crate::error::{Error, Result};
use crate::exact::{Bin, Class, ExactElement, ExactSum};

/// What `shaders/accumulators/exact_f32.wgsl` and `exact_f64.wgsl` leave: digits, and a window that lies above one of them.
pub(in crate::op) struct Digits<T: ExactElement>(ExactSum<T>);

/// How an accumulator's words are cut.
pub(in crate::op) trait Cut: ExactElement {
    const DIGITS: usize;
    /// The exponent of the lowest digit, and of the lowest window.
    const LOWEST_EXPONENT: i32;
    const DIGIT_BITS: i32;
    /// Where a window's base has its exponent; below is what has been seen.
    const EXPONENT_SHIFT: u32;
    /// Words of a window.
    const WINDOW: usize;
}

impl Cut for f32 {
    const DIGITS: usize = 13;
    const LOWEST_EXPONENT: i32 = -149;
    const DIGIT_BITS: i32 = 24;
    const EXPONENT_SHIFT: u32 = 23;
    const WINDOW: usize = 2;
}

impl Cut for f64 {
    const DIGITS: usize = 80;
    const LOWEST_EXPONENT: i32 = -1074;
    const DIGIT_BITS: i32 = 27;
    const EXPONENT_SHIFT: u32 = 20;
    const WINDOW: usize = 3;
}

/// What can have been seen, bit by bit, as in `shaders/parts/kinds.wgsl`.
const SEEN: [(u32, Class); 5] = [
    (1, Class::Finite),
    (2, Class::PositiveInfinity),
    (4, Class::NegativeInfinity),
    (8, Class::Nan),
    (16, Class::NegativeZeros),
];

impl<T: Cut> Accumulated for Digits<T> {
    const WORDS: usize = T::DIGITS + 1 + T::WINDOW;

    fn of(words: &[u32]) -> Result<Self> {
        let mut words = words.iter().copied();
        let exponents = (0..).map(|index| T::LOWEST_EXPONENT + T::DIGIT_BITS * index);
        let digit = |exponent| (i128::from(u32::take(&mut words).cast_signed()), exponent);
        let mut bins: Vec<_> = exponents.take(T::DIGITS).map(digit).collect();
        let base = u32::take(&mut words);
        let window: Vec<_> = words.collect();
        let highest = window.last().map_or(0, |word| word.cast_signed().into());
        let lower = window.iter().rev().skip(1);
        let window = lower.fold(highest, |above, &word| above << u32::BITS | i128::from(word));
        let place = (base >> T::EXPONENT_SHIFT).cast_signed() - 1;
        bins.push((window, T::LOWEST_EXPONENT + place));
        let bins = bins.into_iter().map(|(value, exponent)| Bin { value, exponent });
        let seen = SEEN.into_iter().filter(|(bit, _)| base & bit != 0);
        let class = seen.fold(Class::Empty, |class, (_, next)| class.join(next));
        // How many elements there were is not told, and no matter to their sum.
        let count = u64::from(class != Class::Empty);
        let sum = ExactSum::from_bins(count, class, bins);
        sum.map(Self).map_err(|message| Error::Internal { message: message.into() })
    }
}

impl<T: ExactElement> Digits<T> {
    pub(in crate::op) fn and(mut self, other: &Self) -> Self {
        self.0.merge(&other.0);
        self
    }

    pub(in crate::op) fn rounded(self) -> T {
        self.0.round()
    }
}
