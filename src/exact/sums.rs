//! Many elements at once: an element costs one addition to a bin.
//!
//! This is the idea of Neal's large superaccumulator: a bin for every sign and exponent that the
//! format has. For `f32` they are 512, for `f64` 4096.

use super::ExactSum;
use super::class::Class;
use super::format::{Binary, ExactElement};
use super::parts::bit_of;
use std::iter::zip;
use std::ops::{Add, AddAssign};

/// Copies of the bins. They take turns, so that neighbours of equal exponent do not wait for each
/// other's addition.
pub(super) const LANES: usize = 4;

/// As many elements as the bins may take before they are gathered: at most 2^20 in a lane, so that
/// their fractions add up to less than 2^20 times one.
const CAPACITY: usize = LANES << 20;

/// What a bin holds: the sum of its elements' fractions, and above it their number. The leading bits
/// of the significands, and what infinities and NaNs mean, follow from the number.
pub trait Bin: Copy + Default + PartialEq + Add<Output = Self> + AddAssign {
    /// One in the count: above the fractions of 2^20 elements.
    const ONE: Self;

    fn of(fraction: u64) -> Self;

    /// The number of elements, and the sum of their fractions.
    fn parts(self) -> (u64, u128);
}

/// Bits of the fractions of 2^20 `f32`.
const SHORT: u32 = 43;

impl Bin for u64 {
    const ONE: Self = 1 << SHORT;

    fn of(fraction: u64) -> Self {
        fraction
    }

    fn parts(self) -> (u64, u128) {
        (self >> SHORT, u128::from(self % Self::ONE))
    }
}

/// Bits of the fractions of 2^20 `f64`, and more.
const LONG: u32 = 96;

impl Bin for u128 {
    const ONE: Self = 1 << LONG;

    fn of(fraction: u64) -> Self {
        fraction.into()
    }

    fn parts(self) -> (u64, u128) {
        ((self >> LONG) as u64, self % Self::ONE)
    }
}

/// By the upper bits of an element: sign and exponent.
struct Bins<T: Binary> {
    lanes: [Vec<T::Bin>; LANES],
}

pub(super) fn add_slice<T: ExactElement>(values: &[T], sum: &mut ExactSum<T>) {
    let bins = 2 << T::FORMAT.exponent_bits;
    let mut bins = Bins::<T> { lanes: std::array::from_fn(|_| vec![T::Bin::default(); bins]) };
    for values in values.chunks(CAPACITY) {
        bins.add(values);
        bins.gather(sum);
    }
}

impl<T: ExactElement> Bins<T> {
    fn add(&mut self, values: &[T]) {
        let mut lanes = self.lanes.each_mut().map(Vec::as_mut_slice);
        let groups = values.chunks_exact(LANES);
        let rest = groups.remainder();
        for group in groups {
            add_group(&mut lanes, group);
        }
        add_group(&mut lanes, rest);
    }

    /// Moves everything into `sum`.
    fn gather(&mut self, sum: &mut ExactSum<T>) {
        for upper in 0..2 << T::FORMAT.exponent_bits {
            let (mut count, mut fractions) = (0, 0);
            for lane in &mut self.lanes {
                let bin = lane.get_mut(upper as usize).map(std::mem::take).unwrap_or_default();
                let (more, fraction) = bin.parts();
                count += more;
                fractions += fraction;
            }
            if count > 0 {
                gather_bin(upper, count, fractions, sum);
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a sign and an exponent are left")]
fn add_group<T: Binary>(lanes: &mut [&mut [T::Bin]; LANES], group: &[T]) {
    for (lane, value) in zip(lanes, group) {
        let bits = value.into_word();
        if let Some(bin) = lane.get_mut((bits >> T::FORMAT.fraction_bits()) as usize) {
            *bin += T::Bin::ONE + T::Bin::of(bits & T::FORMAT.fraction());
        }
    }
}

/// `count` elements with these upper bits, whose fractions have this sum.
fn gather_bin<T: ExactElement>(upper: u32, count: u64, fractions: u128, sum: &mut ExactSum<T>) {
    let format = T::FORMAT;
    let field = upper & format.top_field();
    let negative = upper != field;
    let class = match (field, fractions, negative) {
        (0, 0, true) => Class::NegativeZeros,
        (field, 0, false) if field == format.top_field() => Class::PositiveInfinity,
        (field, 0, true) if field == format.top_field() => Class::NegativeInfinity,
        (field, ..) if field == format.top_field() => Class::Nan,
        _ => Class::Finite,
    };
    let leading = if field == 0 { 0 } else { u128::from(count) << format.fraction_bits() };
    let total = (leading + fractions).cast_signed();
    sum.take(count, class, if negative { -total } else { total }, bit_of::<T>(field.max(1)));
}
