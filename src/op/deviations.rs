//! Means, deviations and bounds of both.

use super::doubles;
use super::precision::Precision;
use super::{Accuracy, OpRecord};

/// See [`Precision::gamma`]: of `f32`.
pub(super) fn gamma(roundings: u64) -> f64 {
    Precision::SINGLE.gamma(roundings)
}

/// What a number that a device flushes to zero, or the host rounds, may be off by.
pub(super) const TINY: f64 = Precision::SINGLE.tiny;

/// See [`Precision::rounded`]: of `f32`.
pub(super) fn rounded(bound: f64, result: f64) -> f64 {
    Precision::SINGLE.rounded(bound, result)
}

#[expect(clippy::cast_possible_truncation, reason = "the one rounding to f32 that is wanted")]
pub(super) const fn to_f32(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_precision_loss, reason = "the one rounding to f64 that is wanted")]
pub(super) const fn to_f64(value: u64) -> f64 {
    value as f64
}

/// The mean, in f64; NaN of no elements.
pub(super) fn mean(values: &[f32]) -> f64 {
    sum(values) / to_f64(values.len() as u64)
}

pub(super) fn sum(values: &[f32]) -> f64 {
    total(values.iter().map(|&value| f64::from(value)))
}

/// The sum, which is +0 of none.
pub(super) fn total(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |sum, number| sum + number)
}

/// The sum of squared deviations from the mean, in f64.
pub(super) fn squared_deviations(values: &[f32]) -> f64 {
    let mean = mean(values);
    total(values.iter().map(|&value| (f64::from(value) - mean).powi(2)))
}

/// By what a sum of squared deviations is divided: 0 where there are not more elements than `ddof`.
pub(super) const fn divisor(len: u64, ddof: u32) -> f64 {
    to_f64(len.saturating_sub(ddof as u64))
}

/// The elements as numbers in which bounds are computed.
pub(super) fn numbers<T: Copy + Into<f64>>(values: &[T]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

/// How far the finite ones of numbers are from each other.
fn range(numbers: &[f64]) -> f64 {
    let finite = || numbers.iter().copied().filter(|number| number.is_finite());
    let (least, most) =
        (finite().fold(f64::INFINITY, f64::min), finite().fold(-f64::INFINITY, f64::max));
    if least > most { 0.0 } else { most - least }
}

/// How far a device's sum of these numbers may be off.
pub(super) fn bound_of_sum(numbers: &[f64], precision: Precision, accuracy: &Accuracy) -> f64 {
    if let Some(decided) = precision.decided(numbers) {
        return decided;
    }
    let magnitudes = numbers.iter().map(|number| number.abs()).sum();
    precision.rounded(accuracy.error_bound(magnitudes), magnitudes)
}

/// How far the mean that is counted from a pivot may be off. Each rounding is up to four here, of distances that
/// are at most the spread; the last ones are of the mean itself.
pub(super) fn bound_of_mean(numbers: &[f64], precision: Precision, accuracy: &Accuracy) -> f64 {
    let (near_one, exponent) = doubles::near_one(numbers);
    let bound = precision.gamma(roundings_of_mean(accuracy)) * range(&near_one);
    let flushed = to_f64(roundings_of_mean(accuracy)) * precision.tiny;
    precision
        .rounded(doubles::times_power_of_two(bound, exponent) + flushed, doubles::mean(numbers))
}

/// Each rounding is up to four, and the last ones are of the mean itself. Here and below, the largest number stands for all
/// that 64 bits do not hold: fields are anybody's, and no bound of so many is finite.
const fn roundings_of_mean(accuracy: &Accuracy) -> u64 {
    accuracy.roundings.saturating_mul(4).saturating_add(12)
}

/// The sum of squared deviations, and how far a device's may be from it. Means are off by at most `off`, between two parts of n
/// elements that adds at most 2·off·d·w + off²·w to the true d²·w, where w is at most the smaller part's elements. An element is in
/// at most as many parts as there are roundings, so the w sum up to n·k, and by Cauchy and Schwarz the
/// d·w to the root of that times the true sum. Squares that are added up before there are deviations have `in_tile`
/// roundings more.
fn squares_and_bound(
    numbers: &[f64],
    precision: Precision,
    accuracy: &Accuracy,
    in_tile: u64,
) -> (f64, f64) {
    let (count, depth) = (to_f64(numbers.len() as u64), to_f64(accuracy.roundings.max(1)));
    let mean = numbers.iter().sum::<f64>() / count;
    let squares = total(numbers.iter().map(|number| (number - mean).powi(2)));
    let off = precision.gamma(roundings_of_mean(accuracy)) * range(numbers);
    let from_means = 2.0 * off * (count * depth * squares).sqrt() + off * off * count * depth;
    let of_squares = accuracy.roundings.saturating_mul(8).saturating_add(8).saturating_add(in_tile);
    (squares, precision.gamma(of_squares) * squares + from_means)
}

/// Roundings of squares that an operation adds up in tiles before there are deviations. An element is the first tile's pivot where a
/// quad adds up to what is at the end of the range: squares of distances from it are up to four times those from the quad's mean.
pub(super) fn in_tile(
    record: &OpRecord,
    numbers: &[f64],
    precision: Precision,
    accuracy: &Accuracy,
) -> u64 {
    let over = record.over(accuracy.element);
    if !over.is_ok_and(|over| over.accumulator.adds_up_squares(accuracy.element)) {
        return 0;
    }
    let are_large = numbers.iter().any(|number| number.abs() >= precision.most / 8.0);
    accuracy.roundings_in_tile.saturating_mul(if are_large { 4 } else { 1 })
}

/// How far the variance may be off, made of numbers divided by a power of two.
pub(super) fn bound_of_variance(
    numbers: &[f64],
    precision: Precision,
    accuracy: &Accuracy,
    ddof: u32,
    in_tile: u64,
) -> f64 {
    let (count, divisor) = (to_f64(numbers.len() as u64), divisor(numbers.len() as u64, ddof));
    if divisor <= 0.0 || numbers.iter().any(|number| !number.is_finite()) {
        return 0.0;
    }
    let (near_one, exponent) = doubles::near_one(numbers);
    let (squares, off) = squares_and_bound(&near_one, precision, accuracy, in_tile);
    let [off, variance] =
        [off, squares].map(|number| doubles::times_power_of_two(number / divisor, 2 * exponent));
    precision.rounded(off + count * precision.tiny / divisor, variance)
}

/// How far the standard deviation may be off. It is made of numbers divided by a power of two that brings the largest to
/// between 1 and 2. The root of squares s that are off by e is off by at most e / √s, and by no more than √e.
pub(super) fn bound_of_deviation(
    numbers: &[f64],
    precision: Precision,
    accuracy: &Accuracy,
    ddof: u32,
    in_tile: u64,
) -> f64 {
    let (count, divisor) = (to_f64(numbers.len() as u64), divisor(numbers.len() as u64, ddof));
    let (near_one, exponent) = doubles::near_one(numbers);
    let are_decided = range(&near_one) <= 0.0 || numbers.iter().any(|number| !number.is_finite());
    if are_decided || divisor <= 0.0 {
        return 0.0;
    }
    let (squares, off) = squares_and_bound(&near_one, precision, accuracy, in_tile);
    let off = off + count * precision.tiny;
    let off = (off / squares.sqrt()).min(off.sqrt()) / divisor.sqrt();
    let [off, deviation] = [off, (squares / divisor).sqrt()]
        .map(|number| doubles::times_power_of_two(number, exponent));
    // Subnormal numbers that a device takes for 0.
    let flushed = 2.0 * precision.tiny * (count / divisor).sqrt();
    precision.rounded(off + flushed, deviation)
}

/// The variance of integers of which the sums are known, rounded but for the last steps: to the nearest
/// f64 up to three roundings.
pub(super) fn variance_of_sums(sum: i128, squares: u128, len: u64, ddof: u32) -> f64 {
    let count = i128::from(len);
    if count == 0 {
        return f64::NAN;
    }
    // Counted from the whole part of the mean nothing is large.
    let whole = sum.div_euclid(count);
    let rest = sum.rem_euclid(count);
    let about_whole = squares
        .cast_signed()
        .wrapping_sub(2_i128.wrapping_mul(whole).wrapping_mul(sum))
        .wrapping_add(count.wrapping_mul(whole).wrapping_mul(whole));
    let divisor = divisor(len, ddof);
    let rest = rest.unsigned_abs().pow(2);
    let times_count = about_whole.checked_mul(count).and_then(|n| n.checked_sub_unsigned(rest));
    #[expect(clippy::cast_precision_loss, reason = "the roundings that are told of")]
    match times_count {
        Some(exact) => exact as f64 / (to_f64(len) * divisor),
        None => (about_whole as f64 - rest as f64 / to_f64(len)) / divisor,
    }
}

#[cfg(test)]
mod tests {
    use super::variance_of_sums;

    fn variance(values: &[i64], ddof: u32) -> f64 {
        let sum = values.iter().map(|&v| i128::from(v)).sum();
        let squares = values.iter().map(|&v| i128::from(v * v).cast_unsigned()).sum();
        variance_of_sums(sum, squares, values.len() as u64, ddof)
    }

    #[test]
    fn variances_of_integers_are_exact() {
        for (values, population, sample) in [
            (&[1, 2, 3, 4][..], 1.25, 5.0 / 3.0),
            (&[-7, -7, -7], 0.0, 0.0),
            (
                &[i64::from(i32::MIN), i64::from(i32::MAX)],
                4_611_686_016_279_904_256.25,
                9_223_372_032_559_808_512.5,
            ),
            (&[2_000_000_000, 2_000_000_001], 0.25, 0.5),
        ] {
            assert_eq!(variance(values, 0).to_bits(), f64::to_bits(population), "{values:?}");
            assert_eq!(variance(values, 1).to_bits(), f64::to_bits(sample), "{values:?}");
        }
        assert!(variance(&[5], 1).is_nan() && variance(&[1, 2], 2).is_infinite());
    }

    #[test]
    fn variances_of_very_many_integers_do_not_overflow() {
        // Half of them 0, half the largest.
        let (len, most) = (1_u64 << 40, u128::from(u32::MAX));
        let half = u128::from(len / 2);
        let sum = (half * most).cast_signed();
        let variance = variance_of_sums(sum, half * most * most, len, 0);
        let expected = (f64::from(u32::MAX) / 2.0).powi(2);
        assert!((variance / expected - 1.0).abs() < 1e-15, "{variance}");
    }
}
