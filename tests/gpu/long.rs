//! What is particular to elements of 64 bits.

use crate::harness::oracle::{Oracle, Poison, check};
use crate::harness::{Outcome, Rig, on_every_rig};
use libtest_mimic::Trial;
use wgpu_reduce::{
    ArgMax, ArgMin, BitAnd, CountNan, CountNonZero, Max, Min, MinMax, NanArgMax, NanArgMin, NanMax,
    NanMin, NormL1, NormMax, Product, Sum, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "long::nan_by_either_word", nan_by_either_word),
        on_every_rig(rigs, "long::edges_of_floats", edges_of_floats),
        on_every_rig(rigs, "long::edges_of_integers", edges_of_integers),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const POISON: Poison = Poison { before: 1, after: 1 };

fn floats(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|&bits| f64::from_bits(bits)).collect()
}

fn ordered<T>(rig: &Rig, values: &[T]) -> Outcome
where
    T: crate::harness::TestElement,
    Min: Oracle<T>,
    Max: Oracle<T>,
    MinMax: Oracle<T>,
    ArgMin: Oracle<T>,
    ArgMax: Oracle<T>,
    NormMax: Oracle<T>,
    CountNonZero: Oracle<T>,
{
    let what = format!("{values:?}");
    check::<T, Min>(rig, values, POISON, &what)?;
    check::<T, Max>(rig, values, POISON, &what)?;
    check::<T, MinMax>(rig, values, POISON, &what)?;
    check::<T, ArgMin>(rig, values, POISON, &what)?;
    check::<T, ArgMax>(rig, values, POISON, &what)?;
    check::<T, NormMax>(rig, values, POISON, &what)?;
    check::<T, CountNonZero>(rig, values, POISON, &what)
}

/// Quiet or signalling, of either sign, by one bit of either word.
fn nan_by_either_word(rig: &Rig) -> Outcome {
    let one = 1.0_f64.to_bits();
    for nan in [0x7FF0_0000_0000_0001, 0xFFF0_0000_0000_0001, 0x7FF0_0001_0000_0000, u64::MAX] {
        for bits in [&[nan, one, one][..], &[one, one, nan], &[nan, nan], &[one, nan, one, nan]] {
            let values = floats(bits);
            ordered(rig, &values)?;
            let what = format!("{nan:x}");
            check::<f64, CountNan>(rig, &values, POISON, &what)?;
            check::<f64, NanMin>(rig, &values, POISON, &what)?;
            check::<f64, NanMax>(rig, &values, POISON, &what)?;
            check::<f64, NanArgMin>(rig, &values, POISON, &what)?;
            check::<f64, NanArgMax>(rig, &values, POISON, &what)?;
        }
    }
    Ok(())
}

/// Infinities and what lies next to them, subnormal numbers, zeros of both signs, and numbers that one word
/// alone tells apart.
fn edges_of_floats(rig: &Rig) -> Outcome {
    let infinity = f64::INFINITY.to_bits();
    let bits = [0, 1, 1 << 32, (1 << 32) - 1, infinity - 1, infinity, infinity - (1 << 32)];
    let positive = floats(&bits);
    let negative: Vec<_> = positive.iter().map(|value| -value).collect();
    let both: Vec<_> = positive.iter().zip(&negative).flat_map(|(&a, &b)| [b, a, b]).collect();
    for values in [&positive, &negative, &both] {
        ordered(rig, values)?;
        for pair in values.windows(2) {
            ordered(rig, pair)?;
        }
    }
    Ok(())
}

/// Carries from word to word, and numbers that one word alone tells apart.
fn edges_of_integers(rig: &Rig) -> Outcome {
    let (low, high) = (i64::from(u32::MAX), 1_i64 << 32);
    let signed = [0, 1, -1, low, high, -low, -high, i64::MAX, i64::MIN, i64::MIN + 1, low << 32];
    let unsigned = signed.map(i64::cast_unsigned);
    for first in 0..signed.len() {
        for distance in [0, 1, 4] {
            let second = (first + distance) % signed.len();
            let (a, b) = ([signed[first], signed[second]], [unsigned[first], unsigned[second]]);
            ordered(rig, &a)?;
            ordered(rig, &b)?;
            check::<i64, Sum>(rig, &a, POISON, "signed")?;
            check::<u64, Sum>(rig, &b, POISON, "unsigned")?;
            check::<i64, Product>(rig, &a, POISON, "signed")?;
            check::<u64, WrappingSum>(rig, &b, POISON, "unsigned")?;
            check::<i64, NormL1>(rig, &a, POISON, "signed")?;
            check::<u64, BitAnd>(rig, &b, POISON, "unsigned")?;
        }
    }
    Ok(())
}
