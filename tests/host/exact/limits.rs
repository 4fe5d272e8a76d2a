//! As much as fits, and more.

use super::oracle::Oracle;
use super::sums::check_single;
use wgpu_reduce::{ExactElement, ExactSum};

/// `times` times a sum, by doubling.
fn repeated<T: ExactElement>(sum: &ExactSum<T>, mut times: u64) -> ExactSum<T> {
    let (mut power, mut total) = (sum.clone(), ExactSum::new());
    while times > 0 {
        if times % 2 == 1 {
            total.merge(&power);
        }
        times /= 2;
        if times > 0 {
            power.merge(&power.clone());
        }
    }
    total
}

/// The bins are gathered before they overflow: slices longer than they take at a time, all in one
/// bin, with the largest fraction.
#[test]
fn long_slices_of_one_exponent() {
    let len = (1 << 22) + 4099;
    for value in [f32::MAX, -f32::MAX, f32::from_bits(0x007F_FFFF), f32::from_bits(0xC07F_FFFF)] {
        let values = vec![value; len];
        let mut oracle = Oracle::default();
        oracle.add_repeatedly(value, len as u64);
        let mut sum = ExactSum::new();
        sum.add_slice(&values);
        check_single(&sum, &oracle, &value);
        assert_eq!(sum, repeated(&ExactSum::from_iter([value]), len as u64));
    }
    for value in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0, 0.0] {
        let mut sum = ExactSum::new();
        sum.add_slice(&vec![value; len]);
        assert_eq!(sum, repeated(&ExactSum::from_iter([value]), len as u64));
    }
}

#[test]
fn long_products_of_one_exponent() {
    let [max, least] = [f32::MAX, f32::from_bits(1)];
    products_of_one_exponent((1 << 18) + 1027, [(max, max), (max, -max), (least, -1e-45)]);
    let max = f64::MAX;
    products_of_one_exponent((1 << 22) + 1027, [(max, max), (max, -max), (1.5, 1.5)]);
}

fn products_of_one_exponent<T: ExactElement>(len: usize, pairs: [(T, T); 3]) {
    for (a, b) in pairs {
        let mut sum = ExactSum::new();
        sum.add_products(&vec![a; len], &vec![b; len]).unwrap();
        let mut one = ExactSum::new();
        one.add_product(a, b);
        assert_eq!(sum, repeated(&one, len as u64));
    }
}

/// The largest products, as many as there is room for.
#[test]
fn the_accumulator_holds_as_many_as_it_counts() {
    for sign in [1.0, -1.0] {
        let mut largest = ExactSum::new();
        largest.add_product(f32::MAX, sign * f32::MAX);
        let mut full = repeated(&largest, u64::MAX);
        assert_eq!(full.count(), u64::MAX);
        let square = f64::from(f32::MAX) * f64::from(f32::MAX);
        // (2^64 - 1) · square, rounded: as 2^64 · square, less something below half a unit.
        let expected = f64::from(sign) * square * 2.0_f64.powi(64);
        assert_eq!(full.round_f64().to_bits(), expected.to_bits());
        assert_eq!(full.round(), sign * f32::INFINITY);
        assert_eq!(full.mean(), Ok(sign * f32::INFINITY));
        assert_eq!(ExactSum::from_bytes(&full.to_bytes()).as_ref(), Ok(&full));

        // Nothing but the count is exhausted; still, one more is one too many, in every way.
        let mut merged = ExactSum::from_iter([0.0]);
        merged.merge(&full);
        full.merge(&ExactSum::new());
        assert!(!full.round_f64().is_nan());
        full.add(0.0);
        for more in [full, merged] {
            assert_eq!((more.count(), more.round().to_bits()), (u64::MAX, 0x7FC0_0000));
            assert_eq!(ExactSum::from_bytes(&more.to_bytes()), Ok(more));
        }
    }
}

/// The same of f64, whose largest products no format holds.
#[test]
fn the_accumulator_of_f64_holds_as_many_as_it_counts() {
    for sign in [1.0, -1.0] {
        let mut largest = ExactSum::<f64>::new();
        largest.add_product(f64::MAX, sign * f64::MAX);
        let mut full = repeated(&largest, u64::MAX);
        assert_eq!((full.count(), full.round()), (u64::MAX, sign * f64::INFINITY));
        assert_eq!(ExactSum::from_bytes(&full.to_bytes()).as_ref(), Ok(&full));
        assert_eq!(full.mean(), Ok(sign * f64::INFINITY));
        let mut none = full.clone();
        none.merge(&ExactSum::new());
        assert_eq!(none, full);
        // All but the least of numbers can be taken away again.
        let mut negated = ExactSum::new();
        negated.add_product(f64::MAX, -sign * f64::MAX);
        let mut rest = repeated(&largest, (1 << 63) - 1);
        rest.merge(&repeated(&negated, (1 << 63) - 1));
        rest.add(5e-324);
        assert_eq!((rest.round().to_bits(), rest.count()), (1, u64::MAX));
        full.add(0.0);
        assert_eq!((full.count(), full.round().to_bits()), (u64::MAX, 0x7FF8_0000_0000_0000));
    }
    let len = (1 << 22) + 4099;
    for value in [f64::MAX, -1.999_999_999_999_999_8, f64::from_bits(0xF_FFFF_FFFF_FFFF)] {
        let mut sum = ExactSum::new();
        sum.add_slice(&vec![value; len]);
        assert_eq!(sum, repeated(&ExactSum::from_iter([value]), len as u64));
    }
}

#[test]
fn what_is_added_2_to_the_63_times_can_be_taken_away() {
    let mut largest = ExactSum::new();
    largest.add_product(f32::MAX, f32::MAX);
    let mut negated = ExactSum::new();
    negated.add_product(f32::MAX, -f32::MAX);
    let mut sum = repeated(&largest, (1 << 63) - 1);
    sum.merge(&repeated(&negated, (1 << 63) - 1));
    assert_eq!(sum.round_f64().to_bits(), 0);
    sum.add(1e-45);
    assert_eq!(sum.round().to_bits(), 1);
    assert_eq!(sum.count(), u64::MAX);
}

#[test]
fn means_of_many_are_rounded_once() {
    // 2^24 + 1 times (1 + 2^-23), less 2^-23: the mean is 1 + 2^-23 − 2^-23 / (2^24 + 1).
    let count = (1 << 24) + 1;
    let next = f32::from_bits(0x3F80_0001);
    let mut sum = repeated(&ExactSum::from_iter([next]), count - 1);
    sum.add(1.0);
    assert_eq!(sum.mean(), Ok(next));
    // 3 units over 2 elements: a tie to even; 2^63 elements of the least number.
    assert_eq!(ExactSum::from_iter([3e-45, 1e-45]).mean().map(f32::to_bits), Ok(2));
    let many = repeated(&ExactSum::from_iter([f32::from_bits(1)]), 1 << 63);
    assert_eq!(many.mean().map(f32::to_bits), Ok(1));
    // 1 + 2^-24, half-way between two numbers, and a third of 2^-298 more, which is no bit of the sum.
    let mut sum = ExactSum::from_iter([3.0, 3.0 / 16_777_216.0]);
    sum.add_product(1e-45, 1e-45);
    assert_eq!(sum.mean(), Ok(next));
    sum.add_product(-1e-45, 1e-45);
    sum.merge(&ExactSum::from_iter([3.0, 3.0 / 16_777_216.0]));
    assert_eq!(sum.mean(), Ok(1.0));
}
