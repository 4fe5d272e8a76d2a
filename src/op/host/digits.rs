//! Digits of an exact sum.

use super::{Accumulated, Words};
use crate::error::{Error, Result};
use crate::exact::{Bin, Class, ExactElement, ExactSum};

/// What `shaders/accumulators/exact_f32.wgsl` and `exact_f64.wgsl` leave: digits, and a window that lies above one of them.
pub(in crate::op) struct Digits<T: ExactElement>(pub(in crate::op) ExactSum<T>);

/// How an accumulator's words are cut: as in `shaders/accumulators/exact_f64.wgsl` and `exact_f32.wgsl`.
impl<T: ExactElement> Digits<T> {
    const IS_LONG: bool = size_of::<T>() == size_of::<f64>();
    const DIGITS: u32 = if Self::IS_LONG { 80 } else { 13 };
    /// The exponent of the lowest digit, and of the lowest window.
    const LOWEST_EXPONENT: i32 = if Self::IS_LONG { -1074 } else { -149 };
    const DIGIT_BITS: i32 = if Self::IS_LONG { 27 } else { 24 };
    /// Where a window's base has its exponent; below is what has been seen.
    const EXPONENT_SHIFT: u32 = if Self::IS_LONG { 20 } else { 23 };
    /// Words of a window.
    const WINDOW: usize = if Self::IS_LONG { 3 } else { 2 };
}

/// What can have been seen, bit by bit, as in `shaders/parts/kinds.wgsl`.
const SEEN: [(u32, Class); 5] = [
    (1, Class::Finite),
    (2, Class::PositiveInfinity),
    (4, Class::NegativeInfinity),
    (8, Class::Nan),
    (16, Class::NegativeZeros),
];

fn class_of(seen: u32) -> Class {
    let classes = SEEN.into_iter().filter(|(bit, _)| seen & bit != 0);
    classes.fold(Class::Empty, |class, (_, next)| class.join(next))
}

/// The highest digits of a sum, of which there are six, as in `shaders/ops/mean_exact.wgsl`: what has been seen, the place of the lowest,
/// and the digits from there on.
pub(in crate::op) type Highest = [u32; 2 + HIGHEST as usize];

/// Digits that a device leaves of a sum for a mean.
const HIGHEST: u32 = 6;

/// Bits beside what has been seen.
const IS_NEGATIVE: u32 = 32;
const HAS_REST: u32 = 64;

impl<T: ExactElement> Accumulated for Digits<T> {
    const WORDS: usize = Self::DIGITS as usize + 1 + Self::WINDOW;

    fn of(words: &[u32]) -> Result<Self> {
        let mut words = words.iter().copied();
        let exponents = (0..).map(|index| Self::LOWEST_EXPONENT + Self::DIGIT_BITS * index);
        let digit = |exponent| (i128::from(u32::take(&mut words).cast_signed()), exponent);
        let mut bins: Vec<_> = exponents.take(Self::DIGITS as usize).map(digit).collect();
        let base = u32::take(&mut words);
        let window: Vec<_> = words.collect();
        let highest = window.last().map_or(0, |word| word.cast_signed().into());
        let lower = window.iter().rev().skip(1);
        let window = lower.fold(highest, |above, &word| above << u32::BITS | i128::from(word));
        let place = (base >> Self::EXPONENT_SHIFT).cast_signed() - 1;
        bins.push((window, Self::LOWEST_EXPONENT + place));
        let bins = bins.into_iter().map(|(value, exponent)| Bin { value, exponent });
        let class = class_of(base);
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

    const fn exponent(place: u32) -> i32 {
        Self::LOWEST_EXPONENT + Self::DIGIT_BITS * place.cast_signed()
    }

    #[expect(clippy::cast_possible_truncation, reason = "the lower bits are wanted")]
    fn digit(&self, place: u32) -> u32 {
        // The last digit has what is left.
        let is_last = place + 1 >= Self::DIGITS;
        let bits = if is_last { u32::BITS } else { Self::DIGIT_BITS.cast_unsigned() };
        let bits_from = self.0.magnitude_from(Self::exponent(place));
        bits_from as u32 & (u32::MAX >> (u32::BITS - bits))
    }

    /// What a device leaves of the sum for a mean.
    pub(in crate::op) fn highest(self) -> Highest {
        let Self(sum) = &self;
        let flag = |bit, is_set| if is_set { bit } else { 0 };
        let has_above = |lowest: &u32| sum.has_from(Self::exponent(lowest + HIGHEST - 1));
        let lowest = (1..=Self::DIGITS - HIGHEST).filter(has_above).last().unwrap_or(0);
        let seen = SEEN.into_iter().find(|&(_, class)| class == sum.class());
        let mut highest = Highest::default();
        highest[0] = seen.map_or(0, |(bit, _)| bit)
            | flag(IS_NEGATIVE, sum.is_negative())
            | flag(HAS_REST, sum.has_below(Self::exponent(lowest)));
        highest[1] = lowest;
        for (place, digit) in (lowest..).zip(&mut highest[2..]) {
            *digit = self.digit(place);
        }
        highest
    }

    /// The mean of `len` elements whose sum has these digits.
    pub(in crate::op) fn mean(highest: Highest, len: u64) -> Result<T> {
        let [seen, lowest, digits @ ..] = highest;
        let sign = if seen & IS_NEGATIVE != 0 { -1 } else { 1 };
        // A caller may give any place.
        let lowest = lowest.min(Self::DIGITS);
        let bins = (lowest..).zip(digits).map(|(place, digit)| Bin {
            value: sign * i128::from(digit),
            exponent: Self::exponent(place),
        });
        // The rest counts as half a unit of the lowest digit.
        let exponent = Self::exponent(lowest) - 1;
        let rest = (seen & HAS_REST != 0).then_some(Bin { value: sign, exponent });
        // Words of zeros are a sum of 0, as of other operations.
        let class = match class_of(seen) {
            Class::Empty => Class::Finite,
            class => class,
        };
        let sum = ExactSum::from_bins(len, class, bins.chain(rest));
        sum.map_err(|message| Error::Internal { message: message.into() })?.mean()
    }
}

#[cfg(test)]
mod tests {
    use super::{Bin, Class, Digits, ExactElement, ExactSum};
    use proptest::prelude::*;

    /// Sums of up to 2^42 elements: of any digits, and of a multiple of a tie of means, with something far below or without.
    fn check<T: ExactElement>(
        len: u64,
        exponent: i32,
        tie: u64,
        below: i128,
        spread: &[(i64, i32)],
    ) {
        let precision = if Digits::<T>::DIGITS == 80 { 54 } else { 25 };
        // An odd number of units of half of a last place.
        let tie = (tie | 1 | 1 << 63) >> (64 - precision) | 1;
        let value = i128::from(tie) * i128::from(len);
        let near_tie = [(value, exponent), (below, Digits::<T>::LOWEST_EXPONENT)];
        let spread = spread.iter().map(|&(value, exponent)| (value.into(), exponent));
        for parts in
            [near_tie.to_vec(), near_tie.map(|(value, at)| (-value, at)).to_vec(), spread.collect()]
        {
            let bins = parts.into_iter().map(|(value, exponent)| Bin { value, exponent });
            let sum = ExactSum::<T>::from_bins(len, Class::Finite, bins).unwrap();
            let mean = sum.mean().unwrap().into_word();
            let highest = Digits(sum).highest();
            assert_eq!(Digits::<T>::mean(highest, len).unwrap().into_word(), mean, "{highest:?}");
        }
    }

    proptest! {
        #[test]
        fn means_of_the_highest_digits_are_those_of_all(
            len in (0_u32..=42, any::<u64>()).prop_map(|(bits, random)| (1 << bits | random & ((1 << bits) - 1)).min(1 << 42)),
            tie in any::<u64>(),
            place in 0.0..1.0_f64,
            below in -1_i128..=1,
            spread in prop::collection::vec((-1_i64 << 23..1 << 23, 0.0..1.0_f64), 1..9),
        ) {
            #[expect(clippy::cast_possible_truncation, reason = "an exponent")]
            let among = |place: f64, (least, most): (i32, i32)| {
                least + (place * f64::from(most - least)) as i32
            };
            let of = |range| spread.iter().map(|&(value, place)| (value, among(place, range))).collect::<Vec<_>>();
            check::<f32>(len, among(place, (-149, 100)), tie, below, &of((-149, 100)));
            check::<f64>(len, among(place, (-1074, 969)), tie, below, &of((-1074, 969)));
        }
    }

    #[test]
    fn what_no_device_leaves_is_an_error_or_a_number() {
        assert_eq!(Digits::<f32>::mean([0; 8], 3).map(f32::to_bits), Ok(0));
        assert_eq!(Digits::<f64>::mean([0; 8], 3).map(f64::to_bits), Ok(0));
        for word in [0, 1, 31, 79, u32::MAX] {
            for seen in [1, 16, 33, 65, 97, u32::MAX] {
                let highest = [seen, word, word, word, word, word, word, word];
                for len in [1, 1 << 42, u64::MAX] {
                    let _ = (Digits::<f32>::mean(highest, len), Digits::<f64>::mean(highest, len));
                }
            }
        }
    }
}
