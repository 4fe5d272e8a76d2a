//! Logarithm of the sum of exponentials.

use super::deviations::{numbers, to_f32, to_f64, total};
use super::host::{Exponentials, fold, log_of_exponentials};
use super::precision::Precision;
use super::{Accuracy, OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The logarithm of the sum of the elements' exponentials, as `scipy.special.logsumexp` has it.
///
/// | elements | result |
/// |---|---|
/// | `f32`, `f16`, `bf16` | `f32` |
///
/// WGSL has no exponential of `f64`, so there is none of `f64`, nor of integers.
///
/// A sum of exponentials of distances from the largest element so far stands beside that element. No exponential overflows, and those
/// that underflow are too small to count (Blanchard, Higham and Higham, *Accurately computing the log-sum-exp and softmax functions*,
/// 2021). The host takes the logarithm in `f64`, so no device's logarithm counts. With k roundings
/// ([`Accuracy::roundings`](crate::Accuracy::roundings)), u = 2^-24 and n elements, the result r is off by at most
/// (8k + 8 + 6·ln n)·u + 2u·|r|, to first order. This takes exponentials to be within 3 + 2·|x| units in the last place, as WGSL
/// promises. Factors of the largest element are 1, so a result of one element is that element.
/// It has the same bits on every run on one adapter with one tuning.
///
/// If an element is NaN the result is NaN. Else it is ∞ if an element is, and −∞ if all are. These are told by integer operations
/// on the bits. Of no elements there is no result: [`Error::Empty`](crate::Error::Empty).
///
/// A device leaves four words: the bits of the result by its own logarithm, those of the largest element, those of the sum, and zero. The
/// first may be off by 2^-21 and by four units in its last place more than what [`finish`](crate::Operation::finish) makes of the others.
///
/// ```
/// use wgpu_reduce::{LogSumExp, Operation};
///
/// assert_eq!(LogSumExp.on_cpu(&[1000.0_f32; 8])?, 1000.0 + 8_f32.ln());
/// assert_eq!(LogSumExp.on_cpu(&[f32::NEG_INFINITY, -2.5])?, -2.5);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogSumExp;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "log_sum_exp",
    several: None,
    of_none: false,
    over: |number| {
        (number == Number::F32).then_some(Over {
            lifting: Lifting::Appended,
            output_bytes: 16,
            ..Over::unfinished(fragment!("ops/log_sum_exp.wgsl"), Accumulator::Exponentials)
        })
    },
    on_host: |number| match number {
        Number::F32 => Some(|parts| fold(parts, Exponentials::and, Exponentials::logarithm)),
        _ => None,
    },
};

operate!(LogSumExp of f32 => f32, from [u32; 4] = |[_, largest, sum, _], _| {
    Ok(log_of_exponentials(f32::from_bits(largest), f32::from_bits(sum)))
}; |values| Ok(to_f32(log_sum_exp(&numbers(values)))); within |values, accuracy| {
    bound(&numbers(values), accuracy)
});

/// The largest element, and NaN where there is one.
fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::NEG_INFINITY, |largest, number| {
        if largest.is_nan() || number <= largest { largest } else { number }
    })
}

fn log_sum_exp(numbers: &[f64]) -> f64 {
    let largest = largest(numbers);
    if !largest.is_finite() {
        return largest;
    }
    largest + total(numbers.iter().map(|number| (number - largest).exp())).ln()
}

/// How far the result may be off. An exponential of x is off by (6 + 5·|x|)·u, with the rounding of x. On its way an element has one for
/// each addition, of distances that add up to its distance d from the largest. Beside that each addition has two roundings. In the sum of
/// all an element has the weight p = e^-d / s, and s is no less than 1. So d is at most -ln p, and the mean of d by these weights at most
/// their entropy, which is no more than ln n.
fn bound(numbers: &[f64], accuracy: &Accuracy) -> f64 {
    if !largest(numbers).is_finite() {
        return 0.0;
    }
    let count = to_f64(numbers.len() as u64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 267")]
    let of_distances = (6.0 * count.ln()).ceil() as u64;
    let of_additions = accuracy.roundings.saturating_mul(8).saturating_add(8);
    let precision = Precision::SINGLE;
    let of_sum = precision.gamma(of_additions.saturating_add(of_distances));
    // Of a logarithm.
    let off = if of_sum < 1.0 { -(-of_sum).ln_1p() } else { f64::INFINITY };
    precision.rounded(off + count * precision.tiny, log_sum_exp(numbers))
}
