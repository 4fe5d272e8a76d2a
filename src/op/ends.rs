//! Operations whose result is the element at one end: what they have in common.

use super::host::{Keyed, fold};
use crate::error::Result;

/// Puts partials together on the host, of which the smallest key counts.
pub(super) fn smallest<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, T::Key::min, T::bits_of_key)
}

/// Puts partials together on the host, of which the largest key counts.
pub(super) fn largest<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, T::Key::max, T::bits_of_key)
}

/// The record and the types of an operation: its name, its WGSL, the end that is sought, and what puts partials together.
/// NaN counts before all numbers.
macro_rules! end {
    ($operation:ident, $name:literal, $wgsl:literal, $end:ident, $combined:ident) => {
        pub(super) static RECORD: $crate::op::OpRecord = $crate::op::OpRecord {
            name: $name,
            several: None,
            of_none: false,
            over: |number| Some($crate::op::ends::over!($wgsl, number, $end)),
            on_host: |number| Some($crate::op::host::of_number!(number, $combined)),
        };
        $crate::op::operate!($operation of f32, i32, u32, i64, u64, f64; |values| {
            let found = $crate::op::order::extreme(values, $crate::op::order::End::$end);
            Ok(found.ok_or($crate::error::Error::Empty { operation: $name })?.value)
        });
    };
}
pub(super) use end;

/// As `end!`, for operations on floats that leave NaN out; NaN is the result where there is nothing else.
macro_rules! end_but_nan {
    ($operation:ident, $name:literal, $wgsl:literal, $end:ident, $combined:ident) => {
        pub(super) static RECORD: $crate::op::OpRecord = $crate::op::OpRecord {
            name: $name,
            several: None,
            of_none: false,
            over: |number| number.is_float().then(|| $crate::op::ends::over!($wgsl, number, $end)),
            on_host: |number| $crate::op::host::of_float!(number, $combined),
        };
        $crate::op::operate!($operation of f32, f64; |values| {
            use $crate::op::order::{End, extreme, extreme_but_nan};
            let found = extreme_but_nan(values, End::$end).or_else(|| extreme(values, End::$end));
            Ok(found.ok_or($crate::error::Error::Empty { operation: $name })?.value)
        });
    };
}
pub(super) use end_but_nan;

macro_rules! over {
    ($wgsl:literal, $number:expr, $end:ident) => {
        $crate::op::Over::unfinished(
            $crate::shader::fragment::fragment!($wgsl),
            $crate::op::accumulator::Accumulator::bits($number),
        )
        .merged($crate::op::merging::Merging::$end)
    };
}
pub(super) use over;
