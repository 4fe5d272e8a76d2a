//! What is right: sums in integers of arbitrary precision, rounded by looking for the nearest number.
//!
//! Nothing here is shared with the library. Numbers are decoded from their bits, and the rounding is a
//! bisection over the bits of the format, which are in the order of the numbers.

use num_bigint::{BigInt, BigUint, Sign};

/// The exact sum of what was added.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says what has been seen")]
pub(crate) struct Oracle {
    /// In units of 2^-298.
    sum: BigInt,
    pub(crate) count: u64,
    nan: bool,
    positive_infinity: bool,
    negative_infinity: bool,
    /// Something that is not −0.
    other_than_negative_zero: bool,
}

/// A binary format of IEEE 754 with bits of sign, exponent and fraction.
struct Format {
    fraction_bits: u64,
    bias: u64,
    infinity: u64,
    sign: u64,
    nan: u64,
}

const SINGLE: Format =
    Format { fraction_bits: 23, bias: 127, infinity: 0xFF << 23, sign: 1 << 31, nan: 0x7FC0_0000 };

const DOUBLE: Format = Format {
    fraction_bits: 52,
    bias: 1023,
    infinity: 0x7FF << 52,
    sign: 1 << 63,
    nan: 0x7FF8_0000_0000_0000,
};

impl Format {
    /// The positive number with these bits, in units of the least one; for those of infinity, what
    /// would come after the largest.
    fn number(&self, bits: u64) -> BigUint {
        let fraction = bits % (1 << self.fraction_bits);
        match bits >> self.fraction_bits {
            0 => BigUint::from(fraction),
            exponent => BigUint::from(fraction + (1 << self.fraction_bits)) << (exponent - 1),
        }
    }

    /// The bits of the number nearest to `numerator / denominator` units of 2^-298.
    fn nearest(&self, numerator: &BigUint, denominator: &BigUint) -> u64 {
        // In units of 2^-1 of the least number, so that midpoints are whole.
        let unit = self.bias + self.fraction_bits; // the least number is 2^(1 - unit)
        let (mut exact, mut scale) = (numerator.clone(), denominator.clone());
        if unit > 298 {
            exact <<= unit - 298;
        } else {
            scale <<= 298 - unit;
        }
        let at_most = |bits: u64| self.number(bits) * 2_u32 * &scale <= exact;

        let (mut below, mut above) = (0, self.infinity);
        if at_most(above) {
            return self.infinity;
        }
        while above - below > 1 {
            let middle = below.midpoint(above);
            if at_most(middle) { below = middle } else { above = middle }
        }
        let midpoint = (self.number(below) + self.number(above)) * &scale;
        match exact.cmp(&midpoint) {
            std::cmp::Ordering::Less => below,
            std::cmp::Ordering::Greater => above,
            std::cmp::Ordering::Equal => below + below % 2,
        }
    }
}

impl Oracle {
    pub(crate) fn of(values: &[f32]) -> Self {
        let mut oracle = Self::default();
        for &value in values {
            oracle.add(value);
        }
        oracle
    }

    pub(crate) fn of_products(left: &[f32], right: &[f32]) -> Self {
        let mut oracle = Self::default();
        for (&a, &b) in std::iter::zip(left, right) {
            oracle.add_product(a, b);
        }
        oracle
    }

    /// Adds `value` `times` times.
    pub(crate) fn add_repeatedly(&mut self, value: f32, times: u64) {
        self.add(value);
        self.count += times - 1;
        self.sum += (finite(value) * (times - 1)) << 149_u32;
    }

    pub(crate) fn add(&mut self, value: f32) {
        let bits = value.to_bits();
        self.count += 1;
        match bits {
            0x7F80_0000 => self.positive_infinity = true,
            0xFF80_0000 => self.negative_infinity = true,
            _ if bits & 0x7FFF_FFFF > 0x7F80_0000 => self.nan = true,
            _ => self.sum += finite(value) << 149_u32,
        }
        self.other_than_negative_zero |= bits != 0x8000_0000;
    }

    pub(crate) fn add_product(&mut self, left: f32, right: f32) {
        self.count += 1;
        let (a, b) = (left.to_bits() & 0x7FFF_FFFF, right.to_bits() & 0x7FFF_FFFF);
        let negative = (left.to_bits() ^ right.to_bits()) >> 31 == 1;
        if a > 0x7F80_0000 || b > 0x7F80_0000 {
            self.nan = true;
        } else if a == 0x7F80_0000 || b == 0x7F80_0000 {
            self.nan |= a == 0 || b == 0;
            self.negative_infinity |= a != 0 && b != 0 && negative;
            self.positive_infinity |= a != 0 && b != 0 && !negative;
        } else {
            self.sum += finite(left) * finite(right);
        }
        self.other_than_negative_zero |= !(negative && (a == 0 || b == 0));
    }

    /// The bits of the rounded sum.
    pub(crate) fn single(&self) -> u32 {
        u32::try_from(self.rounded(&SINGLE, 1)).expect("a single has 32 bits")
    }

    /// The bits of the sum rounded to `f64`.
    pub(crate) fn double(&self) -> u64 {
        self.rounded(&DOUBLE, 1)
    }

    /// The bits of the rounded mean.
    pub(crate) fn mean(&self) -> u32 {
        u32::try_from(self.rounded(&SINGLE, self.count)).expect("a single has 32 bits")
    }

    fn rounded(&self, format: &Format, divisor: u64) -> u64 {
        if self.nan || self.positive_infinity && self.negative_infinity {
            format.nan
        } else if self.positive_infinity {
            format.infinity
        } else if self.negative_infinity {
            format.sign | format.infinity
        } else if self.sum == BigInt::ZERO {
            if self.count > 0 && !self.other_than_negative_zero { format.sign } else { 0 }
        } else {
            let sign = if self.sum.sign() == Sign::Minus { format.sign } else { 0 };
            sign | format.nearest(self.sum.magnitude(), &BigUint::from(divisor))
        }
    }
}

/// A finite number in units of 2^-149.
fn finite(value: f32) -> BigInt {
    let magnitude = SINGLE.number(u64::from(value.to_bits() & 0x7FFF_FFFF));
    let sign = if value.to_bits() >> 31 == 1 { Sign::Minus } else { Sign::Plus };
    BigInt::from_biguint(sign, magnitude)
}

/// The oracle itself, by numbers worked out by hand.
#[test]
fn the_oracle_is_right_where_the_answer_is_known() {
    let single = |values: &[f32]| f32::from_bits(Oracle::of(values).single());
    assert_eq!(single(&[0.1, 0.2]).to_bits(), 0x3E99_999A);
    assert_eq!(single(&[1.0, -1.0]).to_bits(), 0);
    assert_eq!(single(&[-0.0, -0.0]).to_bits(), 0x8000_0000);
    assert_eq!(single(&[]).to_bits(), 0);
    assert_eq!(single(&[16_777_216.0, 1.0]), 16_777_216.0);
    assert_eq!(single(&[16_777_216.0, 3.0]), 16_777_220.0);
    assert_eq!(single(&[f32::MAX, 1e31]), f32::MAX);
    assert_eq!(single(&[f32::MAX, f32::from_bits(0x7300_0000)]), f32::INFINITY);
    assert_eq!(single(&[f32::MAX, f32::from_bits(0x72FF_FFFF)]), f32::MAX);
    assert_eq!(Oracle::of(&[f32::NAN]).single(), 0x7FC0_0000);
    for value in [1.0_f32, -3.5e-45, 1e-40, 3e38, f32::MIN_POSITIVE] {
        assert_eq!(Oracle::of(&[value]).single(), value.to_bits());
        assert_eq!(Oracle::of(&[value]).double(), f64::from(value).to_bits());
        let square = f64::from(value) * f64::from(value);
        assert_eq!(Oracle::of_products(&[value], &[value]).double(), square.to_bits());
    }
    // 1/3, and half of the least number: a tie that goes to 0.
    assert_eq!(Oracle::of(&[1.0, 0.0, 0.0]).mean(), (1.0_f32 / 3.0).to_bits());
    assert_eq!(Oracle::of(&[f32::from_bits(1), 0.0]).mean(), 0);
    assert_eq!(Oracle::of(&[f32::from_bits(3), 0.0]).mean(), 2);
}
