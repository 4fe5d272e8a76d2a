//! Operations on elements of fewer than 32 bits: those on the 32-bit type that has all of their values.

use super::Accuracy;
use super::fold::folds;
#[allow(clippy::wildcard_imports, reason = "all are implemented")]
use super::operations::*;
use super::{
    DeviceFold, Dot, Extrema, Fold, Located, OpRecord, Operation, PairOperation, Statistics,
};
use crate::error::Result;
use crate::op::element::{Element, element_rows};
use half::{bf16, f16};

/// A type whose values another one has, too, which is how shaders see them.
pub trait Narrow: Element {
    /// The other one.
    type Wide: Element;

    /// Returns the value as the wide type has it.
    fn widened(self) -> Self::Wide;
}

/// What is left of a wide result that is an element, or made of elements.
pub trait Narrowed<T> {
    /// Its type.
    type Output: Copy + PartialEq + std::fmt::Debug + Send + 'static;

    /// Returns the value as results of `T` have it.
    fn narrowed(self) -> Self::Output;
}

fn widened<T: Narrow>(values: &[T]) -> Vec<T::Wide> {
    values.iter().map(|value| value.widened()).collect()
}

macro_rules! narrow {
    ($narrow:ty as $wide:ty) => {
        impl Narrow for $narrow {
            type Wide = $wide;

            fn widened(self) -> $wide {
                self.into()
            }
        }

        impl Narrowed<$narrow> for Extrema<$wide> {
            type Output = Extrema<$narrow>;

            fn narrowed(self) -> Self::Output {
                let narrowed = Narrowed::<$narrow>::narrowed;
                Extrema { min: narrowed(self.min), max: narrowed(self.max) }
            }
        }

        impl Narrowed<$narrow> for Located<$wide> {
            type Output = Located<$narrow>;

            fn narrowed(self) -> Self::Output {
                Located { index: self.index, value: Narrowed::<$narrow>::narrowed(self.value) }
            }
        }

        impl<S, M> Narrowed<$narrow> for Statistics<$wide, S, M>
        where
            S: Copy + PartialEq + std::fmt::Debug + Send + 'static,
            M: Copy + PartialEq + std::fmt::Debug + Send + 'static,
        {
            type Output = Statistics<$narrow, S, M>;

            fn narrowed(self) -> Self::Output {
                let Self { count, sum, mean, variance, .. } = self;
                let min = Narrowed::<$narrow>::narrowed(self.min);
                let max = Narrowed::<$narrow>::narrowed(self.max);
                Statistics { count, min, max, sum, mean, variance }
            }
        }
    };
}

macro_rules! narrowed_integers {
    ($($narrow:ty: $($wide:ty as $output:ty),*;)*) => {$($(
        impl Narrowed<$narrow> for $wide {
            type Output = $output;

            #[expect(clippy::cast_possible_truncation, reason = "elements fit, other results wrap")]
            fn narrowed(self) -> $output {
                self as $output
            }
        }
    )*)*};
}
// Magnitudes of signed elements are unsigned.
narrowed_integers! {
    u8: u32 as u8;
    i8: i32 as i8, u32 as u8;
    u16: u32 as u16;
    i16: i32 as i16, u32 as u16;
}

/// The output of an operation on the wide type that belongs to `T`.
type WideOutput<O, T> = <O as Fold<<T as Narrow>::Wide>>::Output;

/// The output of an operation over pairs of the wide type that belongs to `T`.
type WideOutputOfPairs<O, T> = <O as Fold<(<T as Narrow>::Wide, <T as Narrow>::Wide)>>::Output;

/// Implements an operation that leaves what it leaves of the wide type.
macro_rules! narrow_operation {
    ($operation:ident, $element:ty, $output:ty, $narrowed:expr) => {
        impl crate::op::sealed::Sealed<$element> for $operation {}

        folds!(
            $operation of $element => $output,
            from <$operation as DeviceFold<<$element as Narrow>::Wide>>::Raw;
            Operation::<<$element as Narrow>::Wide>::record(&Self::default())
        );

        impl Operation<$element> for $operation {
            fn record(&self) -> &'static OpRecord {
                Operation::<<$element as Narrow>::Wide>::record(self)
            }

            fn finish(&self, raw: Self::Raw, len: u64) -> Result<$output> {
                let wide = Operation::<<$element as Narrow>::Wide>::finish(self, raw, len)?;
                Ok($narrowed(wide))
            }

            fn on_cpu(&self, values: &[$element]) -> Result<$output> {
                Ok($narrowed(self.on_cpu(&widened(values))?))
            }

            fn tolerance(&self, values: &[$element], accuracy: &Accuracy) -> f64 {
                Operation::tolerance(self, &widened(values), accuracy)
            }
        }
    };
}

/// Operations whose results are figures, and those whose results are elements or made of them.
macro_rules! narrow_operations {
    ([$($element:ty),*] $operation:ident leaves figure) => {$(
        narrow_operation!(
            $operation, $element, WideOutput<$operation, $element>, std::convert::identity
        );
    )*};
    ([$($element:ty),*] $operation:ident leaves element) => {$(
        narrow_operation!(
            $operation,
            $element,
            <WideOutput<$operation, $element> as Narrowed<$element>>::Output,
            Narrowed::<$element>::narrowed
        );
    )*};
}

macro_rules! narrow_all {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        $(crate::with_elements!(packed of $class, narrow_operations ($operation leaves $result));)*
    };
}
crate::for_each_operation!(narrow_all);

/// Operations of two inputs, whose results are figures.
macro_rules! narrow_pairs {
    ($operation:ident of $element:ty) => {
        impl crate::op::sealed::Sealed<$element> for $operation {}

        folds!(
            $operation of pairs of $element => WideOutputOfPairs<$operation, $element>,
            from WideOutputOfPairs<$operation, $element>;
            PairOperation::<<$element as Narrow>::Wide>::record(&Self::default())
        );

        impl PairOperation<$element> for $operation {
            fn record(&self) -> &'static OpRecord {
                PairOperation::<<$element as Narrow>::Wide>::record(self)
            }

            fn finish(&self, raw: Self::Raw, len: u64) -> Result<Self::Output> {
                PairOperation::<<$element as Narrow>::Wide>::finish(self, raw, len)
            }

            fn on_cpu(&self, left: &[$element], right: &[$element]) -> Result<Self::Output> {
                PairOperation::on_cpu(self, &widened(left), &widened(right))
            }

            fn tolerance(&self, left: &[$element], right: &[$element], accuracy: &Accuracy) -> f64 {
                PairOperation::tolerance(self, &widened(left), &widened(right), accuracy)
            }
        }
    };
}

/// What each packed type has.
macro_rules! packed {
    (@row $element:ty, [packed $class:ident as $wide:ty]) => {
        narrow!($element as $wide);
        narrow_pairs!(Dot of $element);
        packed!(@$class $element as $wide);
    };
    (@row $element:ty, $class:tt) => {};
    (@integer $element:ty as $wide:ty) => {};
    (@float $element:ty as $wide:ty) => {
        impl Narrowed<$element> for $wide {
            type Output = $element;

            fn narrowed(self) -> $element {
                <$element>::from_f32(self)
            }
        }
    };
    ($($element:ty => $kind:ident $class:tt $rest:tt;)*) => {
        $(packed!(@row $element, $class);)*
    };
}
element_rows!(packed);

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// The result from what a device would leave of the wide values, and by definition.
    fn agree<T, O>(operation: O, values: &[T], raw: O::Raw, expected: O::Output)
    where
        T: Narrow,
        O: Operation<T, Output: PartialEq + Debug>,
    {
        let len = values.len() as u64;
        assert_eq!(operation.finish(raw, len), Ok(expected), "{}", operation.record().name());
        assert_eq!(operation.on_cpu(values), Ok(expected), "{}", operation.record().name());
    }

    #[test]
    fn every_half_is_widened_and_narrowed_to_itself() {
        for half in (0..=u16::MAX).map(f16::from_bits) {
            let wide = half.widened();
            let narrowed = Narrowed::<f16>::narrowed(wide);
            assert!(narrowed.to_bits() == half.to_bits() || half.is_nan() && narrowed.is_nan());
            assert_eq!(wide.is_nan(), half.is_nan());
        }
    }

    #[test]
    fn every_bfloat_is_widened_by_a_shift_and_narrowed_to_itself() {
        for half in (0..=u16::MAX).map(bf16::from_bits) {
            let wide = half.widened();
            let narrowed = Narrowed::<bf16>::narrowed(wide);
            assert_eq!(wide.is_nan(), half.is_nan());
            if !half.is_nan() {
                assert_eq!(wide.to_bits(), u32::from(half.to_bits()) << 16);
                assert_eq!(narrowed.to_bits(), half.to_bits());
            }
            assert_eq!(narrowed.is_nan(), half.is_nan());
        }
    }

    #[test]
    fn every_integer_is_widened_and_narrowed_to_itself() {
        for byte in 0..=u8::MAX {
            assert_eq!(Narrowed::<u8>::narrowed(byte.widened()), byte);
            let signed = byte.cast_signed();
            let narrowed: i8 = Narrowed::<i8>::narrowed(signed.widened());
            assert_eq!(narrowed, signed);
        }
        for half in 0..=u16::MAX {
            assert_eq!(Narrowed::<u16>::narrowed(half.widened()), half);
            let signed = half.cast_signed();
            let narrowed: i16 = Narrowed::<i16>::narrowed(signed.widened());
            assert_eq!(narrowed, signed);
        }
    }

    #[test]
    fn sums_wrap_in_the_elements_own_type() {
        agree(WrappingSum, &[200_u8, 100, 255], 555, 43);
        agree(WrappingSum, &[-128_i8, -1], -129, 127);
        agree(WrappingSum, &[u16::MAX, 2], 65_537, 1);
        agree(WrappingSum, &[i16::MAX, 1], 32_768, i16::MIN);
        agree(Sum, &[200_u8, 100, 255], 555, 555);
        agree(Sum, &[i16::MIN, -1], -32_769, -32_769);
    }

    #[test]
    fn the_magnitude_of_the_least_integer_is_unsigned() {
        agree(NormMax, &[i8::MIN, 3], 128, 128_u8);
        agree(NormMax, &[i16::MIN, 3], 32_768, 32_768_u16);
        agree(NormMax, &[f16::MIN, f16::ONE], 65_504.0, f16::MAX);
        agree(NormMax, &[bf16::MIN, bf16::ONE], bf16::MAX.to_f32(), bf16::MAX);
    }

    #[test]
    fn no_elements_have_the_bits_of_their_own_type() {
        agree::<u8, _>(BitAnd, &[], u32::MAX, u8::MAX);
        agree::<i16, _>(BitAnd, &[], -1, -1);
        agree::<u16, _>(BitXor, &[], 0, 0);
        assert!(Operation::<f16>::on_cpu(&Min, &[]).is_err());
    }

    #[test]
    fn results_made_of_elements_have_elements_of_the_type() {
        let values = [7_u8, 250, 7];
        let stats = Operation::<u8>::on_cpu(&Stats::default(), &values);
        let Ok(Statistics { count, min, max, sum, .. }) = stats else { panic!("{stats:?}") };
        assert_eq!((count, sum), (3, 264));
        assert_eq!(min, Located { index: 0, value: 7_u8 });
        assert_eq!(max, Located { index: 1, value: 250_u8 });
        let halves = [-0.0, 0.0, 65_504.0].map(f16::from_f32);
        let extremes = MinMax.on_cpu(&halves);
        assert!(
            extremes
                .is_ok_and(|Extrema { min, max }| { (min.to_bits(), max) == (0x8000, f16::MAX) })
        );
    }
}
