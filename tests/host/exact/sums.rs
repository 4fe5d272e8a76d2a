//! Sums of single numbers.

use super::cases::{Float, Mix, Random};
use super::oracle::Oracle;
use crate::counts;
use proptest::prelude::*;
use std::fmt::Debug;
use wgpu_reduce::{Error, ExactSum};

/// Compares all that a sum says with the oracle.
pub(super) fn check<T: Float>(sum: &ExactSum<T>, oracle: &Oracle<T>, what: &dyn Debug) {
    assert_eq!(sum.count(), oracle.count, "{what:?}");
    let rounded = sum.round().word();
    assert_eq!(rounded, oracle.rounded(), "{rounded:#x}: {what:?}");
    let root = sum.sqrt().word();
    assert_eq!(root, oracle.root(), "{root:#x}: {what:?}");
    match sum.mean() {
        Ok(mean) => assert_eq!(mean.word(), oracle.mean(), "{mean:?}: {what:?}"),
        Err(error) => {
            assert_eq!((error, sum.count()), (Error::Empty { operation: "mean" }, 0));
        }
    }
}

/// Compares what a sum of `f32` rounds to as `f64`, too.
pub(super) fn check_single(sum: &ExactSum, oracle: &Oracle, what: &dyn Debug) {
    check(sum, oracle, what);
    let double = sum.round_f64().to_bits();
    assert_eq!(double, oracle.double(), "{double:#x}: {what:?}");
}

/// The sum of parts cut at random places, merged in random order.
fn in_parts<T: Float>(values: &[T], random: &mut Random) -> ExactSum<T> {
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
fn sum_every_way<T: Float>(values: &[T], random: &mut Random) -> ExactSum<T> {
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
    let mut extended: ExactSum<T> = before.iter().collect();
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
fn check_mixes<T: Float>(
    mixes: &[Mix],
    cases: u32,
    max_len: usize,
    check: impl Fn(&ExactSum<T>, &Oracle<T>, &dyn Debug),
) {
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
    check_mixes(&Mix::ALL[..4], 12_000, 40, check_single);
}

#[test]
fn sums_that_cancel_vanish_or_are_special_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL[4..8], 12_000, 40, check_single);
}

#[test]
fn sums_at_ties_zeros_and_limits_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL[8..], 12_000, 40, check_single);
}

#[test]
fn sums_of_f64_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL[..6], 9_000, 20, check::<f64>);
}

#[test]
fn more_sums_of_f64_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL[6..], 9_000, 20, check::<f64>);
}

#[test]
fn long_sums_are_those_of_the_oracle() {
    check_mixes(&Mix::ALL, 40, 3000, check_single);
    check_mixes(&Mix::ALL, 10, 6000, check::<f64>);
}

/// The sum of `f32` as one of `f64` is that of the same numbers.
#[test]
fn sums_of_f32_become_sums_of_f64() {
    for mix in Mix::ALL {
        for case in 0..counts::cases(200) {
            let mut random = Random::new(u64::from(case) ^ (mix as u64) << 40);
            let values: Vec<f32> = mix.numbers(30, &mut random);
            let wide: Vec<f64> = values.iter().map(|&value| value.into()).collect();
            let sum = ExactSum::<f64>::from(ExactSum::from_iter(&values));
            assert_eq!(sum, ExactSum::from_iter(&wide), "{mix:?}: {values:?}");
            let mut products = ExactSum::new();
            products.add_products(&values, &values).expect("there are as many");
            let mut expected = ExactSum::new();
            expected.add_products(&wide, &wide).expect("there are as many");
            assert_eq!(ExactSum::<f64>::from(products), expected, "{mix:?}: {values:?}");
        }
    }
}

#[test]
fn every_permutation_and_split_of_few_numbers_has_the_same_bytes() {
    permutations_and_splits::<f32>();
    permutations_and_splits::<f64>();
}

fn permutations_and_splits<T: Float>() {
    let mut random = Random::new(6);
    for mix in Mix::ALL {
        for _ in 0..counts::cases(20) {
            let mut values: Vec<T> = mix.numbers(4, &mut random);
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
fn cut<T: Float>(values: &[T], cuts: u32) -> ExactSum<T> {
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

fn for_permutations<T: Float>(values: &mut [T], fixed: usize, check: &mut impl FnMut(&[T])) {
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
    assert_eq!(ExactSum::from_iter([-0.0_f32]).round_f64().to_bits(), 1 << 63);
    assert_eq!(ExactSum::<f32>::from_iter([-0.0, -0.0]).mean().map(f32::to_bits), Ok(1 << 31));
    // A mean that is too small for the format keeps its sign.
    assert_eq!(
        ExactSum::<f32>::from_iter([-1e-45, 0.0, 0.0]).mean().map(f32::to_bits),
        Ok(1 << 31)
    );
    assert_eq!(ExactSum::<f32>::new().mean(), Err(Error::Empty { operation: "mean" }));
    // Different counts are different sums, though their values are the same.
    assert_ne!(ExactSum::from_iter([1.0_f32, 1.0]), ExactSum::from_iter([2.0_f32]));
}

#[test]
fn results_of_f64_known_beforehand() {
    let round = |values: &[f64]| ExactSum::from_iter(values).round().to_bits();
    assert_eq!(round(&[]), 0);
    assert_eq!(round(&[-0.0, -0.0]), 1 << 63);
    assert_eq!(round(&[1e300, -0.0, -1e300]), 0);
    assert_eq!(round(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX.to_bits());
    assert_eq!(round(&[f64::MAX, f64::MAX]), f64::INFINITY.to_bits());
    assert_eq!(round(&[f64::INFINITY, f64::NEG_INFINITY]), 0x7FF8_0000_0000_0000);
    assert_eq!(round(&[1e300, 5e-324, -1e300]), 1);
    assert_eq!(ExactSum::from_iter([f64::MAX, f64::MAX]).mean(), Ok(f64::MAX));
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
            check_single(&sum, &Oracle::of(&values), &values);
        }
    }

    #[test]
    fn any_bits_of_f64_in_any_order_and_split(
        bits in prop::collection::vec(any::<u64>(), 0..3000),
        seed in any::<u64>(),
    ) {
        let finite = |&bits: &u64| f64::from_bits(if bits >> 52 & 0x7FF == 0x7FF { bits >> 12 } else { bits });
        for values in [bits.iter().map(finite).collect::<Vec<_>>(), bits.iter().map(|&bits| f64::from_bits(bits)).collect()] {
            let sum = sum_every_way(&values, &mut Random::new(seed));
            check(&sum, &Oracle::of(&values), &values);
        }
    }
}
