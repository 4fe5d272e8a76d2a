//! The commands that reduce a file, one for each operation.

use crate::along;
use crate::args::{self, Deviate, Reduce};
use crate::exact;
use crate::failure::Failure;
use crate::reduce::{open, reduced};
use crate::sample::with_sample;
use clap::Subcommand;
use std::io::Write;
use wgpu_reduce::{
    All, Any, ArgMax, ArgMin, BitAnd, BitOr, BitXor, CountNan, CountNonZero, Max, Mean, Min,
    MinMax, NanArgMax, NanArgMin, NanMax, NanMean, NanMin, NanSum, NormL1, NormL2, NormMax,
    OpRecord, Product, Stats, Sum, SumExact, SumOfSquares, Variance, WrappingSum,
};

/// Calls a macro with every operation: what it does, its type, its command and that one's arguments, the
/// class of elements that it takes (see [`with_elements`](crate::sample::with_elements)), and the macro of
/// `check.rs` that says how it is checked.
macro_rules! with_operations {
    ($callback:ident) => {
        $callback! {
            #[doc = "Sum the elements of a file."]
            Sum "sum" (args::Sum) of all, summed;
            #[doc = "The bits of sum --exact by another way, which is slower for f32 and has no --bits."]
            SumExact "sum-exact" (Reduce) of short_floats, defined;
            #[doc = "Sum the elements of a file of integers in their own type, modulo 2 to its bits."]
            WrappingSum "wrapping-sum" (Reduce) of integers, summed;
            #[doc = "Multiply the elements of a file, those of integers modulo 2^64."]
            Product "product" (Reduce) of all, defined;
            #[doc = "Sum the squares of the elements."]
            SumOfSquares "sum-of-squares" (Reduce) of squared, defined;
            #[doc = "Sum the magnitudes of the elements."]
            NormL1 "norm-l1" (Reduce) of all, defined;
            #[doc = "Take the root of the sum of squares, safe from overflow."]
            NormL2 "norm-l2" (Reduce) of squared, defined;
            #[doc = "Find the largest magnitude."]
            NormMax "norm-max" (Reduce) of all, defined;
            #[doc = "Find the smallest element; NaN if there is one."]
            Min "min" (Reduce) of all, defined;
            #[doc = "Find the largest element; NaN if there is one."]
            Max "max" (Reduce) of all, defined;
            #[doc = "Find the smallest and the largest element."]
            MinMax "min-max" (Reduce) of all, defined;
            #[doc = "Find the smallest element and its index, the first of equal ones."]
            ArgMin "argmin" (Reduce) of all, defined;
            #[doc = "Find the largest element and its index, the first of equal ones."]
            ArgMax "argmax" (Reduce) of all, defined;
            #[doc = "Compute the mean."]
            Mean "mean" (Reduce) of all, defined;
            #[doc = "Compute the variance."]
            Variance "variance" (Deviate) of squared, defined;
            #[doc = "Compute count, extremes and their indices, sum, mean and variance in one pass."]
            Stats "stats" (Deviate) of squared, figured;
            #[doc = "Tell whether no element is zero."]
            All "all" (Reduce) of all, defined;
            #[doc = "Tell whether any element is not zero."]
            Any "any" (Reduce) of all, defined;
            #[doc = "Count the elements that are not zero."]
            CountNonZero "count-nonzero" (Reduce) of all, defined;
            #[doc = "Count the elements that are NaN."]
            CountNan "count-nan" (Reduce) of floats, defined;
            #[doc = "Find the bits that all elements have."]
            BitAnd "bit-and" (Reduce) of integers, defined;
            #[doc = "Find the bits that any element has."]
            BitOr "bit-or" (Reduce) of integers, defined;
            #[doc = "Find the bits that an odd number of elements has."]
            BitXor "bit-xor" (Reduce) of integers, defined;
            #[doc = "Sum the elements that are not NaN."]
            NanSum "nan-sum" (Reduce) of floats, defined;
            #[doc = "Compute the mean of the elements that are not NaN."]
            NanMean "nan-mean" (Reduce) of floats, defined;
            #[doc = "Find the smallest element that is not NaN."]
            NanMin "nan-min" (Reduce) of floats, defined;
            #[doc = "Find the largest element that is not NaN."]
            NanMax "nan-max" (Reduce) of floats, defined;
            #[doc = "Find the smallest element that is not NaN, and its index."]
            NanArgMin "nan-argmin" (Reduce) of floats, defined;
            #[doc = "Find the largest element that is not NaN, and its index."]
            NanArgMax "nan-argmax" (Reduce) of floats, defined;
        }
    };
}
pub(crate) use with_operations;

/// The record of an operation that takes elements of a class.
macro_rules! record_of {
    ($operation:expr, $class:ident) => {
        $crate::sample::with_elements!($class, [$crate::operations::record_of] { of $operation })
    };
    ([$first:ty $(, $element:ty)*] of $operation:expr) => {
        wgpu_reduce::Operation::<$first>::record(&$operation)
    };
}
pub(crate) use record_of;

/// What the library calls the operation of a command, where that is another name.
fn alias(command: &str, operation: &OpRecord) -> Option<&'static str> {
    let name = operation.name();
    (name != command).then_some(name)
}

/// Arguments that an operation is made of.
trait Asking<O> {
    fn operation(&self) -> O;

    fn reduce(&self) -> &Reduce;
}

impl<O: Default> Asking<O> for Reduce {
    fn operation(&self) -> O {
        O::default()
    }

    fn reduce(&self) -> &Reduce {
        self
    }
}

impl Asking<Sum> for args::Sum {
    fn operation(&self) -> Sum {
        Sum
    }

    fn reduce(&self) -> &Reduce {
        &self.reduce
    }
}

impl Asking<Variance> for Deviate {
    fn operation(&self) -> Variance {
        Variance { ddof: self.ddof }
    }

    fn reduce(&self) -> &Reduce {
        &self.reduce
    }
}

impl Asking<Stats> for Deviate {
    fn operation(&self) -> Stats {
        Stats { ddof: self.ddof }
    }

    fn reduce(&self) -> &Reduce {
        &self.reduce
    }
}

macro_rules! operations {
    ($(
        #[doc = $what:literal]
        $operation:ident $name:literal ($arguments:ty) of $elements:ident, $checked:ident;
    )*) => {
        /// An operation and its file.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Operation {
            $(
                #[doc = $what]
                #[command(
                    name = $name,
                    aliases = alias($name, record_of!($operation::default(), $elements)),
                )]
                $operation($arguments),
            )*
        }

        impl Operation {
            /// Reduces the file.
            pub(crate) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
                match self {
                    Self::Sum(arguments) if arguments.exact => {
                        match arguments.reduce.along.option() {
                            None => exact::sum(arguments, out),
                            Some(_) => exact::sums(arguments, out),
                        }
                    }
                    $(Self::$operation(arguments) => {
                        let operation: $operation = arguments.operation();
                        let arguments = Asking::<$operation>::reduce(arguments);
                        let input = open(&arguments.common, record_of!(operation, $elements))?;
                        if arguments.along.option().is_some() {
                            return with_sample!(input.element(), T in $elements => {
                                along::reduce::<T, _>(operation, input, arguments, out)
                            });
                        }
                        let report = with_sample!(input.element(), T in $elements => {
                            reduced::<T, _>(operation, input, &arguments.common).map(|(report, _)| report)
                        });
                        report?.print(arguments.common.json, out)
                    })*
                }
            }
        }
    };
}

with_operations!(operations);
