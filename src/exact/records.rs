//! What the shader of exact sums leaves, and the sum that it means.

use super::ExactTerms;
use crate::exact::{Bin, Class, ExactElement, ExactSum};
use crate::op::element::ElementKind;

/// Sums of digits, as `shaders/exact/columns.wgsl` leaves them: one record for each dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Records {
    pub(crate) terms: ExactTerms,
    /// `f32` or `f64`.
    pub(crate) element: ElementKind,
    /// Terms in all.
    pub(crate) len: u64,
    /// Workgroups of each dispatch.
    pub(crate) workgroups: Vec<u32>,
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
    const fn layout(self, element: ElementKind) -> Layout {
        match (self, element) {
            (Self::Elements, ElementKind::F64) => {
                Layout { digits: 181, words: 192, lowest_exponent: -1074 }
            }
            (Self::Products, ElementKind::F64) => {
                Layout { digits: 354, words: 384, lowest_exponent: -2148 }
            }
            (Self::Elements, _) => Layout { digits: 28, words: 32, lowest_exponent: -149 },
            (Self::Products, _) => Layout { digits: 51, words: 64, lowest_exponent: -298 },
        }
    }

    /// Bytes from one record to the next.
    pub(crate) const fn record_bytes(self, element: ElementKind) -> u64 {
        4 * self.layout(element).words as u64
    }
}

/// A thousand digits fit a column, and ten bits count them: see `shaders/exact/columns.wgsl`.
pub(crate) const MAX_WORKGROUPS: u32 = 1000;

const DIGIT_BITS: i32 = 12;

/// What every workgroup adds to every digit, so that none is negative.
const BIAS: u32 = 8;

/// Where a column's count of workgroups begins.
const COUNT_SHIFT: u32 = 22;

impl Records {
    pub(crate) fn size_bytes(&self) -> u64 {
        self.workgroups.len() as u64 * self.terms.record_bytes(self.element)
    }

    /// The sum of the terms of all records. The error says how they contradict what is known of them, or each other.
    pub(crate) fn sum<T: ExactElement>(&self, words: &[u32]) -> Result<ExactSum<T>, &'static str> {
        let mut class = if self.len == 0 { Class::Empty } else { Class::NegativeZeros };
        let layout = self.terms.layout(self.element);
        let mut digits = vec![0_i128; layout.digits];
        let records = words.chunks_exact(layout.words);
        let is_whole = records.remainder().is_empty() && !self.workgroups.is_empty();
        if !is_whole || records.len() != self.workgroups.len() {
            return Err("there are more words than records, or fewer");
        }
        for (record, &workgroups) in records.zip(&self.workgroups) {
            let record = record.get(..layout.digits + 2).unwrap_or_default();
            let is_of_all = |word: &u32| word >> COUNT_SHIFT == workgroups;
            if !(1..=MAX_WORKGROUPS).contains(&workgroups) || !record.iter().all(is_of_all) {
                return Err("workgroups are missing");
            }
            let (columns, counts) = record.split_at(layout.digits);
            for (digit, column) in digits.iter_mut().zip(columns) {
                let bias = i128::from(workgroups * BIAS);
                *digit += i128::from(column % (1 << COUNT_SHIFT)) - bias;
            }
            for (count, seen) in classes(counts) {
                if count > workgroups {
                    return Err("more workgroups have seen it than there are");
                }
                class = if count > 0 { class.join(seen) } else { class };
            }
        }
        let exponents = (0..).map(|index| layout.lowest_exponent + DIGIT_BITS * index);
        let bins = digits.into_iter().zip(exponents);
        let bins = bins.map(|(value, exponent)| Bin { value, exponent });
        ExactSum::from_bins(self.len, class, bins)
    }

    /// Zeroes the words behind the columns of each record, which no shader writes.
    pub(crate) fn clear_rest(&self, words: &mut [u32]) {
        let layout = self.terms.layout(self.element);
        for record in words.chunks_exact_mut(layout.words) {
            record.iter_mut().skip(layout.digits + 2).for_each(|word| *word = 0);
        }
    }
}

/// Each class, and how many workgroups have seen an element of it. Each column has two counts of 11 bits.
fn classes(counts: &[u32]) -> impl Iterator<Item = (u32, Class)> {
    let halves = counts.iter().flat_map(|count| [count & 0x7FF, count >> 11 & 0x7FF]);
    let classes = [Class::Finite, Class::PositiveInfinity, Class::NegativeInfinity, Class::Nan];
    halves.zip(classes)
}

#[cfg(test)]
mod tests {
    use super::{BIAS, COUNT_SHIFT, ExactTerms, MAX_WORKGROUPS};
    use crate::error::{Error, Result};
    use crate::exact::ExactPartial;
    use crate::exact::ExactSum;
    use crate::op::element::ElementKind;
    use proptest::prelude::*;

    /// A record as so many workgroups leave it.
    fn record(workgroups: u32, digits: &[(usize, i32)], counts: [u32; 2]) -> Vec<u32> {
        record_of(ExactTerms::Elements, workgroups, digits, counts)
    }

    fn record_of(
        terms: ExactTerms,
        workgroups: u32,
        digits: &[(usize, i32)],
        counts: [u32; 2],
    ) -> Vec<u32> {
        let layout = terms.layout(ElementKind::F32);
        let mut words = vec![(workgroups << COUNT_SHIFT) + workgroups * BIAS; layout.digits];
        for &(index, digit) in digits {
            words[index] = words[index].wrapping_add_signed(digit);
        }
        words.extend(counts.map(|count| (workgroups << COUNT_SHIFT) + count));
        words.resize(layout.words, 0xDEAD_BEEF);
        words
    }

    fn sum(len: u64, workgroups: &[u32], words: &[u32]) -> Result<ExactSum> {
        ExactPartial::new(ExactTerms::Elements, len, workgroups, words).map(ExactSum::from)
    }

    #[test]
    fn records_are_added() {
        // 2^(24 - 149) − 2^(12 - 149), and in the second record 3 · 2^-149.
        let words = [record(7, &[(2, 1), (1, -1)], [7, 0]), record(1, &[(0, 3)], [1, 0])].concat();
        let expected = [f32::from_bits(1 << 23) * 2.0, -f32::from_bits(1 << 12), f32::from_bits(3)];
        assert_eq!(sum(3, &[7, 1], &words), Ok(ExactSum::from_iter(expected)));
    }

    #[test]
    fn products_have_more_digits() {
        let terms = ExactTerms::Products;
        // 3 · 2^-298 and 2^(46 · 12 - 298).
        let words = record_of(terms, 5, &[(0, 3), (46, 1)], [5, 0]);
        let sum: ExactSum = ExactPartial::<f32>::new(terms, 9, &[5], &words).unwrap().into();
        let (least, large) = (f32::from_bits(1), 2.0_f32.powi(127));
        let mut expected = ExactSum::new();
        expected.add_products(&[least, 0.0, 0.0, 0.0], &[3.0 * least, 1.0, 1.0, 1.0]).unwrap();
        expected.add_products(&[large, 0.0, 0.0, 0.0, 0.0], &[large; 5]).unwrap();
        assert_eq!(sum, expected);
    }

    #[test]
    fn records_of_f64_have_most() {
        let mut words = vec![(5 << COUNT_SHIFT) + 5 * BIAS; 181];
        // 3 · 2^-1074, and 2^(174 · 12 - 1074).
        words[0] += 3;
        words[174] += 1;
        words.extend([(5 << COUNT_SHIFT) + 5, 5 << COUNT_SHIFT]);
        words.resize(192, 0xDEAD_BEEF);
        let partial = ExactPartial::<f64>::new(ExactTerms::Elements, 9, &[5], &words).unwrap();
        assert_eq!(partial.words()[183..], [0; 9]);
        let expected = [f64::from_bits(3), 2.0_f64.powi(1014), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(ExactSum::from(partial), ExactSum::from_iter(expected));
        let single = ExactPartial::<f32>::new(ExactTerms::Elements, 9, &[5], &words);
        assert!(matches!(single, Err(Error::InvalidBytes { .. })), "{single:?}");
        let products = ExactPartial::<f64>::new(ExactTerms::Products, 9, &[5], &words);
        assert!(matches!(products, Err(Error::InvalidBytes { .. })), "{products:?}");

        // −3 · 2^-2148, and 2 · 2^(340 · 12 - 2148).
        let mut words = vec![(5 << COUNT_SHIFT) + 5 * BIAS; 354];
        words[0] -= 3;
        words[340] += 2;
        words.extend([(5 << COUNT_SHIFT) + 5, 5 << COUNT_SHIFT]);
        words.resize(384, 0);
        let partial = ExactPartial::<f64>::new(ExactTerms::Products, 9, &[5], &words).unwrap();
        let (least, large) = (f64::from_bits(1), 2.0_f64.powi(966));
        let mut expected = ExactSum::from_iter([0.0_f64; 7]);
        expected.add_products(&[least, large], &[-3.0 * least, 2.0 * large]).unwrap();
        assert_eq!(ExactSum::from(partial), expected);
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

    /// As many workgroups as there may be, each with as much as it may add to every digit.
    #[test]
    fn full_columns_are_read() {
        let most = i32::try_from(MAX_WORKGROUPS * (4176 - BIAS)).unwrap();
        let digits: Vec<_> = (0..28).map(|index| (index, most)).collect();
        let words = record(MAX_WORKGROUPS, &digits, [MAX_WORKGROUPS, 0]);
        assert!(words[..28].iter().all(|word| word % (1 << COUNT_SHIFT) == 4_176_000));
        // The host's sum must be equal: 1000 · 4168 is 521 · 8000.
        let mut expected = ExactSum::new();
        for exponent in (0..28).map(|index| 12 * index - 149) {
            let half = exponent / 2;
            expected
                .add_product(521.0 * 2.0_f32.powi(half), 8000.0 * 2.0_f32.powi(exponent - half));
        }
        assert_eq!(sum(28, &[MAX_WORKGROUPS], &words), Ok(expected));
    }

    #[test]
    fn what_no_column_has_is_zero() {
        let words = record(1, &[], [0, 0]);
        let partial = ExactPartial::<f32>::new(ExactTerms::Elements, 2, &[1], &words).unwrap();
        assert_eq!((&partial.words()[..30], &partial.words()[30..]), (&words[..30], &[0, 0][..]));
        assert_eq!((partial.terms(), partial.count()), (ExactTerms::Elements, 2));
        assert_eq!(partial.workgroups(), [1]);
    }

    #[test]
    fn what_contradicts_itself_is_an_error() {
        let good = record(2, &[(0, 1)], [1, 0]);
        assert!(sum(1, &[2], &good).is_ok());
        let longer = [&good[..], &[0]].concat();
        let none = vec![0; 32];
        let mut one_less = good.clone();
        one_less[5] -= 1 << COUNT_SHIFT;
        for bad in [
            sum(1, &[3], &good),
            sum(1, &[2, 2], &good),
            sum(0, &[2], &good),
            sum(1, &[2], &longer),
            sum(1, &[2], &good[..31]),
            sum(1, &[], &[]),
            sum(1, &[0], &none),
            sum(1, &[2], &one_less),
            sum(1, &[1001], &record(1001, &[], [1, 0])),
            sum(1, &[u32::MAX], &[u32::MAX; 32]),
            // More have seen something than there are, and less is seen than is there.
            sum(1, &[2], &record(2, &[], [3, 0])),
            sum(1, &[2], &record(2, &[(3, 1)], [0, 0])),
        ] {
            assert!(matches!(bad, Err(Error::InvalidBytes { .. })), "{bad:?}");
        }
        let terms = ExactTerms::Products;
        // Beyond 2^256 for one product.
        let large = record_of(terms, 1, &[(50, 4095)], [1, 0]);
        for words in [&good, &large] {
            let bad = ExactPartial::<f32>::new(terms, 1, &[1], words);
            assert!(matches!(bad, Err(Error::InvalidBytes { .. })), "{bad:?}");
        }
        assert!(ExactPartial::<f32>::new(terms, 1 << 60, &[1], &large).is_ok());
    }

    proptest! {
        /// Whatever the words are, the answer is a sum of that count or an error.
        #[test]
        fn no_words_panic(
            words in prop::collection::vec(any::<u32>(), 64),
            workgroups in prop::collection::vec(any::<u32>(), 0..3),
            alike in prop::option::of(0_u32..1024),
            len in any::<u64>(),
        ) {
            let mut words = words;
            let mut workgroups = workgroups;
            if let Some(count) = alike {
                // As if they were records, but for the lower bits.
                words = words.iter().map(|word| word >> 10 | count << COUNT_SHIFT).collect();
                workgroups = vec![count; 2];
            }
            // As many as records of f64 have.
            let wide = words.repeat(12);
            for terms in [ExactTerms::Elements, ExactTerms::Products] {
                let partial = ExactPartial::<f32>::new(terms, len, &workgroups, &words);
                if let Ok(partial) = partial {
                    prop_assert_eq!(ExactSum::from(partial).count(), len);
                }
                let partial = ExactPartial::<f64>::new(terms, len, &workgroups, &wide);
                if let Ok(partial) = partial {
                    prop_assert_eq!(ExactSum::from(partial).count(), len);
                }
            }
        }
    }
}
