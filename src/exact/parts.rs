//! The parts of an element.

use super::format::Binary;

/// A finite element taken apart: `± significand · 2^(exponent − 1)` in units of the least positive one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    /// Of as many bits as the format has.
    pub(super) significand: u64,
    /// The exponent's field; from 1 on.
    pub(super) exponent: u32,
    pub(super) negative: bool,
}

/// The bit of a sum where the last bit of a significand with this exponent belongs.
pub(super) fn bit_of<T: Binary>(exponent: u32) -> u32 {
    exponent + T::FORMAT.least_exponent().unsigned_abs() - 1
}

impl Parts {
    #[expect(clippy::cast_possible_truncation, reason = "an exponent has 11 bits at most")]
    pub(super) fn of<T: Binary>(value: T) -> Self {
        let (bits, format) = (value.into_word(), T::FORMAT);
        let field = (bits >> format.fraction_bits()) as u32 & format.top_field();
        let leading = u32::from(field != 0);
        Self {
            significand: (bits & format.fraction())
                | (u64::from(leading) << format.fraction_bits()),
            // Subnormal numbers have the exponent of the least normal ones.
            exponent: field + 1 - leading,
            negative: bits & format.sign() != 0,
        }
    }

    /// The exact product, signed, and the bit of a sum where it belongs.
    pub(super) fn times<T: Binary>(self, other: Self) -> (T::Product, u32) {
        let product = T::multiplied(self.significand, other.significand);
        let product = if self.negative == other.negative { product } else { -product };
        (product, self.exponent + other.exponent - 2)
    }
}
