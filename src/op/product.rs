//! Product.

use super::deviations::{numbers, to_f32};
use super::host::{Factors, fold, same};
use super::precision::Precision;
use super::{OpRecord, Over, doubles, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The product of all elements; 1 of none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `i64` | `i64` | modulo 2^64, as NumPy has it: exact as long as it fits |
/// | `u32`, `u64` | `u64` | modulo 2^64, as NumPy has it: exact as long as it fits |
/// | `f32` | `f32` | rounded; of n elements off by at most n·2^-24 of itself, to first order |
/// | `f64` | `f64` | the same with 2^-53 |
///
/// The product of integers has the same bits on every device. For floats it has the same bits on every run on
/// one adapter with one tuning, as [`Sum`](crate::Sum) has. They are multiplied as significands and exponents, so that no product on the
/// way is beyond the range of their type or below it. NaN and infinity in the input follow IEEE 754 as far as the device's
/// arithmetic does.
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
    several: None,
    of_none: true,
    over: |number| {
        Some(match number {
            Number::F32 => of_floats(Accumulator::Significand, 4),
            Number::F64 => of_floats(Accumulator::SignificandF64, 8),
            Number::I32 | Number::U32 | Number::I64 | Number::U64 => {
                Over::unfinished(fragment!("ops/product_integer.wgsl"), Accumulator::Product)
            }
        })
    },
    on_host: |number| {
        Some(match number {
            Number::F32 => |parts| fold(parts, Factors::<f32>::and, Factors::product),
            Number::F64 => |parts| fold(parts, Factors::<f64>::and, Factors::product),
            Number::I32 | Number::U32 | Number::I64 | Number::U64 => {
                |parts| fold(parts, u64::wrapping_mul, same)
            }
        })
    },
};

const fn of_floats(accumulator: Accumulator, output_bytes: u64) -> Over {
    let fragment = fragment!("ops/product_float.wgsl");
    Over { lifting: Lifting::Appended, output_bytes, ..Over::unfinished(fragment, accumulator) }
}

operate!(Product of f32 => f32; |values| {
    Ok(to_f32(doubles::product(&numbers(values))))
}; within |values, _| tolerance(&numbers(values), Precision::SINGLE));
operate!(Product of f64 => f64; |values| Ok(doubles::product(values)); within |values, _| {
    tolerance(values, Precision::DOUBLE)
});
operate!(Product of i32 => i64; |values| {
    Ok(values.iter().fold(1, |product, &v| product.wrapping_mul(i64::from(v))))
});
operate!(Product of u32 => u64; |values| {
    Ok(values.iter().fold(1, |product, &v| product.wrapping_mul(u64::from(v))))
});

operate!(Product of i64 => i64; |values| Ok(values.iter().fold(1, |p: i64, &v| p.wrapping_mul(v))));
operate!(Product of u64 => u64; |values| Ok(values.iter().fold(1, |p: u64, &v| p.wrapping_mul(v))));

/// How far a product may be off whose factors and steps are floats of some type.
fn tolerance(values: &[f64], precision: Precision) -> f64 {
    let product = doubles::product(values);
    precision.rounded(precision.gamma(values.len() as u64 + 1) * product.abs(), product)
}
