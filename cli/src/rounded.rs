//! Sums of floats beside the real ones, which are kept exactly.

use crate::check::{Check, MAY_OVERFLOW};
use crate::number::Number;
use wgpu_reduce::{Accuracy, Error, ExactElement, ExactSum};
use wgpu_reduce_known::Overflowing;

/// A float that sums come out as.
pub(crate) trait Float: ExactElement + Into<f64> + Into<Number> {
    /// The largest.
    const MOST: f64;
    /// Half the distance from 1 to the next.
    const UNIT: f64;
    const NO_TERMS: Overflowing;
    /// Roundings in a piece's sum of magnitudes, in `f64`, that are of weight in the type.
    const IN_SUMS: u64;

    /// The `f64` that is nearest to a sum.
    fn nearest(sum: &ExactSum<Self>) -> f64;

    /// The negative of a number of the type; NaN of any other.
    fn negative(number: Number) -> Self;
}

macro_rules! float {
    ($float:ident as $variant:ident, $overflowing:ident, $in_sums:expr, $nearest:expr) => {
        impl Float for $float {
            const MOST: f64 = $float::MAX as f64;
            const UNIT: f64 = $float::EPSILON as f64 / 2.0;
            const NO_TERMS: Overflowing = Overflowing::$overflowing();
            const IN_SUMS: u64 = $in_sums;

            fn nearest(sum: &ExactSum<Self>) -> f64 {
                $nearest(sum)
            }

            fn negative(number: Number) -> Self {
                if let Number::$variant(value) = number { -value } else { Self::NAN }
            }
        }
    };
}
float!(f32 as F32, single, 0, ExactSum::round_f64);
float!(f64 as F64, double, PIECE as u64, ExactSum::round);

/// Terms of a sum: elements, or products of two.
#[derive(Debug)]
pub(crate) struct Terms<F: Float> {
    sum: ExactSum<F>,
    /// The sum of the finite terms' magnitudes.
    magnitudes: f64,
    /// The same, [divided](DOWN) twice, which is never beyond `f64`.
    divided: f64,
    /// What partial sums may be.
    partial: Overflowing,
}

/// 2^64 products of the largest numbers are within `f64` if each factor is divided by 2^576.
const DOWN: f64 = f64::from_bits((1023 - 576) << 52);

/// Undoes it.
const UP: f64 = f64::from_bits((1023 + 576) << 52);

/// Elements that are widened at a time.
const PIECE: u16 = 4096;

/// The same, by which they are divided, so that none of their sums is beyond `f64`.
const IN_PIECE: f64 = PIECE as f64;

impl<F: Float> Default for Terms<F> {
    fn default() -> Self {
        let (magnitudes, divided) = (0.0, 0.0);
        Self { sum: ExactSum::new(), magnitudes, divided, partial: F::NO_TERMS }
    }
}

impl<F: Float> Terms<F> {
    /// Adds those elements that count.
    pub(crate) fn add<T: Copy + Into<F>>(&mut self, values: &[T], counts: impl Fn(F) -> bool) {
        for piece in values.chunks(PIECE.into()) {
            let widened = piece.iter().map(|&value| value.into());
            let counted: Vec<F> = widened.filter(|&value| counts(value)).collect();
            self.sum.add_slice(&counted);
            self.measure_all(&counted);
        }
    }

    /// Adds products of pairs.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if one slice is longer than the other.
    pub(crate) fn add_products<T>(&mut self, left: &[T], right: &[T]) -> Result<(), Error>
    where
        T: Copy + Into<F>,
    {
        if left.len() != right.len() {
            let (left, right) = (left.len() as u64, right.len() as u64);
            return Err(Error::LengthMismatch { left, right });
        }
        let widened = |piece: &[T]| piece.iter().map(|&value| value.into()).collect::<Vec<F>>();
        for (left, right) in left.chunks(PIECE.into()).zip(right.chunks(PIECE.into())) {
            let (left, right) = (widened(left), widened(right));
            self.sum.add_products(&left, &right)?;
            for (a, b) in left.into_iter().zip(right) {
                self.measure(a.into(), b.into());
            }
        }
        Ok(())
    }

    /// Measures a piece of elements at once, unless NaN or infinity is among them.
    fn measure_all(&mut self, values: &[F]) {
        let (mut above, mut below, mut is_finite) = (0.0_f64, 0.0_f64, true);
        for &value in values {
            let share = Into::<f64>::into(value) / IN_PIECE;
            above += share.max(0.0);
            below += (-share).max(0.0);
            is_finite &= share.is_finite();
        }
        if is_finite {
            self.measure(above, IN_PIECE);
            self.measure(-below, IN_PIECE);
        } else {
            for &value in values {
                self.measure(value.into(), 1.0);
            }
        }
    }

    fn measure(&mut self, a: f64, b: f64) {
        self.partial.add(a, b);
        if a.is_finite() && b.is_finite() {
            self.magnitudes += (a * b).abs();
            self.divided += ((a * DOWN) * (b * DOWN)).abs();
        }
    }

    /// Compares with what a device has made of the same terms. A finite result may be off by a bound that is finite, too. One
    /// that is not is right if the real one is the same, and undecided, with a note, if an order of additions gives it.
    pub(crate) fn judge(&self, gpu: Number, accuracy: &Accuracy, note: &'static str) -> Check {
        let (cpu, result) = (F::nearest(&self.sum), gpu.to_f64());
        let rounding = self.rounding(accuracy);
        let of_result = if cpu.is_finite() { cpu.abs() * F::UNIT } else { 0.0 };
        let bound = (rounding + of_result).min(f64::MAX);
        let rounded: Number = self.sum.round().into();
        let (difference, ok) = if rounded.same_bits(gpu) && !result.is_finite() {
            (0.0, Some(true))
        } else if result.is_finite() {
            // The real sum may be beyond `f64`, and a result that is within it near enough.
            let is_beyond = cpu.is_infinite();
            let difference = if is_beyond { self.distance(gpu) } else { (result - cpu).abs() };
            (difference, Some(difference <= bound))
        } else {
            let is_possible = self.partial.allows(result, accuracy.roundings + F::IN_SUMS);
            ((result - cpu).abs(), if is_possible { None } else { Some(false) })
        };
        Check {
            cpu: cpu.into(),
            difference: difference.into(),
            bound: bound.into(),
            ok,
            note: ok.is_none().then_some(note),
            // Beyond `f64` there is infinity.
            doubt: (self.magnitudes + rounding > F::MOST).then_some(MAY_OVERFLOW),
        }
    }

    /// How far the real sum is from a finite number.
    fn distance(&self, number: Number) -> f64 {
        let mut off = self.sum.clone();
        off.add(F::negative(number));
        F::nearest(&off).abs()
    }

    /// What roundings may come to; in terms of divided magnitudes where the others are beyond `f64`.
    fn rounding(&self, accuracy: &Accuracy) -> f64 {
        if self.magnitudes.is_finite() {
            accuracy.error_bound(self.magnitudes)
        } else {
            accuracy.error_bound(self.divided) * UP * UP
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Float, Terms};
    use crate::check::Check;
    use crate::number::Number;
    use std::fmt::Debug;
    use wgpu_reduce::{Accuracy, Caps, ElementKind, OpRecord, Problem};
    use wgpu_reduce_known::{mixed, uniform};

    fn accuracy(element: ElementKind, len: usize) -> Accuracy {
        let mut caps = Caps::baseline();
        caps.f64 = true;
        Problem::by(OpRecord::ALL[0], element, len as u64).plan(&caps).unwrap().accuracy()
    }

    fn judge<F: Float>(terms: &Terms<F>, len: usize, gpu: impl Into<Number>) -> Check {
        terms.judge(gpu.into(), &accuracy(F::KIND, len), "undecided")
    }

    /// Sums in an order in which a device might add: that of the elements, back, and in pairs.
    macro_rules! orders {
        ($values:expr) => {{
            let values: &[_] = $values;
            let mut pairs = values.to_vec();
            while pairs.len() > 1 {
                pairs = pairs.chunks(2).map(|pair| pair.iter().sum()).collect();
            }
            [values.iter().sum(), values.iter().rev().sum(), pairs[0]]
        }};
    }

    /// Random numbers whose magnitudes add up to more than their type's range, with partial sums in it and beyond.
    macro_rules! near_the_top {
        ($float:ident) => {{
            let most = $float::MAX;
            let mut undecided = 0;
            for seed in 0..300_u64 {
                let len = [3, 10, 100, 1000][(seed % 4) as usize];
                let share = [1.0, 0.5, 0.1, 0.02][(seed / 4 % 4) as usize];
                let random = (0..len).map(|i| uniform(mixed(seed * 1000 + i)) * 2.0 - 1.0);
                let values: Vec<$float> =
                    random.map(|part| $float::from(part) * most * share).collect();
                let mut terms = Terms::<$float>::default();
                values.chunks(7).for_each(|chunk| terms.add(chunk, |_| true));
                for sum in orders!(&values[..]) {
                    let check = judge(&terms, values.len(), sum);
                    check_right(&check, sum.into(), seed);
                    undecided += usize::from(check.ok.is_none());
                }
                check_wrong(&terms, &values, |number| number.to_f64() as $float);
            }
            assert!(undecided > 10, "{undecided}");
        }};
    }

    fn check_right(check: &Check, sum: f64, seed: u64) {
        assert_ne!(check.ok, Some(false), "{seed}: {sum} and {check:?}");
        assert!(check.bound.first().to_f64().is_finite(), "{seed}: {check:?}");
        // What is a number is right or wrong.
        assert!(!sum.is_finite() || check.ok == Some(true), "{seed}: {sum} and {check:?}");
    }

    /// Numbers off by more than the bound, the wrong infinity, and NaN where all of a sign is far from the end.
    fn check_wrong<F: Float + Debug>(terms: &Terms<F>, values: &[F], to: impl Fn(Number) -> F) {
        let real = judge(terms, values.len(), to(Number::F64(0.0)));
        let (cpu, bound) = (real.cpu.first().to_f64(), real.bound.first().to_f64());
        for off in [cpu + 2.5 * bound, cpu - 2.5 * bound] {
            if off.abs() <= F::MOST {
                let check = judge(terms, values.len(), to(Number::F64(off)));
                assert_eq!(check.ok, Some(false), "{values:?}: {check:?}");
            }
        }
        let sum_of = |sign: f64| -> f64 {
            let numbers =
                values.iter().map(|&value| f64::max(sign * Into::<f64>::into(value), 0.0));
            numbers.map(|number| number / F::MOST).sum()
        };
        let [up, down] = [1.0, -1.0].map(|sign| sum_of(sign) > 1.0);
        let [inf, nan] = [f64::INFINITY, f64::NAN].map(Number::F64);
        for (number, is_possible) in
            [(inf, up), (Number::F64(f64::NEG_INFINITY), down), (nan, up && down)]
        {
            let ok = judge(terms, values.len(), to(number)).ok;
            if !is_possible {
                assert_eq!(ok, Some(false), "{values:?} are not {number}");
            } else if cpu.abs() <= F::MOST {
                assert_eq!(ok, None, "{values:?} may be {number}");
            }
        }
    }

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "numbers of the type")]
    fn near_the_largest_f32_right_sums_are_right_and_others_are_not() {
        near_the_top!(f32);
    }

    #[test]
    fn near_the_largest_f64_right_sums_are_right_and_others_are_not() {
        near_the_top!(f64);
    }

    #[test]
    fn reference_and_bound_are_those_of_the_real_sum() {
        for (values, real) in [
            ([1e306, -1e306].map(|value| vec![value; 3000]).concat(), 0.0),
            (vec![1e308, 1e308, -1e308], 1e308),
            (vec![1e308, 1e308, -1e308, -1e308], 0.0),
        ] {
            let mut terms = Terms::<f64>::default();
            terms.add(&values, |_| true);
            let check = judge(&terms, values.len(), real);
            assert_eq!((check.cpu.first(), check.ok), (Number::F64(real), Some(true)));
            let bound = check.bound.first().to_f64();
            assert!(bound > 0.0 && bound < 1e297, "{check:?}");
            for (part, ok) in [(0.5, true), (2.5, false)] {
                let off = judge(&terms, values.len(), real + part * bound);
                assert_eq!(off.ok, Some(ok), "{off:?}");
            }
            for gpu in [f64::INFINITY, f64::NAN] {
                let check = judge(&terms, values.len(), gpu);
                let is_possible = gpu.is_infinite() || real == 0.0;
                let expected = if is_possible { None } else { Some(false) };
                assert_eq!((check.ok, check.note.is_some()), (expected, is_possible));
            }
        }
    }

    /// Products may be beyond the range themselves, and far below it.
    #[test]
    fn products_are_judged_by_their_real_sum() {
        let judged = |left: &[f64], right: &[f64], gpu: f64| {
            let mut terms = Terms::<f64>::default();
            terms.add_products(left, right).unwrap();
            judge(&terms, left.len(), gpu).ok
        };
        let huge = ([1e300, 1e300, 1.0], [1e300, -1e300, 1.0]);
        assert_eq!(judged(&huge.0, &huge.1, f64::NAN), None);
        assert_eq!(judged(&[1e200, 1.0], &[1e200, 1.0], f64::INFINITY), Some(true));
        assert_eq!(judged(&[1e200, 1.0], &[1e200, 1.0], f64::NAN), Some(false));
        assert_eq!(judged(&[1e200, 1.0], &[1e200, 1.0], f64::MAX), Some(false));
        let small = [1e-100; 100];
        assert_eq!(judged(&small, &small, 1e-198), Some(true));
        assert_eq!(judged(&small, &small, 1.1e-198), Some(false));
        let mut terms = Terms::<f32>::default();
        assert!(terms.add_products(&[1.0_f32], &[]).is_err());
    }
}
