//! The commands that reduce a file, one for each operation.

use crate::args::{self, Deviate, Reduce};
use crate::exact;
use crate::failure::Failure;
use crate::reduce::run;
use clap::Subcommand;
use std::io::Write;
use wgpu_reduce::{
    All, Any, ArgMax, ArgMin, BitAnd, BitOr, BitXor, CountNan, CountNonZero, Max, Mean, Min,
    MinMax, NanArgMax, NanArgMin, NanMax, NanMean, NanMin, NanSum, NormL1, NormL2, NormMax,
    Product, Stats, Sum, SumOfSquares, Variance, WrappingSum,
};

/// Calls a macro with every operation that takes nothing but elements: what it does, its type, its
/// command, and the elements that it takes.
macro_rules! with_operations {
    ($callback:ident) => {
        $callback! {
                #[doc = "Sum the elements of a file of integers in their own type, modulo 2^32."]
                WrappingSum "wrapping-sum" of [i32, u32];
                #[doc = "Multiply the elements of a file, those of integers modulo 2^64."]
                Product "product" of [f32, i32, u32];
                #[doc = "Sum the squares of the elements."]
                SumOfSquares "sum-of-squares" of [f32, i32, u32];
                #[doc = "Sum the magnitudes of the elements."]
                NormL1 "norm-l1" of [f32, i32, u32];
                #[doc = "Take the root of the sum of squares, safe from overflow."]
                NormL2 "norm-l2" of [f32, i32, u32];
                #[doc = "Find the largest magnitude."]
                NormMax "norm-max" of [f32, i32, u32];
                #[doc = "Find the smallest element; NaN if there is one."]
                Min "min" of [f32, i32, u32];
                #[doc = "Find the largest element; NaN if there is one."]
                Max "max" of [f32, i32, u32];
                #[doc = "Find the smallest and the largest element."]
                MinMax "min-max" of [f32, i32, u32];
                #[doc = "Find the smallest element and where it first stands."]
                ArgMin "argmin" of [f32, i32, u32];
                #[doc = "Find the largest element and where it first stands."]
                ArgMax "argmax" of [f32, i32, u32];
                #[doc = "Compute the mean."]
                Mean "mean" of [f32, i32, u32];
                #[doc = "Tell whether no element is zero."]
                All "all" of [f32, i32, u32];
                #[doc = "Tell whether any element is not zero."]
                Any "any" of [f32, i32, u32];
                #[doc = "Count the elements that are not zero."]
                CountNonZero "count-nonzero" of [f32, i32, u32];
                #[doc = "Count the elements that are NaN."]
                CountNan "count-nan" of [f32];
                #[doc = "Find the bits that all elements have."]
                BitAnd "bit-and" of [i32, u32];
                #[doc = "Find the bits that any element has."]
                BitOr "bit-or" of [i32, u32];
                #[doc = "Find the bits that an odd number of elements has."]
                BitXor "bit-xor" of [i32, u32];
                #[doc = "Sum the elements that are not NaN."]
                NanSum "nan-sum" of [f32];
                #[doc = "Compute the mean of the elements that are not NaN."]
                NanMean "nan-mean" of [f32];
                #[doc = "Find the smallest element that is not NaN."]
                NanMin "nan-min" of [f32];
                #[doc = "Find the largest element that is not NaN."]
                NanMax "nan-max" of [f32];
                #[doc = "Find the smallest element that is not NaN, and where it first stands."]
                NanArgMin "nan-argmin" of [f32];
                #[doc = "Find the largest element that is not NaN, and where it first stands."]
                NanArgMax "nan-argmax" of [f32];
        }
    };
}
pub(crate) use with_operations;

/// One command for each operation that takes nothing but elements, and those that take more.
macro_rules! operations {
    ($(#[doc = $what:literal] $operation:ident $name:literal of $elements:tt;)*) => {
        /// An operation and its file.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Operation {
            $(
                #[doc = $what]
                #[command(name = $name)]
                $operation(Reduce),
            )*
            /// Sum the elements of a file.
            Sum(args::Sum),
            /// Compute the variance.
            Variance(Deviate),
            /// Compute count, extremes and where they are, sum, mean and variance in one pass.
            Stats(Deviate),
        }

        impl Operation {
            /// Reduces the file.
            pub(crate) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
                match self {
                    $(Self::$operation(arguments) => {
                        run!($operation, arguments, out, $elements)
                    })*
                    Self::Sum(arguments) if arguments.exact => exact::sum(arguments, out),
                    Self::Sum(args::Sum { reduce, .. }) => {
                        run!(Sum, reduce, out, [f32, i32, u32])
                    }
                    Self::Variance(Deviate { reduce, ddof }) => {
                        run!(Variance { ddof: *ddof }, reduce, out, [f32, i32, u32])
                    }
                    Self::Stats(Deviate { reduce, ddof }) => {
                        run!(Stats { ddof: *ddof }, reduce, out, [f32, i32, u32])
                    }
                }
            }
        }
    };
}

with_operations!(operations);
