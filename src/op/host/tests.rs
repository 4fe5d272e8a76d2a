//! Every operation of every type, on elements that are lifted one by one.

use super::lifts::{Lift, wide};
use crate::error::Error;
use crate::op::element::{Element, ElementKind, Number};
use crate::op::*;
use crate::plan::caps::Caps;
use crate::plan::planned::Plan;
use crate::plan::problem::Problem;
use crate::plan::tuning::Tuning;
use std::fmt::Debug;

/// What can be compared.
trait Near: Copy + Debug {
    /// Whether it is no farther from `other` than `tolerance`; where there is none, it has the same bits.
    fn is_near(self, other: Self, tolerance: Option<f64>) -> bool;
}

macro_rules! near {
    ($($float:ty),*; $($exact:ty),*) => {
        $(impl Near for $float {
            fn is_near(self, other: Self, tolerance: Option<f64>) -> bool {
                let distance = (f64::from(self) - f64::from(other)).abs();
                self.to_bits() == other.to_bits() || tolerance.is_some_and(|tolerance| {
                    let are_nan = self.is_nan() && other.is_nan();
                    // Beyond the range, or rounded as numbers within it are.
                    let is_beyond = tolerance == f64::INFINITY
                        && (!self.is_finite() || distance <= f64::from(Self::MAX) / 64.0);
                    are_nan || distance <= tolerance && tolerance < f64::INFINITY || is_beyond
                })
            }
        })*
        $(impl Near for $exact {
            fn is_near(self, other: Self, _: Option<f64>) -> bool {
                self == other
            }
        })*
    };
}
near!(f32, f64; i32, u32, i64, u64, i128, u128, bool);

impl<T: Near> Near for Located<T> {
    fn is_near(self, other: Self, _: Option<f64>) -> bool {
        self.index == other.index && self.value.is_near(other.value, None)
    }
}

impl<T: Near> Near for Extrema<T> {
    fn is_near(self, other: Self, _: Option<f64>) -> bool {
        self.min.is_near(other.min, None) && self.max.is_near(other.max, None)
    }
}

impl<T: Near, S: Near, M: Near> Near for Statistics<T, S, M> {
    fn is_near(self, other: Self, tolerance: Option<f64>) -> bool {
        self.count == other.count
            && self.min.is_near(other.min, None)
            && self.max.is_near(other.max, None)
            && self.sum.is_near(other.sum, tolerance)
            && self.mean.is_near(other.mean, tolerance)
            && self.variance.is_near(other.variance, tolerance)
    }
}

/// A plan that has so many roundings, as many as elements that are combined one after another.
fn plan(record: &'static OpRecord, element: ElementKind, len: u64) -> Plan {
    let mut caps = Caps::baseline();
    caps.f64 = true;
    let problem = Problem::by(record, element, len).left(Some([0; 3]), false);
    let problem = problem.tuned(Tuning::for_len(&caps, element, len));
    let rounds = record.over(element).unwrap().accumulator.rounds();
    let plan = problem.plan(&caps).unwrap();
    Plan { roundings: if rounds { len } else { 0 }, ..plan }
}

/// Returns the name of what has been checked.
fn check<T: Lift, O: Operation<T, Output: Near> + Default>() -> &'static str {
    let operation = O::default();
    let (record, number) = (operation.record(), T::KIND.number());
    let name = record.name;
    let fold = record.on_host(T::KIND).unwrap();
    for kind in 0..7 {
        for len in [1, 2, 3, 10, 300] {
            let values = T::data(kind, len);
            let lifts = (0..)
                .zip(&values)
                .map(|(index, value)| value.lifted().accumulator(record, number, index));
            let words = lifts.collect::<Vec<_>>().concat();
            let raw = fold(bytemuck::cast_slice(&words)).unwrap();
            assert_eq!(raw.len(), size_of::<O::Raw>(), "{name} of {}", T::KIND);
            let found = operation.finish(bytemuck::pod_read_unaligned(&raw), len);
            let expected = operation.on_cpu(&values);
            let plan = plan(record, T::KIND, len);
            let rounds = plan.roundings > 0;
            let tolerance = rounds.then(|| operation.tolerance(&values, &plan.accuracy()));
            let is_right = match (&found, &expected) {
                (Ok(found), Ok(expected)) => found.is_near(*expected, tolerance),
                (found, expected) => found.as_ref().err() == expected.as_ref().err(),
            };
            let what = format!("{name} of {len} {} of kind {kind}", T::KIND);
            assert!(is_right, "{what}: {found:?} is not {expected:?} within {tolerance:?}");
        }
    }
    name
}

macro_rules! check_all {
    ($checked:ident $($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        $(
            crate::with_elements!(words of $class, check_each ($checked $operation));
            crate::with_elements!(wide of $class, check_each ($checked $operation));
        )*
    };
}

macro_rules! check_each {
    ([$($element:ty),*] $checked:ident $operation:ident) => {
        $($checked.push(check::<$element, $operation>());)*
    };
}

#[test]
fn accumulators_are_combined_and_finished_as_by_definition() {
    let mut checked = Vec::new();
    crate::for_each_operation!(check_all, checked);
    for record in OpRecord::ALL {
        let types = NUMBERS.into_iter().filter(|&number| (record.over)(number).is_some()).count();
        let found = checked.iter().filter(|name| **name == record.name).count();
        assert_eq!(found, types, "{record:?}");
    }
}

const NUMBERS: [Number; 6] =
    [Number::F32, Number::I32, Number::U32, Number::I64, Number::U64, Number::F64];

/// Operations of two inputs, whose products are added.
#[test]
fn dot_products_are_added() {
    let integers = [i32::MIN, i32::MAX, -1, 7].map(i128::from);
    let products = integers.iter().flat_map(|a| integers.iter().map(move |b| a * b));
    let fold = PairOperation::<i32>::record(&Dot).on_host(ElementKind::I32).unwrap();
    let words: Vec<_> = products.clone().map(wide).collect();
    let sum: i128 =
        bytemuck::pod_read_unaligned(&fold(bytemuck::cast_slice(&words.concat())).unwrap());
    assert_eq!(sum, products.sum());
    let fold = PairOperation::<f32>::record(&Dot).on_host(ElementKind::F32).unwrap();
    assert_eq!(
        fold(bytemuck::cast_slice(&[1.5_f32, -4.0])),
        Ok(bytemuck::bytes_of(&-2.5_f32).to_vec())
    );
}

/// The host's result of elements of which each is an accumulator.
fn folded<T: Lift, O: Operation<T>>(operation: O, values: &[T]) -> O::Output {
    let record = operation.record();
    let lift =
        |(index, value): (u32, &T)| value.lifted().accumulator(record, T::KIND.number(), index);
    let words = (0..).zip(values).map(lift).collect::<Vec<_>>().concat();
    let raw = record.on_host(T::KIND).unwrap()(bytemuck::cast_slice(&words)).unwrap();
    operation.finish(bytemuck::pod_read_unaligned(&raw), values.len() as u64).unwrap()
}

/// Distances are counted from what is near to most elements, whichever comes first.
#[test]
fn outliers_do_not_stay_pivots() {
    for outlier in [1_000_003.0, -30_000_010.0] {
        let mut values = vec![outlier];
        values.extend(f32::data(0, 20_000));
        let expected = Mean.on_cpu(&values).unwrap();
        for mean in [folded(Mean, &values), folded(Stats::default(), &values).mean] {
            assert!((mean / expected - 1.0).abs() < 1e-3, "{mean} is not {expected}");
        }
    }
}

/// Parts of no elements change nothing, however far from zero the others are.
#[test]
fn nothing_is_apart_from_none() {
    let fold = Operation::<f32>::record(&Variance::default()).on_host(ElementKind::F32).unwrap();
    let some = [3, 0, 0, 1e30_f32.to_bits(), 0];
    let figures = fold(bytemuck::cast_slice(&[[0; 5], some, [0; 5]])).unwrap();
    let words: [u32; 8] = bytemuck::pod_read_unaligned(&figures);
    assert_eq!(words, [3, 0, 0, 1e30_f32.to_bits(), 0, 0, 0, 0]);
}

#[test]
fn counts_have_64_bits() {
    // Twice 3 * 2^32 + 1 elements, the first half all 2, the other half all 6.
    let fold = Operation::<f32>::record(&Mean).on_host(ElementKind::F32).unwrap();
    let [first, other] = [2.0_f32, 6.0].map(|value| [1, 3, value.to_bits(), 0]);
    let mean = fold(bytemuck::cast_slice(&[first, other])).unwrap();
    assert_eq!(mean, bytemuck::bytes_of(&4.0_f32));
    let fold = Operation::<f64>::record(&Variance::default()).on_host(ElementKind::F64).unwrap();
    let value = |value: f64| value.to_bits();
    let [first, other] = [2.0, 6.0].map(|pivot| [(3 << 32) + 1, value(pivot), 0, 0]);
    let figures = fold(bytemuck::cast_slice(&[first, other])).unwrap();
    let [count, pivot, rest, squares]: [u64; 4] = bytemuck::pod_read_unaligned(&figures);
    assert_eq!((count, pivot, rest), ((6 << 32) + 2, value(2.0), value(2.0)));
    // Each is 2 away from the mean.
    assert_eq!(squares, value(4.0 * (6.0 * 2.0_f64.powi(32) + 2.0)));
}

/// What no element is alone: a window, negative digits above it, and infinities of both signs.
#[test]
#[expect(clippy::cast_possible_truncation, reason = "rounded once")]
fn digits_and_windows_are_one_sum() {
    let fold = Operation::<f32>::record(&SumExact).on_host(ElementKind::F32).unwrap();
    let sum = |accumulators: &[[u32; 16]]| {
        let sum = fold(bytemuck::cast_slice(accumulators));
        sum.map(|bytes| bytemuck::pod_read_unaligned::<u32>(&bytes))
    };
    // 5 - 2^32 times 2^(30 - 149), and less 3 times 2^(48 - 149).
    let mut words = [0; 16];
    words[2] = (-3_i32).cast_unsigned();
    words[13..].copy_from_slice(&[31 << 23 | 1, 5, u32::MAX]);
    let unit = |exponent| 2.0_f64.powi(exponent);
    let value = (5.0 - unit(32)) * unit(30 - 149) - 3.0 * unit(48 - 149);
    assert_eq!(sum(&[words]), Ok((value as f32).to_bits()));
    assert_eq!(sum(&[words; 3]), Ok(((3.0 * value) as f32).to_bits()));
    let seen = |kinds: u32| [&[0; 13][..], &[1 << 31 | kinds, 0, 0]].concat().try_into().unwrap();
    for (kinds, expected) in [
        (0, 0.0),
        (16, -0.0),
        (16 | 1, 0.0),
        (2 | 1, f32::INFINITY),
        (4 | 1, -f32::INFINITY),
        (2 | 4 | 1, f32::NAN),
        (8 | 2 | 1, f32::NAN),
    ] {
        assert_eq!(sum(&[seen(kinds)]), Ok(expected.to_bits()), "{kinds}");
    }
    // Digits, but nothing that has been seen.
    words[13] &= !1;
    assert!(matches!(sum(&[words]), Err(Error::Internal { .. })));
}

/// There is a fold where there is an operation, from its accumulator's size to its output's.
#[test]
fn sizes_are_those_of_records() {
    for record in OpRecord::ALL.into_iter().chain(OpRecord::PAIRS) {
        for number in NUMBERS {
            let (over, fold) = ((record.over)(number), (record.on_host)(number));
            assert_eq!(over.is_some(), fold.is_some(), "{record:?} of {number:?}");
            let Some((over, fold)) = over.zip(fold) else { continue };
            let size = usize::try_from(over.accumulator.size_bytes()).unwrap();
            for count in 1..4 {
                let result = fold(&vec![0; size * count]).map(|bytes| bytes.len() as u64);
                assert_eq!(result, Ok(over.output_bytes), "{record:?} of {number:?}");
            }
            for bytes in [0, size - 1, size + 1, 2 * size - 1] {
                let result = fold(&vec![0; bytes]);
                assert!(matches!(result, Err(Error::Internal { .. })), "{record:?}: {result:?}");
            }
        }
    }
}

/// Halves of 2^33 zeros, of which each one's sum of keys fits 64 bits, and both together do not.
#[test]
fn sums_of_keys_are_modulo_2_to_the_64() {
    let fold = Operation::<i32>::record(&Variance::default()).on_host(ElementKind::I32).unwrap();
    let half = [0, 1 << 31, 0, 0, 0, 0];
    let raw = fold(bytemuck::cast_slice(&[half, half])).unwrap();
    let raw = bytemuck::pod_read_unaligned(&raw);
    assert_eq!(raw, [0; 8]);
    let variance = Operation::<i32>::finish(&Variance::default(), raw, 1 << 33).unwrap();
    assert_eq!(variance.to_bits(), 0.0_f64.to_bits());
}

/// Fields of plans are anybody's, and plans of streams are of any length: whatever they say, there is a bound.
#[test]
fn bounds_of_any_number_of_roundings_are_bounds() {
    fn is_infinite<T: Element, O: Operation<T> + Default>(values: &[T]) {
        let mut plan = plan(O::default().record(), T::KIND, 3);
        let of_few = O::default().tolerance(values, &plan.accuracy());
        assert!(of_few.is_finite(), "{of_few} with {} roundings", plan.roundings);
        (plan.roundings, plan.len) = (u64::MAX, u64::MAX);
        plan.loads_in_flight = u32::MAX;
        assert_eq!(
            O::default().tolerance(values, &plan.accuracy()).to_bits(),
            f64::INFINITY.to_bits()
        );
    }
    let (singles, doubles) = ([0.5_f32, -1.5, 2.0], [0.5_f64, -1.5, 2.0]);
    is_infinite::<_, Sum>(&singles);
    is_infinite::<_, SumOfSquares>(&singles);
    is_infinite::<_, SumOfSquares>(&doubles);
    is_infinite::<_, NormL2>(&singles);
    is_infinite::<_, Mean>(&singles);
    is_infinite::<_, Mean>(&doubles);
    is_infinite::<_, Variance>(&singles);
    is_infinite::<_, Variance>(&doubles);
    is_infinite::<_, Std>(&singles);
    is_infinite::<_, Std>(&doubles);
    is_infinite::<_, NanVariance>(&singles);
    is_infinite::<_, NanStd>(&doubles);
    let mut pairs = plan(Operation::<f32>::record(&Stats::default()), ElementKind::F32, 3);
    pairs.roundings = u64::MAX;
    assert_eq!(
        Dot.tolerance(&singles, &singles, &pairs.accuracy()).to_bits(),
        f64::INFINITY.to_bits()
    );
    // With few roundings in all, those in a tile alone.
    let mut few = plan(Operation::<f32>::record(&Stats::default()), ElementKind::F32, 3);
    few.loads_in_flight = u32::MAX;
    let [sum, mean, variance] = Stats::default().tolerances(&singles, &few.accuracy());
    assert!(sum.is_finite() && mean.is_finite() && variance.is_infinite(), "{variance}");
}
