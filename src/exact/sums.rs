//! Many elements at once: an element costs one addition of 64 bits to a bin.
//!
//! This is the idea of Neal's large superaccumulator: a bin for every sign and exponent that the
//! format has. For `f32` they are 512.

use super::ExactSum;
use super::class::Class;
use super::parts::{FRACTION, FRACTION_BITS, bit_of};
use std::iter::zip;

/// Copies of the bins. They take turns, so that neighbours of equal exponent do not wait for each
/// other's addition.
pub(super) const LANES: usize = 4;

/// One in the count of a bin.
const ONE: u64 = 1 << 43;

/// As many elements as the bins may take before they are gathered: at most 2^20 in a lane, so that
/// their fractions add up to less than 2^43.
const CAPACITY: usize = LANES << 20;

/// By the upper nine bits of an `f32`: sign and exponent.
///
/// The lower 43 bits of a bin are a sum of fractions, the upper 21 bits count them. The leading bits
/// of the significands, and what infinities and NaNs mean, follow from the counts.
struct Bins {
    lanes: [[u64; 512]; LANES],
}

pub(super) fn add_slice(values: &[f32], sum: &mut ExactSum) {
    let mut bins = Bins { lanes: [[0; 512]; LANES] };
    for values in values.chunks(CAPACITY) {
        bins.add(values);
        bins.gather(sum);
    }
}

impl Bins {
    fn add(&mut self, values: &[f32]) {
        let groups = values.chunks_exact(LANES);
        let rest = groups.remainder();
        for group in groups {
            self.add_group(group);
        }
        self.add_group(rest);
    }

    fn add_group(&mut self, group: &[f32]) {
        for (lane, value) in zip(&mut self.lanes, group) {
            let bits = value.to_bits();
            if let Some(bin) = lane.get_mut((bits >> FRACTION_BITS) as usize) {
                *bin += ONE | u64::from(bits & FRACTION);
            }
        }
    }

    /// Moves everything into `sum`.
    fn gather(&mut self, sum: &mut ExactSum) {
        for upper in 0_u16..512 {
            let (mut count, mut fractions) = (0, 0);
            for bin in self.lanes.iter_mut().filter_map(|lane| lane.get_mut(usize::from(upper))) {
                count += *bin / ONE;
                fractions += *bin % ONE;
                *bin = 0;
            }
            if count > 0 {
                gather_bin(upper, count, fractions, sum);
            }
        }
    }
}

/// `count` elements with these upper nine bits, whose fractions have this sum.
fn gather_bin(upper: u16, count: u64, fractions: u64, sum: &mut ExactSum) {
    let negative = upper >> 8 == 1;
    let field = u32::from(upper & 0xFF);
    let class = match (field, fractions, negative) {
        (0, 0, true) => Class::NegativeZeros,
        (0xFF, 0, false) => Class::PositiveInfinity,
        (0xFF, 0, true) => Class::NegativeInfinity,
        (0xFF, ..) => Class::Nan,
        _ => Class::Finite,
    };
    let leading = if field == 0 { 0 } else { count << FRACTION_BITS };
    let total = i128::from(leading + fractions);
    sum.take(count, class, if negative { -total } else { total }, bit_of(field.max(1)));
}
