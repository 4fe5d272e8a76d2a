//! Operations that find where the first of the elements at one end is: what they have in common.

use super::host::{Keyed, Placed, fold};
use crate::error::Result;

/// Puts partials together on the host where the smallest key is that of the smallest element.
pub(super) fn smallest<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, Placed::first, Placed::finished::<T>)
}

/// Puts partials together where keys are turned round, so that the smallest key is that of the largest element.
pub(super) fn largest<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, Placed::first, Placed::finished_turned::<T>)
}

/// The record and the types of an operation: its name, its WGSL, the end that is sought, and what puts partials together.
/// NaN counts before all numbers.
macro_rules! find {
    ($operation:ident, $name:literal, $wgsl:literal, $end:ident, $combined:ident) => {
        pub(super) static RECORD: $crate::op::OpRecord = $crate::op::OpRecord {
            name: $name,
            several: None,
            of_none: false,
            over: |number| Some($crate::op::arg::over!($wgsl, number)),
            on_host: |number| Some($crate::op::host::of_number!(number, $combined)),
        };
        $crate::op::arg::find!($operation: f32, i32, u32, i64, u64, f64; |raw, _| {
            Ok($crate::op::results::located(raw))
        }; |values| {
            let found = $crate::op::order::extreme(values, $crate::op::order::End::$end);
            found.ok_or($crate::error::Error::Empty { operation: $name })
        });
    };
    ($operation:ident: $($element:ty),*; $finish:expr; $on_cpu:expr) => {$(
        $crate::op::operate!(
            $operation of $element => $crate::op::Located<$element>, from [u32; 4] = $finish; $on_cpu
        );
    )*};
}
pub(super) use find;

/// As `find!`, for operations on floats that leave NaN out.
macro_rules! find_but_nan {
    ($operation:ident, $name:literal, $wgsl:literal, $end:ident, $combined:ident) => {
        pub(super) static RECORD: $crate::op::OpRecord = $crate::op::OpRecord {
            name: $name,
            several: None,
            of_none: false,
            over: |number| number.is_float().then(|| $crate::op::arg::over!($wgsl, number)),
            on_host: |number| $crate::op::host::of_float!(number, $combined),
        };
        $crate::op::arg::find!($operation: f32, f64; |raw, _| {
            let found = $crate::op::results::located(raw);
            let is_none = $crate::op::order::Ordered::nan(found.value).is_some();
            if is_none { Err(NONE) } else { Ok(found) }
        }; |values| {
            let found = $crate::op::order::extreme_but_nan(values, $crate::op::order::End::$end);
            found.ok_or(NONE)
        });

        const NONE: $crate::error::Error = $crate::error::Error::Empty { operation: $name };
    };
}
pub(super) use find_but_nan;

macro_rules! over {
    ($wgsl:literal, $number:expr) => {
        $crate::op::Over {
            lifting: $crate::op::lifting::Lifting::Found,
            output_bytes: 16,
            ..$crate::op::Over::unfinished(
                $crate::shader::fragment::fragment!($wgsl),
                $crate::op::accumulator::Accumulator::located($number),
            )
        }
    };
}
pub(super) use over;
