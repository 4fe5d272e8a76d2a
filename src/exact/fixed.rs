//! The digits: a signed fixed-point number that holds every product of two elements, and their sums.
//!
//! | bits from the lowest | `f32` | `f64` |
//! |---|---|---|
//! | the least product | 0: 2^-298 | 0: 2^-2148 |
//! | the least element | 149: 2^-149 | 1074: 2^-1074 |
//! | the largest element is below | 426: 2^128 | 3172: 2^1024 |
//! | the largest product is below | 554: 2^256 | 4196: 2^2048 |
//! | 2^64 of them are below | 618 | 4260 |
//! | the sign | 639 | 4287 |

use super::magnitude::Magnitude;
use std::fmt::Debug;
use std::hash::Hash;
use std::iter::zip;

/// An array of 64-bit limbs.
pub trait Limbs: AsRef<[u64]> + AsMut<[u64]> + Copy + Eq + Hash + Debug + Send + Sync {
    const ZERO: Self;
}

impl<const N: usize> Limbs for [u64; N] {
    const ZERO: Self = [0; N];
}

/// Two's complement, the lowest limb first. A number has one representation only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Fixed<L>(pub(super) L);

impl<L: Limbs> Fixed<L> {
    pub(super) const ZERO: Self = Self(L::ZERO);

    /// Bits of the digits.
    pub(super) fn bits() -> u32 {
        let limbs = u32::try_from(L::ZERO.as_ref().len()).unwrap_or(0);
        64 * limbs
    }

    pub(super) fn is_negative(&self) -> bool {
        self.0.as_ref().last().is_some_and(|top| top >> 63 == 1)
    }

    /// Adds modulo 2 to as many bits as there are.
    pub(super) fn add(&mut self, other: &Self) {
        let mut carry = false;
        for (limb, &word) in zip(self.0.as_mut(), other.0.as_ref()) {
            add_limb(limb, word, &mut carry);
        }
    }

    /// Adds `value · 2^bit`, likewise.
    #[expect(clippy::cast_possible_truncation, reason = "words are cut out of wider numbers")]
    pub(super) fn add_shifted(&mut self, value: i128, bit: u32) {
        let (first, shift) = (bit / 64, bit % 64);
        let low = (value << shift).cast_unsigned();
        // Two shifts, since one by 128 is none.
        let high = ((value >> 64) >> (64 - shift)).cast_unsigned();
        let negative = value < 0;

        let mut limbs = self.0.as_mut().iter_mut().skip(first as usize);
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
    pub(super) fn magnitude(&self) -> Magnitude<L> {
        let mut limbs = self.0;
        let mut carry = self.is_negative();
        if carry {
            for limb in limbs.as_mut() {
                *limb = !*limb;
                add_limb(limb, 0, &mut carry);
            }
        }
        Magnitude(limbs)
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
    use num_bigint::BigInt;

    const LIMBS: usize = 10;

    type Fixed = super::Fixed<[u64; LIMBS]>;

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
        assert_eq!(fixed.0, [u64::MAX; LIMBS]);
        fixed.add_shifted(1, 0);
        assert_eq!(fixed, Fixed::ZERO);
        fixed.add_shifted(1, 638);
        fixed.add_shifted(-1, 0);
        assert_eq!(value(&fixed), (BigInt::from(1) << 638) - 1);
        fixed.add(&fixed.clone());
        assert_eq!(value(&fixed), (BigInt::from(1) << 639) - 2);
    }
}
