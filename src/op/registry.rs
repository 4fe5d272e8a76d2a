//! The list of operations of one input. What names them all is made of it: exports, [`OpRecord::ALL`](super::OpRecord::ALL), the
//! operations on packed elements, blocking calls, the commands of the command line, benches and tests.

/// Calls a macro with every operation of one input, in the order of [`OpRecord::ALL`](crate::OpRecord::ALL), after what it is given.
///
/// A row has the operation's name, its type with the fields that a value is made of, and the class of elements that it takes
/// (see [`with_elements`](crate::with_elements)). Behind the colon are
///
/// - its module in `src/op/`;
/// - whether it leaves a `figure` of packed elements, which is that of wider ones, or an `element`;
/// - the command, and what its help says;
/// - the blocking call: what it gives, and an example. It is empty where the call is written by hand.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_operation {
    ($($callback:ident)::+ $(, $given:tt)?) => {
        $($callback)::+! {
            $($given)?
            sum Sum() of all: sum, figure,
                ("sum", "Sum the elements of a file."),
                ("The sum of all elements: `i64` for signed integers of up to 32 bits, `u64` for unsigned ones, `i128` for `i64`, `u128` for `u64`, all exact; `f32` for floats of up to 32 bits, `f64` for `f64`; 0 for no elements.",
                    "&[u32::MAX, 1]" => "1_u64 << 32");
            wrapping_sum WrappingSum() of integers: wrapping_sum, element,
                ("wrapping-sum", "Sum the elements of a file of integers in their own type, modulo 2 to its bits."),
                ("The sum of all elements modulo 2 to the number of their bits, in their own type; 0 for no elements.",
                    "&[u32::MAX, 3]" => "2_u32");
            product Product() of all: product, figure,
                ("product", "Multiply the elements of a file, those of integers modulo 2^64."),
                ("The product of all elements: of integers modulo 2^64, of floats a float; 1 of no elements.",
                    "&[-3_i32, 4]" => "-12_i64");
            sum_of_squares SumOfSquares() of squared: sum_of_squares, figure,
                ("sum-of-squares", "Sum the squares of the elements."),
                ("The sum of the elements' squares: an exact `u128` of integers, of floats a float; 0 of no elements.",
                    "&[3_i32, -4]" => "25_u128");
            norm_l1 NormL1() of all: norm_l1, figure,
                ("norm-l1", "Sum the magnitudes of the elements."),
                ("The sum of the elements' magnitudes: an exact `u64` of integers of up to 32 bits and `u128` of longer ones, of floats a float; 0 of no elements.",
                    "&[3_i32, -4]" => "7_u64");
            norm_l2 NormL2() of squared: norm_l2, figure,
                ("norm-l2", "Take the root of the sum of squares, safe from overflow."),
                ("The root of the sum of the elements' squares, safe from overflow and underflow: `f64` of integers, of floats a float; 0 of no elements.",
                    "&[f32::MAX, 0.0]" => "f32::MAX");
            norm_max NormMax() of all: norm_max, element,
                ("norm-max", "Find the largest magnitude."),
                ("The largest magnitude: of integers the unsigned type as long as theirs, of floats theirs; 0 of no elements.",
                    "&[3_i32, -4]" => "4_u32");
            min Min() of all: min, element,
                ("min", "Find the smallest element; NaN if there is one."),
                ("The smallest element; NaN if there is one.",
                    "&[2.5_f32, -1.0]" => "-1.0_f32");
            max Max() of all: max, element,
                ("max", "Find the largest element; NaN if there is one."),
                ("The largest element; NaN if there is one.",
                    "&[2.5_f32, -1.0]" => "2.5_f32");
            min_max MinMax() of all: min_max, element,
                ("min-max", "Find the smallest and the largest element."),
                ("The smallest and the largest element, in one pass over the data; NaN if there is one.",
                    "&[2_i32, -1]" => "wgpu_reduce::Extrema { min: -1, max: 2 }");
            argmin ArgMin() of all: argmin, element,
                ("argmin", "Find the smallest element and its index, the first of equal ones."),
                ("The smallest element and the index where it first stands; the first NaN if there is one.",
                    "&[2_i32, -1, -1]" => "wgpu_reduce::Located { index: 1, value: -1 }");
            argmax ArgMax() of all: argmax, element,
                ("argmax", "Find the largest element and its index, the first of equal ones."),
                ("The largest element and the index where it first stands; the first NaN if there is one.",
                    "&[2_i32, -1, 2]" => "wgpu_reduce::Located { index: 0, value: 2 }");
            log_sum_exp LogSumExp() of short_floats: log_sum_exp, figure,
                ("log-sum-exp", "Compute the logarithm of the sum of exponentials, safe from overflow."),
                ("The logarithm of the sum of the elements' exponentials, safe from overflow and underflow: `f32` for floats of up to 32 bits. There is none of others.",
                    "&[1000.0_f32, f32::NEG_INFINITY]" => "1000.0_f32");
            mean Mean() of all: mean, figure,
                ("mean", "Compute the mean."),
                ("The mean: `f64` for integers and `f64`, `f32` for floats of up to 32 bits.",
                    "&[1_u32, 2]" => "1.5_f64");
            variance Variance(ddof) of squared: variance, figure,
                ("variance", "Compute the variance."),
                ("The sum of squared deviations from the mean, divided by the number of elements less `ddof`: 0 for a whole population, 1 to estimate from a sample. `f64` for integers of up to 32 bits and `f64`, `f32` for floats of up to 32 bits; of `i64` and `u64` there is none.",
                    "&[1_i32, 2, 3, 4]", "0" => "1.25");
            std Std(ddof) of squared: standard_deviation, figure,
                ("std", "Compute the standard deviation."),
                ("The standard deviation, the root of the variance with the same `ddof`: 0 for a whole population, 1 to estimate from a sample. `f64` for integers of up to 32 bits and `f64`, `f32` for floats of up to 32 bits; of `i64` and `u64` there is none.",
                    "&[2_i32, 4, 4, 4, 5, 5, 7, 9]", "0" => "2.0");
            stats Stats(ddof) of squared: stats, element,
                ("stats", "Compute count, extremes and their indices, sum, mean and variance in one pass."),
                ();
            all All() of all: all, figure,
                ("all", "Tell whether no element is zero."),
                ("Whether no element is zero; true of no elements.",
                    "&[1_u32, 0]" => "false");
            any Any() of all: any, figure,
                ("any", "Tell whether any element is not zero."),
                ("Whether an element is not zero; false of no elements.",
                    "&[1_u32, 0]" => "true");
            count_nonzero CountNonZero() of all: count_nonzero, figure,
                ("count-nonzero", "Count the elements that are not zero."),
                ("How many elements are not zero: NaN counts, −0 does not.",
                    "&[1_u32, 0]" => "1_u64");
            count_nan CountNan() of floats: count_nan, figure,
                ("count-nan", "Count the elements that are NaN."),
                ("How many elements are NaN.",
                    "&[1.0, f32::NAN]" => "1_u64");
            bit_and BitAnd() of integers: bit_and, element,
                ("bit-and", "Find the bits that all elements have."),
                ("The bits that all elements have; all bits of no elements.",
                    "&[0b110_u32, 0b101]" => "0b100_u32");
            bit_or BitOr() of integers: bit_or, element,
                ("bit-or", "Find the bits that any element has."),
                ("The bits that any element has; none of no elements.",
                    "&[0b110_u32, 0b101]" => "0b111_u32");
            bit_xor BitXor() of integers: bit_xor, element,
                ("bit-xor", "Find the bits that an odd number of elements has."),
                ("The bits that an odd number of elements has; none of no elements.",
                    "&[0b110_u32, 0b101]" => "0b011_u32");
            nan_sum NanSum() of floats: nan_sum, figure,
                ("nan-sum", "Sum the elements that are not NaN. It is infinite or NaN if a partial sum exceeds the type."),
                ("The sum of the elements that are not NaN; 0 if all are.",
                    "&[1.5, f32::NAN]" => "1.5_f32");
            nan_mean NanMean() of floats: nan_mean, figure,
                ("nan-mean", "Compute the mean of the elements that are not NaN."),
                ("The mean of the elements that are not NaN; NaN if all are.",
                    "&[1.5, f32::NAN]" => "1.5_f32");
            nan_variance NanVariance(ddof) of floats: nan_variance, figure,
                ("nan-variance", "Compute the variance of the elements that are not NaN."),
                ("The variance of the elements that are not NaN: the sum of their squared deviations, divided by how many they are less `ddof`, which is 0 for a whole population and 1 to estimate from a sample; NaN if there are no more than `ddof`.",
                    "&[1.0, f32::NAN, 5.0]", "0" => "4.0_f32");
            nan_std NanStd(ddof) of floats: nan_std, figure,
                ("nan-std", "Compute the standard deviation of the elements that are not NaN."),
                ("The standard deviation of the elements that are not NaN, the root of their variance with the same `ddof`; NaN if there are no more than `ddof`.",
                    "&[3.0, f32::NAN, 5.0]", "0" => "1.0_f32");
            nan_min NanMin() of floats: nan_min, element,
                ("nan-min", "Find the smallest element that is not NaN."),
                ("The smallest element that is not NaN; NaN if all are.",
                    "&[1.5, f32::NAN]" => "1.5_f32");
            nan_max NanMax() of floats: nan_max, element,
                ("nan-max", "Find the largest element that is not NaN."),
                ("The largest element that is not NaN; NaN if all are.",
                    "&[1.5, f32::NAN]" => "1.5_f32");
            nan_argmin NanArgMin() of floats: nan_argmin, element,
                ("nan-argmin", "Find the smallest element that is not NaN, and its index."),
                ("The smallest element that is not NaN and the index where it first stands.",
                    "&[f32::NAN, 1.5]" => "wgpu_reduce::Located { index: 1, value: 1.5 }");
            nan_argmax NanArgMax() of floats: nan_argmax, element,
                ("nan-argmax", "Find the largest element that is not NaN, and its index."),
                ("The largest element that is not NaN and the index where it first stands.",
                    "&[f32::NAN, 1.5]" => "wgpu_reduce::Located { index: 1, value: 1.5 }");
            sum_exact SumExact() of floats: sum_exact, figure,
                ("sum-exact", "The bits of sum --exact, as an operation like any other: without --bits, and slower in pieces."),
                ("The real sum, rounded once to the nearest `f32`, of `f64` to the nearest `f64`, ties to even: the same bits on every device, in any order of the elements; 0 for no elements.",
                    "&[1e30_f32, 1.0, -1e30]" => "1.0_f32");
            mean_exact MeanExact() of floats: mean_exact, figure,
                ("mean-exact", "Compute the mean of the exact sum, rounded once: the same bits on every device."),
                ("The real mean, rounded once to the nearest `f32`, of `f64` to the nearest `f64`, ties to even: the same bits on every device, in any order of the elements.",
                    "&[1e30_f32, 3.0, -1e30]" => "1.0_f32");
        }
    };
}

/// Calls a macro with the elements that a class has in a group, in brackets, and what it is given behind them. The groups
/// are `words`, of 32 bits, `packed`, of fewer, and `wide`, of more. `every` calls it with one group after another.
#[doc(hidden)]
#[macro_export]
macro_rules! with_elements {
    (every of $class:ident, $($call:tt)+) => {
        $crate::with_elements!(words of $class, $($call)+);
        $crate::with_elements!(packed of $class, $($call)+);
        $crate::with_elements!(wide of $class, $($call)+);
    };
    (words of all, $($call:tt)+) => { $crate::with_elements!([f32, i32, u32] $($call)+); };
    (packed of all, $($call:tt)+) => { $crate::with_elements!([u8, i8, u16, i16, f16, bf16] $($call)+); };
    (wide of all, $($call:tt)+) => { $crate::with_elements!([i64, u64, f64] $($call)+); };
    // Those whose squares are added up.
    (words of squared, $($call:tt)+) => { $crate::with_elements!([f32, i32, u32] $($call)+); };
    (packed of squared, $($call:tt)+) => { $crate::with_elements!([u8, i8, u16, i16, f16, bf16] $($call)+); };
    (wide of squared, $($call:tt)+) => { $crate::with_elements!([f64] $($call)+); };
    (words of integers, $($call:tt)+) => { $crate::with_elements!([i32, u32] $($call)+); };
    (packed of integers, $($call:tt)+) => { $crate::with_elements!([u8, i8, u16, i16] $($call)+); };
    (wide of integers, $($call:tt)+) => { $crate::with_elements!([i64, u64] $($call)+); };
    (words of floats, $($call:tt)+) => { $crate::with_elements!([f32] $($call)+); };
    (packed of floats, $($call:tt)+) => { $crate::with_elements!([f16, bf16] $($call)+); };
    (wide of floats, $($call:tt)+) => { $crate::with_elements!([f64] $($call)+); };
    // Those of up to 32 bits.
    (words of short_floats, $($call:tt)+) => { $crate::with_elements!([f32] $($call)+); };
    (packed of short_floats, $($call:tt)+) => { $crate::with_elements!([f16, bf16] $($call)+); };
    (wide of short_floats, $($call:tt)+) => { $crate::with_elements!([] $($call)+); };
    ($elements:tt $($callback:ident)::+ ($($given:tt)*)) => {
        $($callback)::+! { $elements $($given)* }
    };
}
