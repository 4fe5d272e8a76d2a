//! Dot product.

use super::Accuracy;
use super::deviations::{numbers, to_f32, to_f64, total};
use super::fold::folds;
use super::host::{sums, sums_of_128_bits};
use super::pairs::{PairOperation, check_pairs};
use super::precision::Precision;
use super::{OpRecord, Over, doubles};
use crate::error::Result;
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;
use std::iter::zip;

/// The dot product of two inputs: the sum of the products of their elements; 0 of none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `i16`, `i8` | `i128` | exact |
/// | `u32`, `u16`, `u8` | `u128` | exact |
/// | floats of up to 32 bits | `f32` | rounded, with one rounding more for each pair than a sum |
/// | `f64` | `f64` | the same |
///
/// There is none of `i64` and `u64`, whose products add up to more than 128 bits.
///
/// The dot product of integers has the same bits on every device. For floats it has the same bits on every run on one
/// adapter with one tuning, as [`Sum`](crate::Sum) has. Besides length and tuning it depends on where in their buffers
/// the inputs begin and end. Products of floats and their partial sums may overflow to infinity and underflow to 0, and the sign
/// of a zero result is not specified. NaN and infinity in the inputs follow IEEE 754 as far as the
/// device's arithmetic does, as in `numpy.dot`. [`GpuReducer::dot_exact`] has neither overflow nor
/// rounding before the end.
///
/// Both inputs may be the same, or overlap. [`along`](crate::Request::along) makes a dot product for each row.
///
/// ```
/// use wgpu_reduce::{Dot, PairOperation};
///
/// assert_eq!(Dot.on_cpu(&[1.0_f32, 2.0], &[0.5, 4.0])?, 8.5);
/// assert_eq!(Dot.on_cpu(&[i32::MIN, 3], &[i32::MAX, -1])?, -4_611_686_016_279_904_259);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// [`GpuReducer::dot_exact`]: crate::GpuReducer::dot_exact
#[derive(Debug, Clone, Copy, Default)]
pub struct Dot;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "dot",
    several: None,
    of_none: true,
    over: |number| {
        let (fragment, accumulator) = match number {
            Number::F32 | Number::F64 => {
                (fragment!("ops/dot_float.wgsl"), Accumulator::sum(number))
            }
            Number::I32 | Number::U32 => (fragment!("ops/dot_integer.wgsl"), Accumulator::U128),
            // Their products have 128 bits, and the sum more than any type of Rust.
            Number::I64 | Number::U64 => return None,
        };
        Some(Over { lifting: Lifting::Pairs, ..Over::unfinished(fragment, accumulator) })
    },
    on_host: |number| match number {
        Number::F32 | Number::F64 => Some(sums(number)),
        Number::I32 | Number::U32 => Some(sums_of_128_bits),
        Number::I64 | Number::U64 => None,
    },
};

macro_rules! dot {
    ($element:ty => $output:ty; $on_cpu:expr; within $tolerance:expr) => {
        impl crate::op::sealed::Sealed<$element> for Dot {}

        folds!(Dot of pairs of $element => $output, from $output; &RECORD);

        impl PairOperation<$element> for Dot {
            fn record(&self) -> &'static OpRecord {
                &RECORD
            }

            fn finish(&self, raw: $output, _: u64) -> Result<$output> {
                Ok(raw)
            }

            fn on_cpu(&self, left: &[$element], right: &[$element]) -> Result<$output> {
                check_pairs(left, right)?;
                let on_cpu: fn(&[$element], &[$element]) -> $output = $on_cpu;
                Ok(on_cpu(left, right))
            }

            fn tolerance(&self, left: &[$element], right: &[$element], accuracy: &Accuracy) -> f64 {
                let tolerance: fn(&[$element], &[$element], &Accuracy) -> f64 = $tolerance;
                tolerance(left, right, accuracy)
            }
        }
    };
}
dot!(f32 => f32; |left, right| to_f32(total(products(left, right))); within |left, right, accuracy| {
    tolerance(&numbers(left), &numbers(right), Precision::SINGLE, accuracy)
});
dot!(f64 => f64; doubles::dot; within |left, right, accuracy| {
    tolerance(left, right, Precision::DOUBLE, accuracy)
});
dot!(i32 => i128; |left, right| {
    zip(left, right).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum()
}; within |_, _, _| 0.0);
dot!(u32 => u128; |left, right| {
    zip(left, right).map(|(&a, &b)| u128::from(a) * u128::from(b)).sum()
}; within |_, _, _| 0.0);

/// An `f64` holds the product of any two `f32`.
fn products(left: &[f32], right: &[f32]) -> impl Iterator<Item = f64> {
    zip(left, right).map(|(&a, &b)| f64::from(a) * f64::from(b))
}

/// Where partial sums may overflow, so may the result, whatever it is.
fn tolerance(left: &[f64], right: &[f64], precision: Precision, accuracy: &Accuracy) -> f64 {
    let Precision { tiny, most, .. } = precision;
    if [left, right].iter().any(|numbers| numbers.iter().any(|number| number.is_nan())) {
        return 0.0;
    }
    let pairs = || zip(left, right).chain(zip(right, left));
    // A device may take a subnormal number for 0, of which infinity makes NaN.
    let is_subnormal = |number: f64| number.abs() > 0.0 && number.abs() < tiny;
    if pairs().any(|(&a, &b)| is_subnormal(a) && b.is_infinite()) {
        return f64::INFINITY;
    }
    let finite = zip(left, right).filter(|(a, b)| a.is_finite() && b.is_finite());
    let magnitudes = total(finite.map(|(a, b)| (a * b).abs()));
    if magnitudes >= most {
        return f64::INFINITY;
    }
    // It may also take products and sums that are subnormal for 0.
    let of_subnormal = pairs().filter(|(a, _)| is_subnormal(**a)).map(|(a, b)| (a * b).abs());
    let flushed = to_f64(left.len() as u64) * 2.0 * tiny + of_subnormal.sum::<f64>();
    let bound = precision.gamma(accuracy.roundings.saturating_add(2)) * magnitudes + flushed;
    precision.rounded(bound, total(zip(left, right).map(|(a, b)| a * b)))
}

#[cfg(test)]
mod tests {
    use super::{Dot, PairOperation, RECORD};
    use crate::error::Error;
    use crate::op::OpRecord;
    use crate::op::element::ElementKind;

    #[test]
    fn the_record_says_what_the_types_say() {
        let bytes = [
            (ElementKind::F32, 4),
            (ElementKind::I32, 16),
            (ElementKind::U32, 16),
            (ElementKind::F64, 8),
        ];
        for (element, bytes) in bytes {
            let over = RECORD.over(element).unwrap();
            assert_eq!((over.output_bytes, over.lifting.inputs()), (bytes, 2));
        }
        assert!(OpRecord::PAIRS.contains(&&RECORD) && !OpRecord::ALL.contains(&&RECORD));
    }

    #[test]
    fn integers_are_exact_and_slices_must_pair() {
        let (least, most) = (i32::MIN, i32::MAX);
        let dot = Dot.on_cpu(&[least, least, most], &[least, most, -1]).unwrap();
        assert_eq!(dot, (1 << 62) - (1 << 31) * ((1 << 31) - 1) - i128::from(most));
        assert_eq!(Dot.on_cpu(&[u32::MAX; 4], &[u32::MAX; 4]), Ok(4 * u128::from(u32::MAX).pow(2)));
        assert_eq!(Dot.on_cpu(&[] as &[f32], &[]).map(f32::to_bits), Ok(0));
        let mismatch = Dot.on_cpu(&[1_u32, 2], &[3]);
        assert_eq!(mismatch, Err(Error::LengthMismatch { left: 2, right: 1 }));
    }

    #[test]
    fn floats_follow_ieee_754() {
        let dot = |left: &[f32], right: &[f32]| Dot.on_cpu(left, right).unwrap();
        assert!(dot(&[0.0, 1.0], &[f32::INFINITY, 1.0]).is_nan());
        assert!(dot(&[f32::NAN], &[0.0]).is_nan());
        let infinity = f32::INFINITY.to_bits();
        assert_eq!(dot(&[2.0, -1.0], &[f32::INFINITY, 1e38]).to_bits(), infinity);
        assert_eq!(dot(&[f32::MAX, 1.0], &[2.0, 0.0]).to_bits(), infinity);
    }
}
