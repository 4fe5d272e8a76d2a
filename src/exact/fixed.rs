//! The digits: a signed fixed-point number that holds every product of two `f32`, and their sums.
//!
//! | bits from the lowest | what needs them |
//! |---|---|
//! | 0 | the least product: 2^-149 · 2^-149 = 2^-298 |
//! | 149 | the least `f32`: 2^-149 |
//! | up to 425 | the largest `f32`, below 2^128 |
//! | up to 553 | the largest product, below 2^256 |
//! | up to 617 | 2^64 of them |
//! | 639 | the sign |

use super::magnitude::Magnitude;
use std::iter::zip;

/// Bits of the digits.
pub(super) const BITS: u32 = 640;

/// 64-bit limbs of the digits.
pub(super) const LIMBS: usize = (BITS / 64) as usize;

/// The lowest bit stands for 2 to this power.
pub(super) const UNIT_EXPONENT: i32 = -298;

/// Every element lies below 2 to this power, in units of the lowest bit.
pub(super) const ELEMENT_BITS: u32 = 554;

/// Two's complement, the lowest limb first. A number has one representation only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Fixed(pub(super) [u64; LIMBS]);

impl Fixed {
    pub(super) const ZERO: Self = Self([0; LIMBS]);

    pub(super) fn is_negative(&self) -> bool {
        let [.., top] = self.0;
        top >> 63 == 1
    }

    /// Adds modulo 2^640.
    pub(super) fn add(&mut self, other: &Self) {
        let mut carry = false;
        for (limb, &word) in zip(&mut self.0, &other.0) {
            add_limb(limb, word, &mut carry);
        }
    }

    /// Adds `value · 2^bit` modulo 2^640.
    #[expect(clippy::cast_possible_truncation, reason = "words are cut out of wider numbers")]
    pub(super) fn add_shifted(&mut self, value: i128, bit: u32) {
        let (first, shift) = (bit / 64, bit % 64);
        let low = (value << shift).cast_unsigned();
        // Two shifts, since one by 128 is none.
        let high = ((value >> 64) >> (64 - shift)).cast_unsigned();
        let negative = value < 0;

        let mut limbs = self.0.iter_mut().skip(first as usize);
        let mut carry = false;
        for (word, limb) in zip([low as u64, (low >> 64) as u64, high as u64], limbs.by_ref()) {
            add_limb(limb, word, &mut carry);
        }
        // Above lies the sign: all zeros, or all ones, which a carry turns into zeros.
        let sign = if negative { u64::MAX } else { 0 };
        for limb in limbs {
            if carry == negative {
                return;
            }
            add_limb(limb, sign, &mut carry);
        }
    }

    /// The absolute value.
    pub(super) fn magnitude(&self) -> Magnitude {
        if !self.is_negative() {
            return Magnitude(self.0);
        }
        let mut negated = self.0.map(|limb| !limb);
        let mut carry = true;
        for limb in &mut negated {
            add_limb(limb, 0, &mut carry);
        }
        Magnitude(negated)
    }
}

/// Adds `word` and the carry to `limb`; `carry` becomes the carry out of it.
fn add_limb(limb: &mut u64, word: u64, carry: &mut bool) {
    let (sum, over) = limb.overflowing_add(word);
    let (sum, over_by_carry) = sum.overflowing_add(u64::from(*carry));
    *limb = sum;
    *carry = over || over_by_carry;
}

#[cfg(test)]
mod tests {
    use super::{Fixed, LIMBS};
    use num_bigint::BigInt;

    fn value(fixed: &Fixed) -> BigInt {
        let bytes: Vec<u8> = fixed.0.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        BigInt::from_signed_bytes_le(&bytes)
    }

    /// What 640 bits make of a number.
    fn wrapped(number: &BigInt) -> BigInt {
        let modulus = BigInt::from(1) << (64 * LIMBS);
        let residue = ((number % &modulus) + &modulus) % &modulus;
        if residue.bit(639) { residue - modulus } else { residue }
    }

    #[test]
    fn shifted_values_of_every_width_at_every_bit() {
        let values = [0, 1, -1, 0xFF_FFFF, -0xFF_FFFF, i128::from(i64::MIN), i128::MAX, i128::MIN];
        for bit in 0..700 {
            for value_1 in values {
                for value_2 in values {
                    let mut fixed = Fixed::ZERO;
                    fixed.add_shifted(value_1, bit);
                    let first = wrapped(&(BigInt::from(value_1) << bit));
                    assert_eq!(value(&fixed), first, "{value_1} << {bit}");
                    // And on top of it at a place where carries and borrows run far.
                    fixed.add_shifted(value_2, bit / 2);
                    let both = wrapped(&(first + (BigInt::from(value_2) << (bit / 2))));
                    assert_eq!(value(&fixed), both, "{value_1} << {bit}, {value_2} << half of it");
                    let magnitude = BigInt::from_bytes_le(
                        num_bigint::Sign::Plus,
                        &fixed.magnitude().0.map(u64::to_le_bytes).concat(),
                    );
                    assert_eq!(magnitude, if both < BigInt::ZERO { -both } else { both });
                }
            }
        }
    }

    #[test]
    fn carries_and_borrows_run_through_all_limbs() {
        let mut fixed = Fixed::ZERO;
        fixed.add_shifted(-1, 0);
        assert_eq!(fixed, Fixed([u64::MAX; LIMBS]));
        fixed.add_shifted(1, 0);
        assert_eq!(fixed, Fixed::ZERO);
        fixed.add_shifted(1, 638);
        fixed.add_shifted(-1, 0);
        assert_eq!(value(&fixed), (BigInt::from(1) << 638) - 1);
        fixed.add(&fixed.clone());
        assert_eq!(value(&fixed), (BigInt::from(1) << 639) - 2);
    }
}
