//! The bits that all elements have.

use super::host::{fold, of_bits, same};
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::shader::fragment::fragment;

/// The bits that all elements have; of no elements all of them.
///
/// The result has the same bits on every device, with every tuning. There is none of floats.
///
/// ```
/// use wgpu_reduce::{BitAnd, Operation};
///
/// assert_eq!(BitAnd.on_cpu(&[0b0110_u32, 0b0101])?, 0b0100);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct BitAnd;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "bit_and",
    of_none: true,
    over: |number| {
        let over = Over::unfinished(fragment!("ops/bit_and.wgsl"), Accumulator::bits(number));
        (!number.is_float()).then_some(over)
    },
    on_host: |number| {
        let fold = of_bits(
            number,
            |parts| fold(parts, |a: u32, b| a & b, same),
            |parts| fold(parts, |a: u64, b| a & b, same),
        );
        (!number.is_float()).then_some(fold)
    },
};

operate!(BitAnd of i32 => i32; |values| Ok(values.iter().fold(!0, |bits, v| bits & v)));
operate!(BitAnd of u32 => u32; |values| Ok(values.iter().fold(!0, |bits, v| bits & v)));
operate!(BitAnd of i64 => i64; |values| Ok(values.iter().fold(!0, |bits, v| bits & v)));
operate!(BitAnd of u64 => u64; |values| Ok(values.iter().fold(!0, |bits, v| bits & v)));
