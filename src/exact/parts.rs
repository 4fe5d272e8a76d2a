//! The parts of an `f32`.

/// Bits of a fraction: a significand without its leading bit.
pub(super) const FRACTION_BITS: u32 = 23;

pub(super) const FRACTION: u32 = (1 << FRACTION_BITS) - 1;

/// A finite `f32` taken apart: `± significand · 2^(exponent − 150)`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    /// Below 2^24.
    pub(super) significand: u32,
    /// 1 to 254.
    pub(super) exponent: u32,
    pub(super) negative: bool,
}

/// The bit of a sum where the last bit of a significand with this exponent belongs: bit 149 is
/// 2^-149, of exponent 1.
pub(super) fn bit_of(exponent: u32) -> u32 {
    exponent + 148
}

impl Parts {
    pub(super) fn of(value: f32) -> Self {
        let bits = value.to_bits();
        let field = (bits >> FRACTION_BITS) & 0xFF;
        let leading = u32::from(field != 0);
        Self {
            significand: (bits & FRACTION) | (leading << FRACTION_BITS),
            // Subnormal numbers have the exponent of the least normal ones.
            exponent: field + 1 - leading,
            negative: bits >> 31 == 1,
        }
    }

    /// The bit of a sum where the last bit of the significand belongs.
    pub(super) fn bit(self) -> u32 {
        bit_of(self.exponent)
    }

    /// The exact product, signed, below 2^48 in magnitude, and the bit of a sum where it belongs.
    pub(super) fn times(self, other: Self) -> (i64, u32) {
        let product = (u64::from(self.significand) * u64::from(other.significand)).cast_signed();
        let product = if self.negative == other.negative { product } else { -product };
        (product, self.exponent + other.exponent - 2)
    }
}
