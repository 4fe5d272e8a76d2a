//! What is right: sums in integers of arbitrary precision, rounded by looking for the nearest number.
//!
//! Nothing here is shared with the library. Numbers are decoded from their bits, and the rounding is a
//! bisection over the bits of the format, which are in the order of the numbers.

use super::cases::Float;
use num_bigint::{BigInt, BigUint, Sign};
use std::marker::PhantomData;

/// The exact sum of what was added.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each says what has been seen")]
pub(crate) struct Oracle<T = f32> {
    /// In units of the least product of two numbers.
    sum: BigInt,
    pub(crate) count: u64,
    nan: bool,
    positive_infinity: bool,
    negative_infinity: bool,
    /// Something that is not −0.
    other_than_negative_zero: bool,
    elements: PhantomData<T>,
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

/// The format of elements.
fn format<T: Float>() -> &'static Format {
    if T::PRECISION == 24 { &SINGLE } else { &DOUBLE }
}

impl Format {
    /// The least number is 2 to minus this power.
    fn unit(&self) -> u64 {
        self.bias + self.fraction_bits - 1
    }

    /// The positive number with these bits, in units of the least one; for those of infinity, what
    /// would come after the largest.
    fn number(&self, bits: u64) -> BigUint {
        let fraction = bits % (1 << self.fraction_bits);
        match bits >> self.fraction_bits {
            0 => BigUint::from(fraction),
            exponent => BigUint::from(fraction + (1 << self.fraction_bits)) << (exponent - 1),
        }
    }

    /// The bits of the number nearest to `numerator / denominator` units of 2 to minus a power.
    fn nearest(&self, numerator: &BigUint, denominator: &BigUint, power: u64) -> u64 {
        // In units of 2^-1 of the least number, so that midpoints are whole.
        let unit = self.unit() + 1;
        let (mut exact, mut scale) = (numerator.clone(), denominator.clone());
        if unit > power {
            exact <<= unit - power;
        } else {
            scale <<= power - unit;
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

impl<T> Default for Oracle<T> {
    fn default() -> Self {
        Self {
            sum: BigInt::ZERO,
            count: 0,
            nan: false,
            positive_infinity: false,
            negative_infinity: false,
            other_than_negative_zero: false,
            elements: PhantomData,
        }
    }
}

impl<T: Float> Oracle<T> {
    pub(crate) fn of(values: &[T]) -> Self {
        let mut oracle = Self::default();
        for &value in values {
            oracle.add(value);
        }
        oracle
    }

    pub(crate) fn of_products(left: &[T], right: &[T]) -> Self {
        let mut oracle = Self::default();
        for (&a, &b) in std::iter::zip(left, right) {
            oracle.add_product(a, b);
        }
        oracle
    }

    /// Adds `value` `times` times.
    pub(crate) fn add_repeatedly(&mut self, value: T, times: u64) {
        self.add(value);
        self.count += times - 1;
        self.sum += (finite(value) * (times - 1)) << format::<T>().unit();
    }

    pub(crate) fn add(&mut self, value: T) {
        let (bits, format) = (value.word(), format::<T>());
        self.count += 1;
        let magnitude = bits & !format.sign;
        if magnitude > format.infinity {
            self.nan = true;
        } else if magnitude < format.infinity {
            self.sum += finite(value) << format.unit();
        } else if bits == magnitude {
            self.positive_infinity = true;
        } else {
            self.negative_infinity = true;
        }
        self.other_than_negative_zero |= bits != format.sign;
    }

    pub(crate) fn add_product(&mut self, left: T, right: T) {
        self.count += 1;
        let format = format::<T>();
        let infinity = format.infinity;
        let (a, b) = (left.word() & !format.sign, right.word() & !format.sign);
        let negative = (left.word() ^ right.word()) & format.sign != 0;
        if a > infinity || b > infinity {
            self.nan = true;
        } else if a == infinity || b == infinity {
            self.nan |= a == 0 || b == 0;
            self.negative_infinity |= a != 0 && b != 0 && negative;
            self.positive_infinity |= a != 0 && b != 0 && !negative;
        } else {
            self.sum += finite(left) * finite(right);
        }
        self.other_than_negative_zero |= !(negative && (a == 0 || b == 0));
    }

    /// The bits of the rounded sum.
    pub(crate) fn rounded(&self) -> u64 {
        self.rounded_to(format::<T>(), 1)
    }

    /// The bits of the rounded mean.
    pub(crate) fn mean(&self) -> u64 {
        self.rounded_to(format::<T>(), self.count)
    }

    /// The bits of the rounded square root: the number whose square is nearest to the sum in that order.
    pub(crate) fn root(&self) -> u64 {
        let (format, rounded) = (format::<T>(), self.rounded());
        let is_zero = self.sum == BigInt::ZERO;
        if self.nan || self.negative_infinity || self.positive_infinity || is_zero {
            return if rounded == format.sign | format.infinity { format.nan } else { rounded };
        }
        if self.sum.sign() == Sign::Minus {
            return format.nan;
        }
        // A square in units of the least one is in those of the sum.
        let sum = self.sum.magnitude();
        let (mut below, mut above) = (0, format.infinity);
        while above - below > 1 {
            let middle = below.midpoint(above);
            if format.number(middle).pow(2) <= *sum { below = middle } else { above = middle }
        }
        match (sum * 4_u32).cmp(&(format.number(below) + format.number(above)).pow(2)) {
            std::cmp::Ordering::Less => below,
            std::cmp::Ordering::Greater => above,
            std::cmp::Ordering::Equal => below + below % 2,
        }
    }

    fn rounded_to(&self, format: &Format, divisor: u64) -> u64 {
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
            let power = 2 * self::format::<T>().unit();
            sign | format.nearest(self.sum.magnitude(), &BigUint::from(divisor), power)
        }
    }
}

impl Oracle {
    /// The bits of the rounded sum.
    pub(crate) fn single(&self) -> u32 {
        u32::try_from(self.rounded()).expect("a single has 32 bits")
    }

    /// The bits of the sum rounded to `f64`.
    pub(crate) fn double(&self) -> u64 {
        self.rounded_to(&DOUBLE, 1)
    }
}

/// A finite number in units of the least one.
fn finite<T: Float>(value: T) -> BigInt {
    let format = format::<T>();
    let magnitude = format.number(value.word() & !format.sign);
    let sign = if value.word() & format.sign != 0 { Sign::Minus } else { Sign::Plus };
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
    let double = |values: &[f64]| f64::from_bits(Oracle::of(values).rounded());
    assert_eq!(double(&[0.1, 0.2]).to_bits(), 0x3FD3_3333_3333_3334);
    assert_eq!(double(&[9_007_199_254_740_992.0, 1.0]), 9_007_199_254_740_992.0);
    assert_eq!(double(&[9_007_199_254_740_992.0, 3.0]), 9_007_199_254_740_996.0);
    assert_eq!(double(&[f64::MAX, f64::MAX, -f64::MAX, 5e-324]), f64::MAX);
    assert_eq!(double(&[1e300, 5e-324, -1e300]).to_bits(), 1);
    assert_eq!(Oracle::of(&[1.0_f64, 0.0, 0.0]).mean(), (1.0_f64 / 3.0).to_bits());
    for value in [1.0_f32, -3.5e-45, 1e-40, 3e38, f32::MIN_POSITIVE] {
        assert_eq!(Oracle::of(&[value]).single(), value.to_bits());
        assert_eq!(Oracle::of(&[value]).double(), f64::from(value).to_bits());
        let square = f64::from(value) * f64::from(value);
        assert_eq!(Oracle::of_products(&[value], &[value]).double(), square.to_bits());
    }
    // 1/3, and half of the least number: a tie that goes to 0.
    assert_eq!(Oracle::of(&[1.0_f32, 0.0, 0.0]).mean(), u64::from((1.0_f32 / 3.0).to_bits()));
    assert_eq!(Oracle::of(&[f32::from_bits(1), 0.0]).mean(), 0);
    assert_eq!(Oracle::of(&[f32::from_bits(3), 0.0]).mean(), 2);
}
