//! Sums that others have sent.

use crate::take::Bytes;
use wgpu_reduce::ExactSum;

/// Takes the bytes as a sum, and makes a sum of them, whose bytes it spoils. Whether these are
/// accepted all the same.
///
/// # Panics
///
/// If bytes that are accepted are not those that the sum has, or if sums that are accepted cannot be merged.
#[must_use]
pub fn exact_sum(bytes: &[u8]) -> bool {
    let is_one = accept(bytes);
    let mut left = Bytes(bytes);
    let (at, mask) = (usize::try_from(left.scaled()).unwrap_or(usize::MAX), left.byte());
    let mut sum = ExactSum::new();
    for word in left.0.chunks_exact(4) {
        sum.add(f32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    }
    let mut sent = sum.to_bytes();
    assert!(accept(&sent), "it was made of a sum");
    if let Some(byte) = sent.get_mut(at) {
        *byte ^= mask;
    }
    accept(&sent) || is_one
}

fn accept(bytes: &[u8]) -> bool {
    let Ok(sum) = ExactSum::from_bytes(bytes) else { return false };
    assert_eq!(sum.to_bytes(), bytes, "a sum has one form");
    let mut twice = sum.clone();
    twice.merge(&sum);
    let again = ExactSum::from_bytes(&twice.to_bytes()).expect("it was made of sums");
    assert_eq!(again.to_bytes(), twice.to_bytes());
    let (one, two) = (sum.round_f64(), twice.round_f64());
    assert!(one.is_nan() || two.is_nan() || (2.0 * one).total_cmp(&two).is_eq());
    let single = sum.round();
    assert_eq!(single.is_nan(), one.is_nan());
    true
}
