//! Sums of weights as the host has them.

use crate::error::{Error, Result};
use crate::exact::{Bin, Class, ExactSum};
use crate::histogram::plan::OUTSIDE;

/// The sum of the weights of the elements in each bin: `S` is `f32` for weights that are, and `u64` for `u32`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WeightedHistogram<S> {
    /// Of each bin.
    pub sums: Vec<S>,
    /// The bins' edges, one more than there are bins: what elements were compared with.
    pub edges: Vec<f64>,
    /// Of elements below the first edge.
    pub below: S,
    /// Of elements above the last edge.
    pub above: S,
    /// Of elements that are NaN.
    pub nan: S,
}

/// Takes what came back apart, and reads each sum.
pub(super) fn read<S: Copy>(
    bytes: &[u8],
    edges: Vec<f64>,
    words: usize,
    sum: fn(&[u32]) -> Result<S>,
) -> Result<WeightedHistogram<S>> {
    let all: Vec<u32> = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
    let slots = edges.len() - 1 + OUTSIDE as usize;
    let sums: Vec<_> = all.chunks_exact(words).take(slots).map(sum).collect::<Result<_>>()?;
    match sums.split_at_checked(edges.len() - 1) {
        Some((sums, &[below, above, nan])) => {
            Ok(WeightedHistogram { sums: sums.to_vec(), edges, below, above, nan })
        }
        _ => Err(internal("too few sums came back")),
    }
}

/// Of 64 bits, the lower word first.
pub(super) fn of_words(words: &[u32]) -> Result<u64> {
    match words {
        &[low, high] => Ok(u64::from(high) << 32 | u64::from(low)),
        _ => Err(internal("a sum has two words")),
    }
}

/// As `shaders/histogram/weights/f32.wgsl` leaves it, rounded once.
pub(super) fn of_digits(words: &[u32]) -> Result<f32> {
    let (digits, rest) = words.split_at_checked(2 * DIGITS).unwrap_or_default();
    let &[count_low, count_high, kinds, _] = rest else {
        return Err(internal("a sum has nine digits"));
    };
    let count = u64::from(count_high) << 32 | u64::from(count_low);
    let least = if count == 0 { Class::Empty } else { Class::NegativeZeros };
    let classes = [Class::Finite, Class::PositiveInfinity, Class::NegativeInfinity, Class::Nan];
    let seen = (0..).zip(classes).filter(|&(bit, _)| kinds >> bit & 1 == 1);
    let class = seen.fold(least, |class, (_, seen)| class.join(seen));
    let bins = (0..).zip(digits.chunks_exact(2)).filter_map(|(number, digit)| match digit {
        &[low, high] => Some(Bin {
            value: (i128::from(high.cast_signed()) << 32) + i128::from(low),
            exponent: LEAST_EXPONENT + 32 * number,
        }),
        _ => None,
    });
    Ok(ExactSum::from_bins(count, class, bins).map_err(internal)?.round())
}

const DIGITS: usize = 9;

/// Of the least subnormal number.
const LEAST_EXPONENT: i32 = -149;

fn internal(what: &str) -> Error {
    Error::Internal { message: format!("the sums that came back are none: {what}") }
}

#[cfg(test)]
mod tests {
    use super::of_digits;

    /// A sum of so many weights, of these kinds, with these digits.
    fn sum(count: u32, kinds: u32, digits: &[(usize, i64)]) -> f32 {
        let mut words = [0; 22];
        for &(place, value) in digits {
            let value = value.cast_unsigned();
            words[2 * place] = (value & 0xFFFF_FFFF) as u32;
            words[2 * place + 1] = (value >> 32) as u32;
        }
        words[18] = count;
        words[20] = kinds;
        of_digits(&words).unwrap()
    }

    #[test]
    fn digits_are_a_number() {
        let is = |found: f32, expected: f32| {
            assert_eq!(found.to_bits(), expected.to_bits(), "{found} is not {expected}");
        };
        is(sum(0, 0, &[]), 0.0);
        is(sum(1, 0, &[]), -0.0);
        is(sum(2, 1, &[]), 0.0);
        is(sum(1, 1, &[(0, 1)]), f32::from_bits(1));
        // 1 is 2^149 units: bit 21 of the fifth digit.
        is(sum(3, 1, &[(4, 3 << 21)]), 3.0);
        is(sum(3, 1, &[(4, -3 << 21), (0, 1)]), -3.0);
        is(sum(2, 1, &[(7, 0xFF_FFFF << 29), (8, 0xFF_FFFF >> 3)]), f32::INFINITY);
        is(sum(2, 3, &[(4, 1)]), f32::INFINITY);
        is(sum(2, 6, &[]), f32::from_bits(0x7FC0_0000));
    }
}
