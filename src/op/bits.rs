//! Operations on single bits: what they have in common.

/// The record and the types of an operation: its name, its WGSL, Rust's operator, its law, and the bits of no elements.
macro_rules! bits {
    ($operation:ident, $name:literal, $wgsl:literal, $operator:tt, $law:ident, $of_none:expr) => {
        pub(super) static RECORD: $crate::op::OpRecord = $crate::op::OpRecord {
            name: $name,
            several: None,
            of_none: true,
            over: |number| {
                let over = $crate::op::Over::unfinished(
                    $crate::shader::fragment::fragment!($wgsl),
                    $crate::op::accumulator::Accumulator::bits(number),
                )
                .merged($crate::op::merging::Merging::$law);
                (!number.is_float()).then_some(over)
            },
            on_host: |number| {
                use $crate::op::host::{fold, of_bits, same};
                let fold = of_bits(
                    number,
                    |parts| fold(parts, |a: u32, b| a $operator b, same),
                    |parts| fold(parts, |a: u64, b| a $operator b, same),
                );
                (!number.is_float()).then_some(fold)
            },
        };
        $crate::op::operate!($operation of i32, u32, i64, u64; |values| {
            Ok(values.iter().fold($of_none, |bits, value| bits $operator value))
        });
    };
}
pub(super) use bits;
