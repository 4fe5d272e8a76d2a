//! Sums of single numbers.

use super::cases::{Mix, Random};
use super::oracle::Oracle;
use crate::counts;
use proptest::prelude::*;
use wgpu_reduce::{Error, ExactSum};

/// Compares all that a sum says with the oracle.
pub(super) fn check(sum: &ExactSum, oracle: &Oracle, what: &dyn std::fmt::Debug) {
    assert_eq!(sum.count(), oracle.count, "{what:?}");
    let (single, double) = (sum.round().to_bits(), sum.round_f64().to_bits());
    assert_eq!(single, oracle.single(), "{single:#x}: {what:?}");
    assert_eq!(double, oracle.double(), "{double:#x}: {what:?}");
    match sum.mean() {
        Ok(mean) => assert_eq!(mean.to_bits(), oracle.mean(), "{mean:?}: {what:?}"),
        Err(error) => {
            assert_eq!((error, sum.count()), (Error::Empty { operation: "mean" }, 0));
        }
    }
}

/// The sum of parts cut at random places, merged in random order.
fn in_parts(values: &[f32], random: &mut Random) -> ExactSum {
    let mut parts = Vec::new();
    let mut rest = values;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(random.below(rest.len() + 1));
        let mut sum = ExactSum::new();
        sum.add_slice(part);
        parts.push(sum);
        rest = after;
    }
    random.shuffle(&mut parts);
    let mut whole = ExactSum::default();
    for part in &parts {
        whole += part;
    }
    whole
}

/// Adds the numbers in several ways, which must not be told apart.
fn sum_every_way(values: &[f32], random: &mut Random) -> ExactSum {
    let mut sum = ExactSum::new();
    sum.add_slice(values);
    let bytes = sum.to_bytes();
    let mut one_by_one = ExactSum::new();
    for &value in values {
        one_by_one += value;
    }
    let mut shuffled = values.to_vec();
    random.shuffle(&mut shuffled);
    let (before, after) = values.split_at(values.len() / 2);
    let mut extended: ExactSum = before.iter().collect();
    extended.extend(after);
    let ways = [
        one_by_one,
        extended,
        values.iter().rev().collect(),
        in_parts(values, random),
        in_parts(&shuffled, random),
        ExactSum::from_bytes(&bytes).expect("these bytes were just written"),
    ];
    for (way, other) in ways.iter().enumerate() {
        assert_eq!(other, &sum, "way {way} of {values:?}");
        assert_eq!(other.to_bytes(), bytes, "way {way} of {values:?}");
    }
    sum
}

/// `cases` of every mix, or more for a night, of up to `max_len` numbers.
fn check_mixes(mixes: &[Mix], cases: u32, max_len: usize) {
    for &mix in mixes {
        for case in 0..counts::cases(cases) {
            let mut random = Random::new(u64::from(case) ^ (mix as u64) << 32);
            let len = random.below(max_len + 1);
            let values = mix.numbers(len, &mut random);
            let sum = sum_every_way(&values, &mut random);
            check(&sum, &Oracle::of(&values), &(mix, case, &values));
        }
    }
}

// 12 mixes of 12_000 cases, in parts that run side by side.

#[test]
fn sums_of_ordinary_numbers_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL[..4], 12_000, 40);
}

#[test]
fn sums_that_cancel_vanish_or_are_special_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL[4..8], 12_000, 40);
}

#[test]
fn sums_at_ties_zeros_and_limits_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL[8..], 12_000, 40);
}

#[test]
fn long_sums_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL, 40, 3000);
}

#[test]
fn every_permutation_and_split_of_few_numbers_has_the_same_bytes() {
    let mut random = Random::new(6);
    for mix in Mix::ALL {
        for _ in 0..counts::cases(20) {
            let mut values = mix.numbers(4, &mut random);
            values.truncate(5);
            let bytes = ExactSum::from_iter(&values).to_bytes();
            for_permutations(&mut values, 0, &mut |values| {
                for cuts in 0_u32..1 << values.len().saturating_sub(1) {
                    assert_eq!(cut(values, cuts).to_bytes(), bytes, "{values:?} cut at {cuts:b}");
                }
            });
        }
    }
}

/// Merges runs of numbers that end where `cuts` has a bit.
fn cut(values: &[f32], cuts: u32) -> ExactSum {
    let (mut whole, mut part) = (ExactSum::new(), ExactSum::new());
    for (place, &value) in values.iter().enumerate() {
        part.add(value);
        if cuts >> place & 1 == 1 {
            whole.merge(&part);
            part = ExactSum::new();
        }
    }
    // The other way round for a change.
    part.merge(&whole);
    part
}

fn for_permutations(values: &mut [f32], fixed: usize, check: &mut impl FnMut(&[f32])) {
    if fixed + 1 >= values.len() {
        return check(values);
    }
    for next in fixed..values.len() {
        values.swap(fixed, next);
        for_permutations(values, fixed + 1, check);
        values.swap(fixed, next);
    }
}

#[test]
fn results_known_beforehand() {
    let round = |values: &[f32]| ExactSum::from_iter(values).round().to_bits();
    assert_eq!(round(&[]), 0);
    assert_eq!(round(&[0.0]), 0);
    assert_eq!(round(&[-0.0]), 0x8000_0000);
    assert_eq!(round(&[-0.0, 0.0]), 0);
    assert_eq!(round(&[1.0, -1.0]), 0);
    assert_eq!(round(&[-1.0, 1.0, -0.0]), 0);
    assert_eq!(round(&[f32::INFINITY, 1.0, f32::MAX]), f32::INFINITY.to_bits());
    assert_eq!(round(&[f32::NEG_INFINITY, f32::MAX]), f32::NEG_INFINITY.to_bits());
    assert_eq!(round(&[f32::INFINITY, f32::NEG_INFINITY]), 0x7FC0_0000);
    assert_eq!(round(&[-f32::NAN, f32::INFINITY]), 0x7FC0_0000);
    assert_eq!(round(&[f32::from_bits(0x7F80_0001)]), 0x7FC0_0000);
    assert_eq!(round(&[f32::MAX, f32::MAX]), f32::INFINITY.to_bits());
    assert_eq!(round(&[f32::MAX, f32::MAX, -f32::MAX]), f32::MAX.to_bits());
    assert_eq!(ExactSum::from_iter([f32::NAN]).round_f64().to_bits(), 0x7FF8_0000_0000_0000);
    assert_eq!(ExactSum::from_iter([-0.0]).round_f64().to_bits(), 1 << 63);
    assert_eq!(ExactSum::from_iter([-0.0, -0.0]).mean().map(f32::to_bits), Ok(1 << 31));
    // A mean that is too small for the format keeps its sign.
    assert_eq!(ExactSum::from_iter([-1e-45, 0.0, 0.0]).mean().map(f32::to_bits), Ok(1 << 31));
    assert_eq!(ExactSum::new().mean(), Err(Error::Empty { operation: "mean" }));
    // Different counts are different sums, though their values are the same.
    assert_ne!(ExactSum::from_iter([1.0, 1.0]), ExactSum::from_iter([2.0]));
}

proptest! {
    #![proptest_config(counts::config(256))]

    #[test]
    fn any_bits_in_any_order_and_split(
        bits in prop::collection::vec(any::<u32>(), 0..1500),
        seed in any::<u64>(),
    ) {
        let finite = |&bits: &u32| f32::from_bits(if bits >> 23 & 0xFF == 0xFF { bits >> 9 } else { bits });
        for values in [bits.iter().map(finite).collect::<Vec<_>>(), bits.iter().map(|&bits| f32::from_bits(bits)).collect()] {
            let sum = sum_every_way(&values, &mut Random::new(seed));
            check(&sum, &Oracle::of(&values), &values);
        }
    }
}
