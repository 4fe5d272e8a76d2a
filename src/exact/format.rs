//! The formats whose sums are exact, and all that follows from them.

use super::fixed::Limbs;
use super::sums::Bin as SumBin;
use crate::op::element::Element;
use std::fmt::Debug;
use std::ops::{AddAssign, Neg};

/// An element type of exact sums: `f32` and `f64`.
///
/// ```
/// use wgpu_reduce::{ExactElement, ExactSum};
///
/// fn total<T: ExactElement>(values: &[T]) -> T {
///     let mut sum = ExactSum::new();
///     sum.add_slice(values);
///     sum.round()
/// }
/// assert_eq!((total(&[1e30_f32, 1.0, -1e30]), total(&[1e300, 1.0, -1e300])), (1.0, 1.0));
/// ```
///
/// Sealed: a sum has room for the products of two such elements, and no others.
pub trait ExactElement: Element + Binary {}

impl ExactElement for f32 {}
impl ExactElement for f64 {}

/// What the digits of a sum know of their elements. Its names are those of no method that a number has, since whoever asks for
/// [`ExactElement`] sees them.
#[doc(hidden)]
pub trait Binary: Copy + PartialEq + Debug + 'static {
    /// The digits of a sum: an array that has room for 2^64 products, and a sign.
    type Limbs: Limbs;
    /// A number with room for many fractions, and their count.
    type Bin: SumBin;
    /// A number with room for many products of two significands.
    type Product: Copy + Default + AddAssign + Neg<Output = Self::Product> + Into<i128>;

    const FORMAT: Format;
    /// Fewer elements than this are quicker one by one than in bins, which must be cleared and gathered.
    const WORTH_BINS: usize;
    /// As many products as a bin of them takes.
    const PRODUCTS: usize;

    fn into_word(self) -> u64;
    fn from_word(word: u64) -> Self;

    /// Multiplies two significands.
    fn multiplied(left: u64, right: u64) -> Self::Product;
}

/// A binary format of IEEE 754.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Bits of a significand, the leading one included.
    pub(super) precision: u32,
    pub(super) exponent_bits: u32,
}

impl Format {
    pub(super) const BINARY32: Self = Self { precision: 24, exponent_bits: 8 };
    pub(super) const BINARY64: Self = Self { precision: 53, exponent_bits: 11 };

    /// Bits of a fraction: a significand without its leading bit.
    pub(super) const fn fraction_bits(self) -> u32 {
        self.precision - 1
    }

    pub(super) const fn fraction(self) -> u64 {
        (1 << self.fraction_bits()) - 1
    }

    /// The exponent's field of infinities and NaN.
    pub(super) const fn top_field(self) -> u32 {
        (1 << self.exponent_bits) - 1
    }

    /// Bits of −0.
    pub(super) const fn sign(self) -> u64 {
        1 << (self.fraction_bits() + self.exponent_bits)
    }

    /// Bits of infinity.
    pub(super) const fn infinity(self) -> u64 {
        (self.top_field() as u64) << self.fraction_bits()
    }

    /// Bits of the NaN that sums are.
    pub(super) const fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction_bits() - 1)
    }

    /// Every number lies below 2 to this power.
    const fn range(self) -> i32 {
        1 << (self.exponent_bits - 1)
    }

    /// The least positive number is 2 to this power.
    pub(super) const fn least_exponent(self) -> i32 {
        3 - self.range() - self.precision.cast_signed()
    }

    /// The lowest bit of a sum's digits stands for 2 to this power: the least product of two numbers.
    pub(super) const fn unit_exponent(self) -> i32 {
        2 * self.least_exponent()
    }

    /// Every number and every product of two lies below 2 to this power, in units of the lowest bit.
    pub(super) const fn element_bits(self) -> u32 {
        (2 * self.range() - self.unit_exponent()).cast_unsigned()
    }
}

impl Binary for f32 {
    type Limbs = [u64; 10];
    type Bin = u64;
    type Product = i64;

    const FORMAT: Format = Format::BINARY32;
    const WORTH_BINS: usize = 256;
    // Each is below 2^48 in magnitude.
    const PRODUCTS: usize = 1 << 15;

    fn into_word(self) -> u64 {
        self.to_bits().into()
    }

    #[expect(clippy::cast_possible_truncation, reason = "the format has 32 bits")]
    fn from_word(word: u64) -> Self {
        Self::from_bits(word as u32)
    }

    fn multiplied(left: u64, right: u64) -> i64 {
        (left * right).cast_signed()
    }
}

impl Binary for f64 {
    type Limbs = [u64; 67];
    type Bin = u128;
    type Product = i128;

    const FORMAT: Format = Format::BINARY64;
    const WORTH_BINS: usize = 2048;
    // Each is below 2^106 in magnitude, and the lanes are added up.
    const PRODUCTS: usize = 1 << 18;

    fn into_word(self) -> u64 {
        self.to_bits()
    }

    fn from_word(word: u64) -> Self {
        Self::from_bits(word)
    }

    fn multiplied(left: u64, right: u64) -> i128 {
        i128::from(left) * i128::from(right)
    }
}

#[cfg(test)]
mod tests {
    use super::{Binary, Format};
    use crate::exact::fixed::Limbs;

    fn check<T: Binary>(least_exponent: i32, element_bits: u32) {
        let format = T::FORMAT;
        assert_eq!(format.least_exponent(), least_exponent);
        assert_eq!(format.element_bits(), element_bits);
        let bits = 64 * u32::try_from(T::Limbs::ZERO.as_ref().len()).unwrap();
        // 2^64 elements, and a sign.
        let needed = element_bits + 64 + 1;
        assert!((needed..needed + 64).contains(&bits));
    }

    #[test]
    fn formats_are_those_of_the_language() {
        check::<f32>(-149, 554);
        check::<f64>(-1074, 4196);
        let of_single = [f32::INFINITY, -0.0, f32::NAN].map(|value| u64::from(value.to_bits()));
        let of_double = [f64::INFINITY, -0.0, f64::NAN].map(f64::to_bits);
        for (format, bits) in [(Format::BINARY32, of_single), (Format::BINARY64, of_double)] {
            assert_eq!([format.infinity(), format.sign(), format.nan()], bits);
        }
    }
}
