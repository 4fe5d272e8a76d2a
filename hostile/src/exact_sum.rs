//! Sums that others have sent.

use crate::take::Bytes;
use wgpu_reduce::{ExactElement, ExactSum};

/// Takes the bytes as a sum, and makes a sum of them, whose bytes it spoils. Whether these are
/// accepted all the same.
///
/// # Panics
///
/// If bytes that are accepted are not those that the sum has, or if sums that are accepted cannot be merged.
#[must_use]
pub fn exact_sum(bytes: &[u8]) -> bool {
    let single = of(bytes, f32::from_le_bytes, accept_single);
    of(bytes, f64::from_le_bytes, |bytes| accept::<f64>(bytes).is_some()) || single
}

fn of<T: ExactElement, const N: usize>(
    bytes: &[u8],
    element: impl Fn([u8; N]) -> T,
    accept: impl Fn(&[u8]) -> bool,
) -> bool {
    let is_one = accept(bytes);
    let mut left = Bytes(bytes);
    let (at, mask) = (usize::try_from(left.scaled()).unwrap_or(usize::MAX), left.byte());
    let mut sum = ExactSum::new();
    for word in left.0.chunks_exact(N) {
        sum.add(element(word.try_into().expect("it is of that length")));
    }
    let mut sent = sum.to_bytes();
    assert!(accept(&sent), "it was made of a sum");
    if let Some(byte) = sent.get_mut(at) {
        *byte ^= mask;
    }
    accept(&sent) || is_one
}

/// The sum that bytes are, and twice as much.
fn accept<T: ExactElement>(bytes: &[u8]) -> Option<[ExactSum<T>; 2]> {
    let sum = ExactSum::from_bytes(bytes).ok()?;
    assert_eq!(sum.to_bytes(), bytes, "a sum has one form");
    let mut twice = sum.clone();
    twice.merge(&sum);
    let again = ExactSum::<T>::from_bytes(&twice.to_bytes()).expect("it was made of sums");
    assert_eq!(again.to_bytes(), twice.to_bytes());
    let _ = (twice.round(), twice.mean());
    Some([sum, twice])
}

fn accept_single(bytes: &[u8]) -> bool {
    let Some([sum, twice]) = accept::<f32>(bytes) else { return false };
    let (one, two) = (sum.round_f64(), twice.round_f64());
    assert!(one.is_nan() || two.is_nan() || (2.0 * one).total_cmp(&two).is_eq());
    let single = sum.round();
    assert_eq!(single.is_nan(), one.is_nan());
    true
}
