//! Product.

use super::deviations::{gamma, rounded, to_f32};
use super::zero::Zero;
use super::{OpRecord, Over, operate};
use crate::accumulator::Accumulator;
use crate::element::Number;
use crate::fragment::fragment;

/// The product of all elements; 1 of none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32` | `i64` | modulo 2^64, as NumPy has it: exact as long as it fits |
/// | `u32` | `u64` | modulo 2^64, as NumPy has it: exact as long as it fits |
/// | `f32` | `f32` | rounded; of n elements off by at most n·2^-24 of itself, to first order |
///
/// That of integers has the same bits on every device. That of `f32` has the same bits on every run on
/// one adapter with one tuning, as [`Sum`](crate::Sum) has. Where the product of those elements that
/// are larger than 1 is beyond the range of `f32`, or that of those smaller than 1 is below it, the
/// result depends on the order, and may be 0, infinity or NaN. NaN and infinity in the input follow
/// IEEE 754 as far as the device's arithmetic does.
///
/// ```
/// use wgpu_reduce::{Operation, Product};
///
/// assert_eq!(Product.on_cpu(&[-3, i32::MAX])?, -6_442_450_941_i64);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Product;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "product",
    of_none: true,
    over: |number| {
        Some(match number {
            Number::F32 => Over::unfinished(fragment!("ops/product_f32.wgsl"), Accumulator::F32),
            Number::I32 | Number::U32 => {
                Over::unfinished(fragment!("ops/product_integer.wgsl"), Accumulator::Product)
            }
        })
    },
};

operate!(Product of f32 => f32; |values| Ok(to_f32(product(values))); within |values, _| {
    // Any partial product is between these two.
    let exponents = || values.iter().filter(|v| !v.is_zero()).map(|v| f64::from(v.abs()).log2());
    let most: f64 = exponents().filter(|exponent| *exponent > 0.0).sum();
    let least: f64 = exponents().filter(|exponent| *exponent < 0.0).sum();
    let is_finite = values.iter().all(|value| value.is_finite());
    let has_zero = values.iter().any(Zero::is_zero);
    // Infinity times what may have become 0 is NaN.
    if least < -125.0 || is_finite && most > 127.0 || has_zero && !is_finite {
        return f64::INFINITY;
    }
    let product = product(values);
    rounded(gamma(values.len() as u64 + 1) * product.abs(), product)
});
operate!(Product of i32 => i64; |values| {
    Ok(values.iter().fold(1, |product, &v| product.wrapping_mul(i64::from(v))))
});
operate!(Product of u32 => u64; |values| {
    Ok(values.iter().fold(1, |product, &v| product.wrapping_mul(u64::from(v))))
});

fn product(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value)).product()
}
