//! The operations: each is one record, in a file of its own, with its WGSL and its CPU meaning.

pub(crate) mod accumulator;
mod accuracy;
mod all;
mod any;
mod any_operation;
mod arg;
mod argmax;
mod argmin;
mod bit_and;
mod bit_or;
mod bit_xor;
mod bits;
#[cfg(feature = "recorded")]
pub(crate) mod by_rank;
mod count_nan;
mod count_nonzero;
pub(crate) mod decode;
mod deviations;
mod dot;
mod doubles;
pub(crate) mod element;
mod ends;
mod exact;
pub(crate) mod fold;
mod host;
pub(crate) mod lifting;
mod log_sum_exp;
mod max;
mod mean;
mod mean_exact;
pub(crate) mod merging;
mod min;
mod min_max;
mod nan_argmax;
mod nan_argmin;
mod nan_max;
mod nan_mean;
mod nan_min;
mod nan_std;
mod nan_sum;
mod nan_variance;
mod narrow;
mod norm_l1;
mod norm_l2;
mod norm_max;
mod operation;
pub(crate) mod operator;
mod order;
mod pairs;
mod precision;
mod product;
mod quantiles;
pub(crate) mod ranks;
mod record;
mod registry;
mod results;
mod sealed;
pub(crate) mod several;
pub(crate) mod shares;
mod standard_deviation;
mod stats;
mod sum;
mod sum_exact;
mod sum_of_squares;
mod top;
pub(crate) mod value;
mod variance;
mod words;
mod wrapping_sum;
mod zero;

pub use accuracy::Accuracy;
pub use any_operation::AnyOperation;
pub use dot::Dot;
pub use element::{Element, ElementKind};
pub(crate) use exact::Exact;
pub use exact::{DotExact, Partial, Unrounded};
pub use fold::{AlongFold, DeviceFold, Fold, ShapedFold};
pub use operation::Operation;
pub use pairs::PairOperation;
pub use quantiles::{
    InterquartileRange, Median, NanMedian, NanQuantile, NanQuantiles, Nth, OrderStatistic,
    Quantile, Quantiles, Ranked,
};
pub use ranks::QuantileMethod;
pub use record::OpRecord;
pub use results::{Extrema, Located, Statistics};
pub use top::{ArgNth, BottomK, TopK};
pub use value::CustomValue;

/// Every operation of one input.
pub mod operations {
    macro_rules! exports {
        ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
            $(pub use super::$module::$operation;)*
        };
    }
    crate::for_each_operation!(exports);
}
pub(crate) use operations::*;

pub(crate) use host::HostFold;
pub(crate) use record::Over;

use operation::operate;

#[cfg(test)]
mod tests;
