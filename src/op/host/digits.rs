//! Digits of an exact sum.

use super::super::words::word64;
use super::{Accumulated, filled};
use crate::error::{Error, Result};
use crate::exact::{Bin, Class, ExactSum};

/// What `shaders/accumulators/exact.wgsl` leaves: thirteen digits, and a window that lies above one of them.
pub(in crate::op) struct Digits(ExactSum);

/// The exponent of the lowest digit, and of the lowest window.
const LOWEST_EXPONENT: i32 = -149;
const DIGIT_BITS: i32 = 24;

/// Where a window's base has its exponent; below is what has been seen.
const EXPONENT_SHIFT: u32 = 23;

/// What can have been seen, bit by bit, as in `shaders/parts/kinds.wgsl`.
const SEEN: [(u32, Class); 5] = [
    (1, Class::Finite),
    (2, Class::PositiveInfinity),
    (4, Class::NegativeInfinity),
    (8, Class::Nan),
    (16, Class::NegativeZeros),
];

impl Accumulated for Digits {
    const WORDS: usize = 16;

    fn of(words: &[u32]) -> Result<Self> {
        let [digits @ .., base, low, high]: [u32; Self::WORDS] = filled(words.iter().copied());
        let exponents = (0..).map(|index| LOWEST_EXPONENT + DIGIT_BITS * index);
        let digits = digits.into_iter().zip(exponents);
        let digits = digits.map(|(digit, exponent)| (i64::from(digit.cast_signed()), exponent));
        let place = (base >> EXPONENT_SHIFT).cast_signed() - 1;
        let window = (word64(low, high).cast_signed(), LOWEST_EXPONENT + place);
        let bins = digits.chain([window]);
        let bins = bins.map(|(value, exponent)| Bin { value: value.into(), exponent });
        let seen = SEEN.into_iter().filter(|(bit, _)| base & bit != 0);
        let class = seen.fold(Class::Empty, |class, (_, next)| class.join(next));
        // How many elements there were is not told, and no matter to their sum.
        let count = u64::from(class != Class::Empty);
        let sum = ExactSum::from_bins(count, class, bins);
        sum.map(Self).map_err(|message| Error::Internal { message: message.into() })
    }
}

impl Digits {
    pub(in crate::op) fn and(mut self, other: &Self) -> Self {
        self.0.merge(&other.0);
        self
    }

    pub(in crate::op) fn rounded(self) -> f32 {
        self.0.round()
    }
}
