//! What the shader of exact sums leaves, and the sum that it means.

use super::ExactTerms;
use crate::error::{Error, Result};
use crate::exact::{Bin, Class, ExactSum};

/// Sums of digits, as `shaders/exact/columns.wgsl` leaves them: one record for each dispatch.
#[derive(Debug, Clone)]
pub(super) struct Records {
    pub(super) terms: ExactTerms,
    /// Terms in all.
    pub(super) len: u64,
    /// Workgroups of each dispatch.
    pub(super) workgroups: Vec<u32>,
}

/// What a record is made of, as the shader of elements or of products says it.
struct Layout {
    /// Columns that are sums of digits. Two more count; what follows is never written.
    digits: usize,
    /// Words from one record to the next.
    words: usize,
    /// The exponent of the lowest digit.
    lowest_exponent: i32,
}

impl ExactTerms {
    const fn layout(self) -> Layout {
        match self {
            Self::Elements => Layout { digits: 28, words: 32, lowest_exponent: -149 },
            Self::Products => Layout { digits: 51, words: 64, lowest_exponent: -298 },
        }
    }

    /// Bytes from one record to the next.
    pub(super) const fn record_bytes(self) -> u64 {
        4 * self.layout().words as u64
    }
}

const DIGIT_BITS: i32 = 12;

/// What every workgroup adds to every digit, so that none is negative.
const BIAS: u32 = 8;

/// Where a column's count of workgroups begins.
const COUNT_SHIFT: u32 = 22;

impl Records {
    pub(super) fn size_bytes(&self) -> u64 {
        self.workgroups.len() as u64 * self.terms.record_bytes()
    }

    /// The sum of the terms of all records.
    pub(super) fn sum(&self, bytes: &[u8]) -> Result<ExactSum> {
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
        let mut class = if self.len == 0 { Class::Empty } else { Class::NegativeZeros };
        let layout = self.terms.layout();
        let mut digits = vec![0_i128; layout.digits];
        let records = words.chunks_exact(layout.words);
        if records.len() != self.workgroups.len() {
            return Err(contradiction("records are missing"));
        }
        for (record, &workgroups) in records.zip(&self.workgroups) {
            let record = record.get(..layout.digits + 2).unwrap_or_default();
            if record.iter().any(|word| word >> COUNT_SHIFT != workgroups) {
                return Err(contradiction("workgroups are missing"));
            }
            let (columns, counts) = record.split_at(layout.digits);
            for (digit, column) in digits.iter_mut().zip(columns) {
                let bias = i128::from(workgroups * BIAS);
                *digit += i128::from(column % (1 << COUNT_SHIFT)) - bias;
            }
            for seen in classes(counts) {
                class = class.join(seen);
            }
        }
        let exponents = (0..).map(|index| layout.lowest_exponent + DIGIT_BITS * index);
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
    use super::{BIAS, COUNT_SHIFT, ExactTerms, Records};
    use crate::error::Error;
    use crate::exact::ExactSum;

    /// A record as so many workgroups leave it.
    fn record(workgroups: u32, digits: &[(usize, i32)], counts: [u32; 2]) -> Vec<u8> {
        record_of(ExactTerms::Elements, workgroups, digits, counts)
    }

    fn record_of(
        terms: ExactTerms,
        workgroups: u32,
        digits: &[(usize, i32)],
        counts: [u32; 2],
    ) -> Vec<u8> {
        let layout = terms.layout();
        let mut words = vec![(workgroups << COUNT_SHIFT) + workgroups * BIAS; layout.digits];
        for &(index, digit) in digits {
            words[index] = words[index].wrapping_add_signed(digit);
        }
        words.extend(counts.map(|count| (workgroups << COUNT_SHIFT) + count));
        words.resize(layout.words, 0xDEAD_BEEF);
        bytemuck::cast_slice(&words).to_vec()
    }

    fn sum(len: u64, workgroups: &[u32], bytes: &[u8]) -> Result<ExactSum, Error> {
        let workgroups = workgroups.to_vec();
        Records { terms: ExactTerms::Elements, len, workgroups }.sum(bytes)
    }

    #[test]
    fn records_are_added() {
        // 2^(24 - 149) − 2^(12 - 149), and in the second record 3 · 2^-149.
        let bytes = [record(7, &[(2, 1), (1, -1)], [7, 0]), record(1, &[(0, 3)], [1, 0])].concat();
        let expected = [f32::from_bits(1 << 23) * 2.0, -f32::from_bits(1 << 12), f32::from_bits(3)];
        assert_eq!(sum(3, &[7, 1], &bytes), Ok(ExactSum::from_iter(expected)));
    }

    #[test]
    fn products_have_more_digits() {
        let terms = ExactTerms::Products;
        // 3 · 2^-298 and 2^(46 · 12 - 298).
        let bytes = record_of(terms, 5, &[(0, 3), (46, 1)], [5, 0]);
        let sum = Records { terms, len: 9, workgroups: vec![5] }.sum(&bytes).unwrap();
        let (least, large) = (f32::from_bits(1), 2.0_f32.powi(127));
        let mut expected = ExactSum::new();
        expected.add_products(&[least, 0.0, 0.0, 0.0], &[3.0 * least, 1.0, 1.0, 1.0]).unwrap();
        expected.add_products(&[large, 0.0, 0.0, 0.0, 0.0], &[large; 5]).unwrap();
        assert_eq!(sum, expected);
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
