//! The result on the CPU, and whether the GPU's agrees with it.

use crate::figures::Figures;
use crate::kept;
use crate::number::Number;
use crate::operations::with_operations;
use crate::rounded::{Float, Terms};
use crate::sample::with_elements;
use serde::Serialize;
use std::marker::PhantomData;
use wgpu_reduce::{Element, Error, Operation, Plan};

/// An operation whose results can be printed and checked.
pub(crate) trait Checked<T: Element>: Operation<T, Output: Into<Figures>> {
    /// What is gathered for the same on the CPU.
    fn tally(self) -> Box<dyn Tally>;

    /// How far each figure may be off.
    fn bounds(self, values: &[T], plan: &Plan) -> Vec<f64> {
        kept::all_figures(self.tolerance(values, &plan.accuracy()))
    }
}

/// What the CPU is fed in pieces.
pub(crate) trait Tally {
    /// Adds the bytes of elements, which lie as the elements do.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if they are kept, and the host has no room for them.
    fn add(&mut self, values: &[u8]) -> Result<(), Error>;

    /// Bytes that it takes to be shown so many elements.
    fn kept_bytes(&self, elements: u64) -> u64;

    /// Compares with what the GPU made of the same elements by `plan`.
    fn judge(&self, gpu: &Figures, plan: &Plan) -> Result<Check, Error>;
}

/// Elements of a type, summed as they are fed; results are of a type, too.
#[derive(Default)]
struct Summed<T, R, S> {
    sums: S,
    of: PhantomData<fn(T) -> R>,
}

impl<T: Element, R, S: Sums<T, R>> Tally for Summed<T, R, S> {
    fn add(&mut self, values: &[u8]) -> Result<(), Error> {
        self.sums.add(bytemuck::cast_slice(values));
        Ok(())
    }

    fn kept_bytes(&self, _: u64) -> u64 {
        0
    }

    fn judge(&self, gpu: &Figures, plan: &Plan) -> Result<Check, Error> {
        Ok(self.sums.judge(gpu.first(), plan))
    }
}

/// An element whose sums are judged.
trait Judged: Element {
    /// What sums of them are compared with.
    type Sums: Default;
}

macro_rules! judged {
    ([$($element:ty),*] by $sums:ty) => {$(
        impl Judged for $element {
            type Sums = $sums;
        }
    )*};
}
with_elements!(integers, [judged] { by Exact });
judged!([f32, half::f16, half::bf16] by Floats<f32, false>);
judged!([f64] by Floats<f64, false>);

/// Checks of sums, which need no more than a few elements at a time.
macro_rules! summed {
    ([$($element:ty),*] $operation:ident) => {$(
        impl Checked<$element> for wgpu_reduce::$operation {
            fn tally(self) -> Box<dyn Tally> {
                type Output = <wgpu_reduce::$operation as wgpu_reduce::Fold<$element>>::Output;
                Box::new(Summed::<$element, Output, <$element as Judged>::Sums>::default())
            }
        }
    )*};
}

/// Checks of sums that leave NaN out.
macro_rules! but_nan {
    ([$($element:ty),*] $operation:ident) => {$(
        impl Checked<$element> for wgpu_reduce::$operation {
            fn tally(self) -> Box<dyn Tally> {
                type Output = <wgpu_reduce::$operation as wgpu_reduce::Fold<$element>>::Output;
                Box::new(Summed::<$element, Output, Floats<Output, true>>::default())
            }
        }
    )*};
}

/// Checks of those that need all elements at once, with one bound for all that comes out.
macro_rules! defined {
    ([$($element:ty),*] $operation:ident) => {$(
        impl Checked<$element> for wgpu_reduce::$operation {
            fn tally(self) -> Box<dyn Tally> {
                kept::tally::<$element, _>(self)
            }
        }
    )*};
}

/// Those with a bound for each figure.
macro_rules! figured {
    ([$($element:ty),*] $operation:ident) => {$(
        impl Checked<$element> for wgpu_reduce::$operation {
            fn tally(self) -> Box<dyn Tally> {
                kept::tally::<$element, _>(self)
            }

            fn bounds(self, values: &[$element], plan: &Plan) -> Vec<f64> {
                let [sum, mean, variance] = self.tolerances(values, &plan.accuracy());
                vec![0.0, 0.0, 0.0, 0.0, 0.0, sum, mean, variance]
            }
        }
    )*};
}

macro_rules! checked {
    ($(
        #[doc = $what:literal]
        $operation:ident $name:literal ($arguments:ty) of $elements:ident, $checked:ident;
    )*) => {
        $(with_elements! { $elements, [$checked] { $operation } })*
    };
}
with_operations!(checked);

/// Elements that are summed as they are fed, for a result of a type.
trait Sums<T, R> {
    fn add(&mut self, values: &[T]);

    fn judge(&self, gpu: Number, plan: &Plan) -> Check;
}

/// The outcome of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Check {
    /// The result on the CPU.
    pub(crate) cpu: Figures,
    /// How far the GPU's is from it.
    pub(crate) difference: Figures,
    /// How far it may be.
    pub(crate) bound: Figures,
    /// Whether it is no farther; `None` if that is undecided, as `note` says.
    pub(crate) ok: Option<bool>,
    /// Why it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<&'static str>,
    /// Why the result might be another, even if the check has passed.
    #[serde(skip)]
    pub(crate) doubt: Option<&'static str>,
}

/// Integers, summed without loss.
#[derive(Debug, Default)]
struct Exact(i128);

/// A result modulo 2 to the number of its bits.
trait Wrapping: Into<Number> {
    fn wrap(sum: i128) -> Self;
}

macro_rules! wrapping {
    ($($integer:ty),*) => {$(
        impl Wrapping for $integer {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "what is asked for; signed types lose no sign"
            )]
            fn wrap(sum: i128) -> Self {
                sum as Self
            }
        }
    )*};
}
wrapping!(u8, i8, u16, i16, i32, u32, i64, u64, i128, u128);

impl<T: Copy + Into<i128>, R: Wrapping> Sums<T, R> for Exact {
    fn add(&mut self, values: &[T]) {
        self.0 += values.iter().map(|&value| value.into()).sum::<i128>();
    }

    fn judge(&self, gpu: Number, _: &Plan) -> Check {
        let cpu: Number = R::wrap(self.0).into();
        let difference = gpu.to_i128().abs_diff(cpu.to_i128());
        Check {
            cpu: cpu.into(),
            difference: u64::try_from(difference).unwrap_or(u64::MAX).into(),
            bound: 0_u64.into(),
            ok: Some(difference == 0),
            note: None,
            doubt: None,
        }
    }
}

/// Floats, summed without loss: all, or those that are not NaN.
#[derive(Debug, Default)]
struct Floats<F: Float, const BUT_NAN: bool>(Terms<F>);

impl<T: Copy + Into<F>, F: Float, const BUT_NAN: bool> Sums<T, F> for Floats<F, BUT_NAN> {
    fn add(&mut self, values: &[T]) {
        self.0.add(values, |value| !(BUT_NAN && Into::<f64>::into(value).is_nan()));
    }

    fn judge(&self, gpu: Number, plan: &Plan) -> Check {
        let note = if BUT_NAN { NAN_SUM_OVERFLOWED } else { SUM_OVERFLOWED };
        self.0.judge(gpu, &plan.accuracy(), note)
    }
}

/// The doubt about sums whose terms' magnitudes add up beyond the largest number.
pub(crate) const MAY_OVERFLOW: &str = "partial results may overflow";

/// What is said of sums that are infinite or NaN for the order of their additions.
pub(crate) const SUM_OVERFLOWED: &str = "a partial sum may have overflowed; none does with --exact";
/// The note of dot products of elements that `--exact` does not take.
pub(crate) const DOT_OVERFLOWED: &str = "a partial sum may have overflowed";
const NAN_SUM_OVERFLOWED: &str =
    "a partial sum may have overflowed; none does in sum --exact of a file without NaN";

#[cfg(test)]
mod tests {
    use super::{Check, Exact, Floats, Sums, Wrapping};
    use crate::figures::Figures;
    use crate::number::Number;
    use wgpu_reduce::{Caps, ElementKind, OpRecord, Plan, Problem};

    fn plan(len: usize, element: ElementKind) -> Plan {
        Problem::by(OpRecord::ALL[0], element, len as u64).plan(&Caps::baseline()).unwrap()
    }

    fn judge(values: &[f32], gpu: f32) -> Check {
        let mut tally = Floats::<f32, false>::default();
        values.chunks(2).for_each(|chunk| Sums::<f32, f32>::add(&mut tally, chunk));
        Sums::<f32, f32>::judge(&tally, gpu.into(), &plan(values.len(), ElementKind::F32))
    }

    #[test]
    fn floats_are_summed_beyond_f64() {
        let check = judge(&[1e30, 1.0, 1e-30, -1e30], 1.0);
        assert_eq!(check.cpu, Figures::from(1.0));
        assert_eq!(check.difference, Figures::from(0.0));
        assert_eq!(check.ok, Some(true));
    }

    #[test]
    fn floats_may_differ_by_the_bound_and_no_more() {
        let values = [1.0_f32; 1000];
        let figures = judge(&values, 1000.0).bound;
        let Some((_, Number::F64(bound))) = figures.iter().next() else { panic!("not an f64") };
        assert!(bound > 0.0 && bound < 0.1, "{bound}");
        for (offset, ok) in [(0.9 * bound, true), (1.5 * bound, false)] {
            #[expect(clippy::cast_possible_truncation, reason = "the test's own rounding is small")]
            let above = judge(&values, (1000.0 + offset) as f32);
            assert_eq!(above.ok, Some(ok), "{above:?}");
        }
        assert_eq!(judge(&values, f32::NAN).ok, Some(false));
        assert_eq!(judge(&values, f32::INFINITY).ok, Some(false));
    }

    #[test]
    fn what_is_not_finite_must_be_the_same() {
        let inf = f32::INFINITY;
        for (values, right, wrong) in [
            ([1.0, inf], inf, [-inf, f32::NAN, 1.0]),
            ([-inf, 1.0], -inf, [inf, f32::NAN, -1.0]),
            ([inf, -inf], f32::NAN, [inf, -inf, 0.0]),
            ([f32::NAN, 1.0], f32::NAN, [inf, -inf, 1.0]),
        ] {
            assert_eq!(judge(&values, right).ok, Some(true), "{values:?}");
            for value in wrong {
                assert_eq!(judge(&values, value).ok, Some(false), "{values:?} is not {value}");
            }
        }
    }

    #[test]
    fn sums_beyond_f32_are_infinite_and_others_are_not() {
        let (inf, most) = (f32::INFINITY, f32::MAX);
        let (right, wrong, undecided) = (Some(true), Some(false), None);
        for (values, results) in [
            (&[most, most][..], [(inf, right), (f32::NAN, wrong), (-inf, wrong), (most, wrong)]),
            (
                &[-most, -most, 1.0],
                [(-inf, right), (f32::NAN, wrong), (inf, wrong), (-most, wrong)],
            ),
            (
                &[most, most, -most, most / -2.0],
                [(most / 2.0, right), (inf, undecided), (f32::NAN, undecided), (0.0, wrong)],
            ),
            (
                &[most / 4.0; 3],
                [(most / 4.0 * 3.0, right), (inf, wrong), (f32::NAN, wrong), (0.0, wrong)],
            ),
        ] {
            for (value, ok) in results {
                assert_eq!(judge(values, value).ok, ok, "{values:?} and {value}");
            }
        }
        assert!(judge(&[most, most, -most], inf).doubt.is_some());
    }

    /// Whatever the elements and the results are: with a bound that is none nothing is right but the same.
    #[test]
    fn every_bound_is_a_number() {
        let floats = [0.0, 1.0, 1e300, 1e308, f64::INFINITY, f64::NAN];
        let floats = || floats.into_iter().chain(floats.map(|float| -float));
        let mut caps = Caps::baseline();
        caps.f64 = true;
        let plan = Problem::by(OpRecord::ALL[0], ElementKind::F64, 2).plan(&caps).unwrap();
        for (one, other) in floats().flat_map(|one| floats().map(move |other| (one, other))) {
            let mut tally = Floats::<f64, false>::default();
            Sums::<f64, f64>::add(&mut tally, &[one, other]);
            for gpu in floats() {
                let check = Sums::<f64, f64>::judge(&tally, gpu.into(), &plan);
                let [bound, difference] =
                    [&check.bound, &check.difference].map(|figures| figures.first().to_f64());
                let what = format!("{one} + {other} is not {gpu}: {check:?}");
                assert!(bound.is_finite(), "{what}");
                let is_ok = check.ok == Some(true);
                assert!(!is_ok || difference <= bound, "{what}");
                let sum = one + other;
                let is_right = gpu.total_cmp(&sum).is_eq() || gpu.is_nan() && sum.is_nan();
                let is_far = !gpu.is_finite() || !sum.is_finite();
                assert!(!is_ok || is_right || !is_far, "{what}");
            }
        }
    }

    fn judge_integers<T: Copy + Into<i128>, R: Wrapping>(values: &[T], gpu: R) -> Check {
        let mut tally = Exact::default();
        values.chunks(2).for_each(|chunk| Sums::<T, R>::add(&mut tally, chunk));
        Sums::<T, R>::judge(&tally, gpu.into(), &plan(values.len(), ElementKind::I32))
    }

    #[test]
    fn integers_must_be_equal() {
        let check = judge_integers(&[i32::MIN, i32::MIN, -1], -4_294_967_297_i64);
        assert!(
            check.ok == Some(true) && check.cpu == Figures::from(-4_294_967_297_i64),
            "{check:?}"
        );
        let check = judge_integers(&[i32::MIN, i32::MIN, -1], -4_294_967_299_i64);
        assert!(check.ok == Some(false) && check.difference == Figures::from(2_u64), "{check:?}");
        let ok = |sum: u64| judge_integers(&[u32::MAX, u32::MAX], sum).ok;
        assert_eq!([8_589_934_590, 4_294_967_294].map(ok), [Some(true), Some(false)]);
        let wrapped = judge_integers(&[i64::MAX, 1], i64::MIN);
        assert!(wrapped.ok == Some(true) && wrapped.cpu == Figures::from(i64::MIN), "{wrapped:?}");
    }
}
