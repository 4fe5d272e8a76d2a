//! Magnitudes of sums, and their one rounding to a floating-point format.

use super::fixed::Limbs;
use super::format::Format;

/// An unsigned number in units of the least product of a sum's elements, the lowest limb first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Magnitude<L>(pub(super) L);

impl<L: Limbs> Magnitude<L> {
    /// Bits up to the highest that is set.
    pub(super) fn bit_len(&self) -> u32 {
        let widths = (1_u32..).zip(self.0.as_ref());
        let highest = widths.filter(|&(_, &limb)| limb != 0).last();
        highest.map_or(0, |(width, limb)| width * 64 - limb.leading_zeros())
    }

    /// The 64 bits from `bit` up; those below bit 0 are zeros.
    pub(super) fn bits_from(&self, bit: i32) -> u64 {
        let limb = |index: i32| {
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            self.0.as_ref().get(index).copied().unwrap_or(0)
        };
        let (index, shift) = (bit.div_euclid(64), bit.rem_euclid(64));
        // Two shifts, since one by 64 is none.
        (limb(index) >> shift) | ((limb(index + 1) << 1) << (63 - shift))
    }

    /// Whether any bit below `bit` is set.
    pub(super) fn any_below(&self, bit: i32) -> bool {
        (0_i32..).step_by(64).zip(self.0.as_ref()).any(|(first, &limb)| match bit - first {
            ..=0 => false,
            width @ 1..64 => limb << (64 - width) != 0,
            _ => limb != 0,
        })
    }

    /// Divides, and says whether a remainder is left.
    #[expect(clippy::cast_possible_truncation, reason = "remainder < divisor < 2^64")]
    pub(super) fn divide(mut self, divisor: u64) -> (Self, bool) {
        let divisor = u128::from(divisor.max(1));
        let mut remainder = 0;
        for limb in self.0.as_mut().iter_mut().rev() {
            let dividend = (remainder << 64) | u128::from(*limb);
            *limb = (dividend / divisor) as u64;
            remainder = dividend % divisor;
        }
        (self, remainder != 0)
    }

    /// The highest 64 bits of the square root, in units of 2 to a power, whether anything lies below them, and the power.
    pub(super) fn sqrt(&self, unit_exponent: i32) -> (Self, bool, i32) {
        // An even power of two, as the unit is; the highest bit is the 127th or 128th from it up.
        let lowest = self.bit_len().next_multiple_of(2).cast_signed() - 128;
        let window =
            u128::from(self.bits_from(lowest + 64)) << 64 | u128::from(self.bits_from(lowest));
        let root = window.isqrt();
        let mut limbs = L::ZERO;
        if let Some(limb) = limbs.as_mut().first_mut() {
            #[expect(clippy::cast_possible_truncation, reason = "a root of 128 bits has 64")]
            let word = root as u64;
            *limb = word;
        }
        let more = root * root != window || self.any_below(lowest);
        (Self(limbs), more, unit_exponent.midpoint(lowest))
    }

    /// The bits of the nearest number of a format, in units of 2 to a power; of two equally near ones, the even one. `more`
    /// says that something smaller than a unit was left off.
    pub(super) fn round(&self, more: bool, unit_exponent: i32, format: Format) -> u64 {
        let len = self.bit_len().cast_signed();
        if len == 0 {
            return 0; // and what was left off is far below half of any format's least number
        }
        // Where the last bit of the significand lies: set by the precision for normal numbers, by
        // the format's least number for subnormal ones.
        let least = format.least_exponent();
        let lowest = (len - format.precision.cast_signed()).max(least - unit_exponent);
        let significand = self.bits_from(lowest);
        let half = self.bits_from(lowest - 1) & 1 == 1;
        let beyond_half = more || self.any_below(lowest - 1);
        let up = half && (beyond_half || significand & 1 == 1);
        // One more than this is the exponent's field of a normal number, whose leading bit supplies
        // the one. So subnormal numbers need no case of their own, and rounding up carries into the
        // exponent, at the end into that of infinity.
        let field = u64::from((lowest + unit_exponent).abs_diff(least));
        let bits = (field << format.fraction_bits()) + significand + u64::from(up);
        bits.min(format.infinity())
    }
}

#[cfg(test)]
mod tests {
    use super::Magnitude;
    use crate::exact::format::Format;

    const LIMBS: usize = 10;
    const BINARY32: Format = Format::BINARY32;
    const BINARY64: Format = Format::BINARY64;

    fn with_bits(bits: &[usize]) -> Magnitude<[u64; LIMBS]> {
        let mut limbs = [0; LIMBS];
        for bit in bits {
            limbs[bit / 64] |= 1 << (bit % 64);
        }
        Magnitude(limbs)
    }

    #[test]
    fn windows_of_bits() {
        let magnitude = with_bits(&[0, 63, 64, 130, 639]);
        assert_eq!(magnitude.bit_len(), 640);
        assert_eq!(magnitude.bits_from(-64), 0);
        assert_eq!(magnitude.bits_from(-63), 1 << 63);
        assert_eq!(magnitude.bits_from(0), 1 | (1 << 63));
        assert_eq!(magnitude.bits_from(63), 3);
        assert_eq!(magnitude.bits_from(67), 1 << 63);
        assert_eq!(magnitude.bits_from(639), 1);
        assert_eq!(magnitude.bits_from(640), 0);
        assert!(!magnitude.any_below(0) && magnitude.any_below(1));
        for bit in 0..LIMBS * 64 {
            let (magnitude, at) = (with_bits(&[bit]), i32::try_from(bit).unwrap());
            assert_eq!(magnitude.bit_len(), u32::try_from(bit).unwrap() + 1);
            assert!(!magnitude.any_below(at) && magnitude.any_below(at + 1));
        }
    }

    #[test]
    fn powers_of_two() {
        for bit in 0..LIMBS * 64 {
            let exponent = i32::try_from(bit).unwrap() - 298;
            let magnitude = with_bits(&[bit]);
            let single =
                f32::from_bits(u32::try_from(magnitude.round(false, -298, BINARY32)).unwrap());
            let double = f64::from_bits(magnitude.round(false, -298, BINARY64));
            assert_eq!(double.to_bits(), 2.0_f64.powi(exponent).to_bits());
            #[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
            let expected = double as f32;
            assert_eq!(single.to_bits(), expected.to_bits(), "2^{exponent}");
        }
    }

    #[test]
    fn a_remainder_decides_a_tie() {
        // 1 + 2^-24, half-way between 1 and the next number.
        let tie = with_bits(&[298, 298 - 24]);
        assert_eq!(tie.round(false, -298, BINARY32), u64::from(1.0_f32.to_bits()));
        assert_eq!(with_bits(&[]).round(true, -298, BINARY32), 0);
        assert_eq!(with_bits(&[]).round(false, -298, BINARY64), 0);
        assert_eq!(tie.round(true, -298, BINARY32), u64::from(1.0_f32.to_bits()) + 1);
        assert_eq!(with_bits(&[3]).divide(3), (Magnitude([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]), true));
        assert_eq!(with_bits(&[64]).divide(1 << 63).0, with_bits(&[1]));
    }
}
