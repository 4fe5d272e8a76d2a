//! Product.

use super::deviations::to_f32;
use super::host::{fold, same};
use super::precision::Precision;
use super::zero::Zero;
use super::{OpRecord, Over, doubles, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::shader::fragment::fragment;

/// The product of all elements; 1 of none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `i64` | `i64` | modulo 2^64, as NumPy has it: exact as long as it fits |
/// | `u32`, `u64` | `u64` | modulo 2^64, as NumPy has it: exact as long as it fits |
/// | `f32` | `f32` | rounded; of n elements off by at most n·2^-24 of itself, to first order |
/// | `f64` | `f64` | the same with 2^-53; on devices that have `f64`, as [`Sum`](crate::Sum) |
///
/// The product of integers has the same bits on every device. For floats it has the same bits on every run on
/// one adapter with one tuning, as [`Sum`](crate::Sum) has. Where the product of those elements that
/// are larger than 1 is beyond the range of their type, or that of those smaller than 1 is below it, the
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
            Number::F32 | Number::F64 => {
                Over::unfinished(fragment!("ops/product_float.wgsl"), Accumulator::sum(number))
            }
            Number::I32 | Number::U32 | Number::I64 | Number::U64 => {
                Over::unfinished(fragment!("ops/product_integer.wgsl"), Accumulator::Product)
            }
        })
    },
    on_host: |number| {
        Some(match number {
            Number::F32 => |parts| fold(parts, |a: f32, b| a * b, same),
            Number::F64 => |parts| fold(parts, |a: f64, b| a * b, same),
            Number::I32 | Number::U32 | Number::I64 | Number::U64 => {
                |parts| fold(parts, u64::wrapping_mul, same)
            }
        })
    },
};

operate!(Product of f32 => f32; |values| Ok(to_f32(product(&widened(values)))); within |values, _| {
    let values = widened(values);
    tolerance(&values, product(&values), Precision::SINGLE)
});
operate!(Product of f64 => f64; |values| Ok(doubles::product(values)); within |values, _| {
    tolerance(values, doubles::product(values), Precision::DOUBLE)
});
operate!(Product of i32 => i64; |values| {
    Ok(values.iter().fold(1, |product, &v| product.wrapping_mul(i64::from(v))))
});
operate!(Product of u32 => u64; |values| {
    Ok(values.iter().fold(1, |product, &v| product.wrapping_mul(u64::from(v))))
});

operate!(Product of i64 => i64; |values| Ok(values.iter().fold(1, |p: i64, &v| p.wrapping_mul(v))));
operate!(Product of u64 => u64; |values| Ok(values.iter().fold(1, |p: u64, &v| p.wrapping_mul(v))));

fn widened(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

fn product(values: &[f64]) -> f64 {
    values.iter().product()
}

/// How far a product may be off whose factors and steps are floats of some type.
fn tolerance(values: &[f64], product: f64, precision: Precision) -> f64 {
    // Times anything it is NaN.
    if values.iter().any(|value| value.is_nan()) {
        return 0.0;
    }
    // Any partial product is between these two.
    let exponents = || values.iter().filter(|v| !v.is_zero()).map(|v| v.abs().log2());
    let most: f64 = exponents().filter(|exponent| *exponent > 0.0).sum();
    let least: f64 = exponents().filter(|exponent| *exponent < 0.0).sum();
    let is_finite = values.iter().all(|value| value.is_finite());
    let has_zero = values.iter().any(Zero::is_zero);
    let (above, below) = (precision.most.log2() - 1.0, precision.tiny.log2() + 1.0);
    // Infinity times what may have become 0 is NaN.
    if least < below || is_finite && most > above || has_zero && !is_finite {
        return f64::INFINITY;
    }
    precision.rounded(precision.gamma(values.len() as u64 + 1) * product.abs(), product)
}
