//! What the shader of exact sums leaves, and the sum that it means.

use crate::error::{Error, Result};
use crate::exact::{Bin, Class, ExactSum};

/// Sums of digits, as `shaders/exact/columns.wgsl` leaves them: one record for each dispatch.
#[derive(Debug, Clone)]
pub(super) struct Records {
    /// Elements in all.
    pub(super) len: u64,
    /// Workgroups of each dispatch.
    pub(super) workgroups: Vec<u32>,
}

/// Words of a record that mean something. What follows is never written.
const COLUMNS: usize = DIGITS + 2;

/// Columns that are sums of digits.
const DIGITS: usize = 28;

const DIGIT_BITS: i32 = 12;

/// What every workgroup adds to every digit, so that none is negative.
const BIAS: u32 = 8;

/// Where a column's count of workgroups begins.
const COUNT_SHIFT: u32 = 22;

/// Words from one record to the next.
const RECORD_WORDS: usize = 32;

/// The same in bytes.
pub(super) const RECORD_BYTES: u64 = 4 * RECORD_WORDS as u64;

/// The exponent of the lowest digit.
const LOWEST_EXPONENT: i32 = -149;

impl Records {
    pub(super) fn size_bytes(&self) -> u64 {
        self.workgroups.len() as u64 * RECORD_BYTES
    }

    /// The sum of the elements of all records.
    pub(super) fn sum(&self, bytes: &[u8]) -> Result<ExactSum> {
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
        let mut class = if self.len == 0 { Class::Empty } else { Class::NegativeZeros };
        let mut digits = [0_i128; DIGITS];
        let records = words.chunks_exact(RECORD_WORDS);
        if records.len() != self.workgroups.len() {
            return Err(contradiction("records are missing"));
        }
        for (record, &workgroups) in records.zip(&self.workgroups) {
            let record = record.get(..COLUMNS).unwrap_or_default();
            if record.iter().any(|word| word >> COUNT_SHIFT != workgroups) {
                return Err(contradiction("workgroups are missing"));
            }
            let (columns, counts) = record.split_at(DIGITS);
            for (digit, column) in digits.iter_mut().zip(columns) {
                let bias = i128::from(workgroups * BIAS);
                *digit += i128::from(column % (1 << COUNT_SHIFT)) - bias;
            }
            for seen in classes(counts) {
                class = class.join(seen);
            }
        }
        let exponents = (0..).map(|index| LOWEST_EXPONENT + DIGIT_BITS * index);
        let bins = digits.into_iter().zip(exponents);
        let bins = bins.map(|(value, exponent)| Bin { value, exponent });
        ExactSum::from_bins(self.len, class, bins).map_err(contradiction)
    }
}

/// The classes of which a workgroup has seen an element. Each column has two counts of 11 bits.
fn classes(counts: &[u32]) -> impl Iterator<Item = Class> {
    let halves = counts.iter().flat_map(|count| [count & 0x7FF, count >> 11 & 0x7FF]);
    let classes = [Class::Finite, Class::PositiveInfinity, Class::NegativeInfinity, Class::Nan];
    halves.zip(classes).filter_map(|(count, class)| (count > 0).then_some(class))
}

fn contradiction(what: &str) -> Error {
    Error::Internal { message: format!("the exact sum that came back is none: {what}") }
}

#[cfg(test)]
mod tests {
    use super::{BIAS, COUNT_SHIFT, DIGITS, Records};
    use crate::error::Error;
    use crate::exact::ExactSum;

    /// A record as so many workgroups leave it.
    fn record(workgroups: u32, digits: &[(usize, i32)], counts: [u32; 2]) -> Vec<u8> {
        let mut words = vec![(workgroups << COUNT_SHIFT) + workgroups * BIAS; DIGITS];
        for &(index, digit) in digits {
            words[index] = words[index].wrapping_add_signed(digit);
        }
        words.extend(counts.map(|count| (workgroups << COUNT_SHIFT) + count));
        words.extend([0xDEAD_BEEF; 2]);
        bytemuck::cast_slice(&words).to_vec()
    }

    fn sum(len: u64, workgroups: &[u32], bytes: &[u8]) -> Result<ExactSum, Error> {
        Records { len, workgroups: workgroups.to_vec() }.sum(bytes)
    }

    #[test]
    fn records_are_added() {
        // 2^(24 - 149) − 2^(12 - 149), and in the second record 3 · 2^-149.
        let bytes = [record(7, &[(2, 1), (1, -1)], [7, 0]), record(1, &[(0, 3)], [1, 0])].concat();
        let expected = [f32::from_bits(1 << 23) * 2.0, -f32::from_bits(1 << 12), f32::from_bits(3)];
        assert_eq!(sum(3, &[7, 1], &bytes), Ok(ExactSum::from_iter(expected)));
    }

    #[test]
    fn what_was_seen_makes_the_class() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        for (counts, values) in [
            ([0, 0], [-0.0, -0.0]),
            ([2, 0], [0.0, -0.0]),
            ([1 << 11, 0], [-0.0, inf]),
            ([2, 1], [0.0, -inf]),
            ([1 << 11, 1], [inf, -inf]),
            ([0, 1 << 11], [-0.0, nan]),
        ] {
            let expected = ExactSum::from_iter(values);
            assert_eq!(sum(2, &[2], &record(2, &[], counts)), Ok(expected), "{values:?}");
        }
        assert_eq!(sum(0, &[1], &record(1, &[], [0, 0])), Ok(ExactSum::new()));
    }

    #[test]
    fn what_contradicts_itself_is_an_error() {
        let good = record(2, &[(0, 1)], [1, 0]);
        assert!(sum(1, &[2], &good).is_ok());
        for bad in [sum(1, &[3], &good), sum(1, &[2, 2], &good), sum(0, &[2], &good)] {
            assert!(matches!(bad, Err(Error::Internal { .. })), "{bad:?}");
        }
    }
}
