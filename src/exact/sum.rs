//! The exact sum as a type.

use super::class::Class;
use super::fixed::Fixed;
use super::format::{ExactElement, Format};
use super::parts::{Parts, bit_of};
use super::{bytes, products, sums};
use crate::error::{Error, Result};
use std::iter::zip;

/// The exact sum of `f32` or `f64` values, and of products of two; rounded when it is asked for.
///
/// The sum is a fixed-point number, of 640 bits for `f32` and 4288 for `f64`. It covers every element and every product of two, so
/// that an addition loses nothing. Its value does not depend on the order of the elements, nor on how
/// they are split into parts that are [merged](Self::merge): the result has the same bits on every
/// machine. `==` compares count and exact value, and equal sums have equal
/// [bytes](Self::to_bytes).
///
/// ```
/// use wgpu_reduce::ExactSum;
///
/// let numbers = [1e30_f32, 1.0, -1e30, 1e-45];
/// let mut sum = ExactSum::new();
/// sum.add_slice(&numbers);
/// assert_eq!(sum.round(), 1.0);
///
/// let (front, back) = numbers.split_at(2);
/// let mut parts: ExactSum = back.iter().collect();
/// parts.merge(&front.iter().collect());
/// assert_eq!(parts, sum);
///
/// sum += -1.0;
/// assert_eq!(sum.round().to_bits(), 1);
///
/// assert_eq!(ExactSum::<f64>::from_iter([1e300, 1.0, -1e300]).round(), 1.0);
/// ```
///
/// | elements | sum |
/// |---|---|
/// | none | +0 |
/// | only −0 | −0 |
/// | finite, and their exact sum is 0 | +0 |
/// | finite | the exact sum, rounded once; to an infinity only if it lies beyond the format's range itself |
/// | +inf or −inf among them, but not both, and no NaN | that infinity |
/// | both infinities, or a NaN | NaN, with the bits `0x7FC0_0000` (`f64`: `0x7FF8_0000_0000_0000`) |
///
/// `ExactSum` as a type is that of `f32`. Where nothing but literals says of what a sum is, as in `ExactSum::from_iter([0.1, 0.2])`,
/// it is of `f64`, as literals are.
///
/// A product counts as one element. It is infinite, NaN (also as 0 · inf) or −0 as IEEE 754 says, and
/// otherwise exact: nothing overflows or underflows.
///
/// There is room for 2^64 − 1 elements, whatever they are. Of more the sum is NaN.
///
/// The method is Kulisch's long accumulator, with bins by exponent for slices as in Neal's *Fast Exact
/// Summation Using Small and Large Superaccumulators* (2015); `docs/exact.md` in the repository says
/// more.
pub struct ExactSum<T: ExactElement = f32> {
    /// Zero unless the class is finite; in magnitude below `count` of what lies beyond every product.
    pub(super) total: Fixed<T::Limbs>,
    /// Zero if and only if the class is empty.
    pub(super) count: u64,
    pub(super) class: Class,
}

/// A part of a sum: `value · 2^exponent`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bin {
    pub(crate) value: i128,
    pub(crate) exponent: i32,
}

impl<T: ExactElement> ExactSum<T> {
    /// The sum of no elements: +0, of which there is no mean.
    ///
    /// ```
    /// use wgpu_reduce::{Error, ExactSum};
    ///
    /// let sum = ExactSum::<f32>::new();
    /// assert_eq!((sum.round().to_bits(), sum.count()), (0, 0));
    /// assert_eq!(sum.mean(), Err(Error::Empty { operation: "mean" }));
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { total: Fixed::ZERO, count: 0, class: Class::Empty }
    }

    /// Adds one element. [`add_slice`](Self::add_slice) is quicker for many.
    ///
    /// ```
    /// let mut sum = wgpu_reduce::ExactSum::new();
    /// for value in [1e30_f32, 1.0, -1e30] {
    ///     sum.add(value);
    /// }
    /// assert_eq!((sum.round(), sum.count()), (1.0, 3));
    /// ```
    pub fn add(&mut self, value: T) {
        let parts = Parts::of(value);
        let significand = i128::from(parts.significand);
        let signed = if parts.negative { -significand } else { significand };
        self.take(1, Class::of(value), signed, bit_of::<T>(parts.exponent));
    }

    /// Adds every element of a slice.
    ///
    /// ```
    /// use wgpu_reduce::ExactSum;
    ///
    /// let mut sum = ExactSum::new();
    /// sum.add_slice(&[f32::MAX; 1000]);
    /// assert_eq!(sum.round(), f32::INFINITY);
    /// sum.add_slice(&[-f32::MAX; 999]);
    /// assert_eq!(sum.round(), f32::MAX);
    /// ```
    pub fn add_slice(&mut self, values: &[T]) {
        if values.len() < T::WORTH_BINS {
            return values.iter().for_each(|&value| self.add(value));
        }
        sums::add_slice(values, self);
    }

    /// Adds the exact product of two numbers, as one element.
    ///
    /// ```
    /// let mut sum = wgpu_reduce::ExactSum::<f32>::new();
    /// // Neither is an f32.
    /// sum.add_product(3e38, 2e38);
    /// sum.add_product(-3e38, 2e38);
    /// sum.add_product(1e-30, 1e-30);
    /// assert_eq!(sum.round_f64(), f64::from(1e-30_f32) * f64::from(1e-30_f32));
    /// ```
    pub fn add_product(&mut self, left: T, right: T) {
        let (product, bit) = Parts::of(left).times::<T>(Parts::of(right));
        self.take(1, Class::of_product(left, right), product.into(), bit);
    }

    /// Adds the exact products of the elements of two slices: their dot product.
    ///
    /// ```
    /// use wgpu_reduce::ExactSum;
    ///
    /// let mut dot = ExactSum::<f32>::new();
    /// dot.add_products(&[3e38, 1e-40, -3e38], &[2e38, 1e-40, 2e38])?;
    /// assert_eq!(dot.round_f64(), f64::from(1e-40_f32) * f64::from(1e-40_f32));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if one slice is longer than the other; nothing is added then.
    pub fn add_products(&mut self, left: &[T], right: &[T]) -> Result<()> {
        if left.len() != right.len() {
            let (left, right) = (left.len() as u64, right.len() as u64);
            return Err(Error::LengthMismatch { left, right });
        }
        if left.len() < T::WORTH_BINS {
            zip(left, right).for_each(|(&a, &b)| self.add_product(a, b));
            return Ok(());
        }
        products::add_slices(left, right, self);
        Ok(())
    }

    /// Adds all that another sum consists of.
    ///
    /// ```
    /// use wgpu_reduce::ExactSum;
    ///
    /// let halves = [[0.1_f32, 0.2], [0.3, 0.4]].map(ExactSum::from_iter);
    /// let mut sum = ExactSum::new();
    /// halves.iter().for_each(|half| sum.merge(half));
    /// assert_eq!(sum, ExactSum::from_iter([0.4_f32, 0.3, 0.2, 0.1]));
    /// ```
    pub fn merge(&mut self, other: &Self) {
        self.total.add(&other.total);
        self.note(other.count, other.class);
    }

    /// Elements and products added; 2^64 − 1 also stands for more.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The nearest number of the elements' type; of two equally near ones, the one whose last bit is 0.
    ///
    /// ```
    /// use wgpu_reduce::ExactSum;
    ///
    /// let tie = [16_777_216.0_f32, 1.0]; // 2^24 + 1 lies half-way between two f32
    /// assert_eq!(ExactSum::from_iter(tie).round(), 16_777_216.0);
    /// let more = [16_777_216.0_f32, 1.0, 1e-45];
    /// assert_eq!(ExactSum::from_iter(more).round(), 16_777_218.0);
    /// assert_eq!(ExactSum::<f64>::new().round(), 0.0);
    /// ```
    #[must_use]
    pub fn round(&self) -> T {
        self.quotient(1)
    }

    /// The exact sum divided by the number of elements, rounded once as by [`round`](Self::round).
    ///
    /// ```
    /// use wgpu_reduce::ExactSum;
    ///
    /// // Their sum is beyond the range of f32, their mean is not.
    /// assert_eq!(ExactSum::from_iter([f32::MAX, f32::MAX]).mean()?, f32::MAX);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there are no elements.
    pub fn mean(&self) -> Result<T> {
        if self.count == 0 {
            return Err(Error::Empty { operation: "mean" });
        }
        Ok(self.quotient(self.count))
    }

    /// The square root of the exact sum, rounded once as by [`round`](Self::round): of the squares of elements it is their
    /// Euclidean norm, which neither overflows nor underflows on the way. Of −0 it is −0, of a sum below 0 it is NaN.
    ///
    /// ```
    /// use wgpu_reduce::ExactSum;
    ///
    /// let numbers = [3e-200_f64, 4e-200];
    /// let mut squares = ExactSum::new();
    /// squares.add_products(&numbers, &numbers)?;
    /// assert_eq!((squares.sqrt(), squares.round()), (5e-200, 0.0));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// On a GPU `reduce(DotExact, (&x, &x)).unrounded()` makes the sum of the squares.
    #[must_use]
    pub fn sqrt(&self) -> T {
        let format = T::FORMAT;
        let bits = match self.class {
            Class::Finite if !self.total.is_negative() => {
                let (root, more, unit) = self.total.magnitude().sqrt(format.unit_exponent());
                root.round(more, unit, format)
            }
            Class::Finite | Class::NegativeInfinity => format.nan(),
            _ => self.bits(1, format),
        };
        T::from_word(bits)
    }

    /// The sum as bytes, to be kept or sent: version, class, element type, count and all digits. For `f32` they are 96, for `f64`
    /// 552. Equal sums have equal bytes. There is no checksum in them.
    ///
    /// ```
    /// use wgpu_reduce::ExactSum;
    ///
    /// let sum = ExactSum::from_iter([0.1_f32, 0.2]);
    /// assert_eq!(ExactSum::from_bytes(&sum.to_bytes())?, sum);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes::write(self)
    }

    /// The sum that [`to_bytes`](Self::to_bytes) wrote, on whatever machine: the canonical form of a sum within the bound
    /// for its count.
    ///
    /// ```
    /// use wgpu_reduce::{Error, ExactSum};
    ///
    /// let mut bytes = ExactSum::from_iter([0.1_f32, 0.2]).to_bytes();
    /// assert_eq!(bytes.len(), 96);
    /// assert_eq!(ExactSum::<f32>::from_bytes(&bytes)?.round(), 0.3);
    /// bytes.pop();
    /// assert!(matches!(ExactSum::<f32>::from_bytes(&bytes), Err(Error::InvalidBytes { .. })));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBytes`] for anything else: of another length, version or element type, of a sum beyond what so many products
    /// can have, or otherwise contradictory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        bytes::read(bytes)
    }

    /// The sum of `count` elements, of whose finite ones bins are known: in any form, overlapping or
    /// not, and of whatever intermediate size. The error says how they contradict each other.
    pub(crate) fn from_bins(
        count: u64,
        class: Class,
        bins: impl IntoIterator<Item = Bin>,
    ) -> std::result::Result<Self, &'static str> {
        if (count == 0) != (class == Class::Empty) {
            return Err("the class contradicts the count");
        }
        let mut sum = Self::new();
        for Bin { value, exponent } in bins {
            match u32::try_from(i64::from(exponent) - i64::from(T::FORMAT.unit_exponent())) {
                Ok(bit) if bit < Fixed::<T::Limbs>::bits() => sum.total.add_shifted(value, bit),
                _ if value == 0 => {}
                _ => return Err("digits outside the range of an exact sum"),
            }
        }
        sum.note(count, class);
        let (magnitude, element_bits) = (sum.total.magnitude(), T::FORMAT.element_bits());
        if class < Class::Finite && sum.total != Fixed::ZERO {
            Err("the class contradicts the digits")
        } else if magnitude.bit_len() > element_bits + u64::BITS
            || magnitude.bits_from(element_bits.cast_signed()) >= count.max(1)
        {
            Err("the sum is larger than so many elements can have")
        } else {
            Ok(sum)
        }
    }

    pub(crate) const fn class(&self) -> Class {
        self.class
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.total.is_negative()
    }

    /// The 64 bits of the magnitude from 2 to an exponent up.
    pub(crate) fn magnitude_from(&self, exponent: i32) -> u64 {
        self.total.magnitude().bits_from(exponent - T::FORMAT.unit_exponent())
    }

    /// Whether the magnitude is at least 2 to an exponent.
    pub(crate) fn has_from(&self, exponent: i32) -> bool {
        self.total.magnitude().bit_len().cast_signed() > exponent - T::FORMAT.unit_exponent()
    }

    /// Whether the magnitude has bits below 2 to an exponent.
    pub(crate) fn has_below(&self, exponent: i32) -> bool {
        self.total.magnitude().any_below(exponent - T::FORMAT.unit_exponent())
    }

    /// Adds `count` elements of a class, which together are `value · 2^bit` units.
    pub(super) fn take(&mut self, count: u64, class: Class, value: i128, bit: u32) {
        self.total.add_shifted(value, bit);
        self.note(count, class);
    }

    /// Counts elements whose digits have been added.
    fn note(&mut self, count: u64, class: Class) {
        self.class = self.class.join(class);
        self.count = self.count.checked_add(count).unwrap_or_else(|| {
            self.class = Class::Nan;
            u64::MAX
        });
        // Digits that no longer matter must not tell one order of additions from another.
        if self.class > Class::Finite {
            self.total = Fixed::ZERO;
        }
    }

    fn quotient(&self, divisor: u64) -> T {
        T::from_word(self.bits(divisor, T::FORMAT))
    }

    /// The bits of the sum divided by `divisor`, rounded once to a format.
    fn bits(&self, divisor: u64, format: Format) -> u64 {
        match self.class {
            Class::Empty => 0,
            Class::NegativeZeros => format.sign(),
            Class::Finite => {
                let (quotient, more) = self.total.magnitude().divide(divisor);
                let sign = if self.total.is_negative() { format.sign() } else { 0 };
                sign | quotient.round(more, T::FORMAT.unit_exponent(), format)
            }
            Class::PositiveInfinity => format.infinity(),
            Class::NegativeInfinity => format.sign() | format.infinity(),
            Class::Nan => format.nan(),
        }
    }
}

impl ExactSum<f32> {
    /// The nearest `f64`; of two equally near ones, the one whose last bit is 0. It is infinite only if
    /// the exact sum is: there is room for 2^64 products in an `f64`'s range.
    ///
    /// ```
    /// let sum = wgpu_reduce::ExactSum::from_iter([1.0_f32, 1e-10]);
    /// assert_eq!(sum.round_f64(), 1.0 + f64::from(1e-10_f32));
    /// ```
    #[must_use]
    pub fn round_f64(&self) -> f64 {
        f64::from_bits(self.bits(1, Format::BINARY64))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bin, Class, ExactSum};

    /// Finite numbers of all exponents.
    fn numbers() -> Vec<f32> {
        let hashes = (0..3000).map(wgpu_reduce_known::hash);
        hashes.map(f32::from_bits).filter(|value| value.is_finite()).collect()
    }

    /// A significand, signed, and its exponent.
    fn parts(value: f32) -> (i128, i32) {
        let parts = super::Parts::of(value);
        let significand = i128::from(parts.significand);
        let signed = if parts.negative { -significand } else { significand };
        (signed, parts.exponent.cast_signed() - 150)
    }

    fn bin((value, exponent): (i128, i32)) -> Bin {
        Bin { value, exponent }
    }

    #[test]
    fn bins_of_any_form_are_the_sum() {
        let numbers = numbers();
        let sum = ExactSum::from_iter(&numbers);
        let count = numbers.len() as u64;
        let check = |bins: Vec<Bin>| {
            assert_eq!(ExactSum::from_bins(count, Class::Finite, bins).as_ref(), Ok(&sum));
        };
        // A bin an element; each cut in two; and words of a window, moved up as far as they go.
        check(numbers.iter().map(|&value| bin(parts(value))).collect());
        let halves = |value| {
            let (value, exponent) = parts(value);
            [bin((value >> 9, exponent + 9)), bin((value & 0x1FF, exponent))]
        };
        check(numbers.iter().copied().flat_map(halves).collect());
        let mut windows = vec![0; 30];
        for (value, exponent) in numbers.iter().map(|&value| parts(value)) {
            let bit = exponent.abs_diff(-149);
            windows[(bit / 10) as usize] += value << (bit % 10);
        }
        let exponents = (-149..).step_by(10);
        check(windows.iter().copied().zip(exponents).map(bin).collect());
        // Intermediate sums beyond all bounds do no harm.
        let mut bins: Vec<Bin> = numbers.iter().map(|&value| bin(parts(value))).collect();
        bins.insert(0, bin((i128::MAX, 341)));
        bins.extend([bin((-i128::MAX, 341)), bin((0, 10_000)), bin((0, -10_000))]);
        check(bins);
    }

    #[test]
    fn bins_that_contradict_themselves_are_refused() {
        let from = |count, class, part| ExactSum::<f32>::from_bins(count, class, [bin(part)]);
        assert!(from(1, Class::Finite, (1, -299)).is_err());
        assert!(from(1, Class::Finite, (1, 342)).is_err());
        assert!(from(1, Class::Finite, (1, i32::MIN)).is_err());
        assert!(from(1, Class::Finite, (-1, 256)).is_err());
        assert!(from(1, Class::Finite, (1, 255)).is_ok());
        assert!(from(0, Class::Finite, (0, 0)).is_err());
        assert!(from(1, Class::Empty, (0, 0)).is_err());
        assert!(from(0, Class::Empty, (1, 0)).is_err());
        assert!(from(1, Class::NegativeZeros, (1, 0)).is_err());
        assert_eq!(from(0, Class::Empty, (0, 0)), Ok(ExactSum::new()));
        // Beside an infinity finite elements do not matter.
        let infinite = ExactSum::from_iter([f32::INFINITY, 1.0]);
        assert_eq!(from(2, Class::PositiveInfinity, (1, 0)), Ok(infinite));
    }
}
