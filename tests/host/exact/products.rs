//! Sums of products.

use super::cases::{Float, Mix, Random};
use super::oracle::Oracle;
use super::sums::{check, check_single};
use crate::counts;
use std::fmt::Debug;
use wgpu_reduce::{Error, ExactSum};

/// `cases` of every pair of mixes, or more for a night, of up to `max_len` products.
fn check_products<T: Float>(
    cases: u32,
    max_len: usize,
    check: impl Fn(&ExactSum<T>, &Oracle<T>, &dyn Debug),
) {
    for (pair, left) in (0_u64..).zip(Mix::ALL) {
        for right in Mix::ALL {
            for case in 0..counts::cases(cases) {
                let mut random = Random::new(u64::from(case) ^ pair << 32 ^ (right as u64) << 48);
                let len = random.below(max_len + 1);
                let (mut a, mut b) =
                    (left.numbers::<T>(len, &mut random), right.numbers::<T>(len, &mut random));
                let len = a.len().min(b.len());
                a.truncate(len);
                b.truncate(len);
                let oracle = Oracle::of_products(&a, &b);
                let sum = dot_every_way(&a, &b, &mut random);
                check(&sum, &oracle, &(left, right, case, &a, &b));
            }
        }
    }
}

/// Adds the products in several ways, which must not be told apart.
fn dot_every_way<T: Float>(a: &[T], b: &[T], random: &mut Random) -> ExactSum<T> {
    let mut sum = ExactSum::new();
    sum.add_products(a, b).expect("the lengths are equal");
    let mut pairs: Vec<(T, T)> = a.iter().copied().zip(b.iter().copied()).collect();
    random.shuffle(&mut pairs);
    let mut one_by_one = ExactSum::new();
    for &(a, b) in &pairs {
        one_by_one.add_product(b, a);
    }
    let at = random.below(pairs.len() + 1);
    let (a, b): (Vec<T>, Vec<T>) = pairs.into_iter().unzip();
    let mut halves = [ExactSum::new(), ExactSum::new()];
    halves[0].add_products(&a[..at], &b[..at]).expect("the lengths are equal");
    halves[1].add_products(&b[at..], &a[at..]).expect("the lengths are equal");
    let [mut merged, other] = halves;
    merged.merge(&other);
    assert_eq!(sum.to_bytes(), one_by_one.to_bytes(), "{a:?} and {b:?}");
    assert_eq!(sum.to_bytes(), merged.to_bytes(), "{a:?} and {b:?}");
    sum
}

#[test]
fn products_are_those_of_the_oracle() {
    check_products(200, 24, check_single);
}

#[test]
fn products_of_f64_are_those_of_the_oracle() {
    check_products(100, 16, check::<f64>);
    check_products(1, 5000, check::<f64>);
}

#[test]
fn long_dot_products_are_those_of_the_oracle() {
    check_products(5, 2600, check_single);
}

/// Squares of numbers half-way between two: 2^24 + 1 and 2^24 + 3, alone and with something far below.
#[test]
fn roots_half_way_go_to_the_even_one() {
    let root = |left: &[f32], right: &[f32]| {
        let mut sum = ExactSum::new();
        sum.add_products(left, right).expect("the lengths are equal");
        sum.sqrt()
    };
    let n = 16_777_216.0;
    assert_eq!(root(&[n, n, 1.0], &[n, 2.0, 1.0]), n);
    assert_eq!(root(&[n, n, 1.0, 1e-45], &[n, 2.0, 1.0, 1e-45]), n + 2.0);
    assert_eq!(root(&[n, n, 3.0], &[n, 6.0, 3.0]), n + 4.0);
    assert_eq!(root(&[n, n, 3.0, -1e-45], &[n, 6.0, 3.0, 1e-45]), n + 2.0);
}

/// What the bins do not know: leading −0, blocks with an infinity or a NaN, and the last few.
#[test]
fn dot_products_with_something_special_somewhere() {
    let len = 5001;
    for place in [0, 1, 511, 1023, 1024, 3000, 4096, 5000] {
        for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-45, 3e38] {
            for other in [-0.0, 0.0, -1.0, f32::MAX, f32::INFINITY] {
                for usual in [-0.0, 2.5] {
                    let mut a = vec![usual; len];
                    let mut b = vec![1.0; len];
                    (a[place], b[place]) = (special, other);
                    let mut sum = ExactSum::new();
                    sum.add_products(&a, &b).unwrap();
                    let mut oracle = Oracle::default();
                    oracle.add_repeatedly(usual, len as u64 - 1);
                    oracle.add_product(special, other);
                    check_single(&sum, &oracle, &(place, special, other, usual));
                }
            }
        }
    }
}

#[test]
fn a_product_neither_overflows_nor_underflows() {
    let mut sum = ExactSum::new();
    sum.add_product(f32::MAX, f32::MAX);
    assert_eq!(sum.round(), f32::INFINITY);
    assert_eq!(sum.round_f64().to_bits(), (f64::from(f32::MAX) * f64::from(f32::MAX)).to_bits());
    sum.add_product(f32::MAX, -f32::MAX);
    let tiny = f32::from_bits(1);
    sum.add_product(-tiny, tiny);
    assert_eq!(sum.round_f64().to_bits(), (-f64::from(tiny) * f64::from(tiny)).to_bits());
    // Too small for f32, but not zero: it keeps its sign.
    assert_eq!(sum.round().to_bits(), 1 << 31);
    sum.add_product(tiny, tiny);
    assert_eq!(sum.round().to_bits(), 0);
}

#[test]
fn slices_of_different_lengths_add_nothing() {
    let mut sum = ExactSum::from_iter([1.0_f32]);
    let error = sum.add_products(&[1.0, 2.0], &[3.0]).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { left: 2, right: 1 });
    assert_eq!(error.to_string(), "2 elements cannot be paired with 1");
    assert_eq!(sum, ExactSum::from_iter([1.0]));
}
