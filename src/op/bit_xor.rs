//! The bits that an odd number of elements has.

use super::host::{fold, of_bits, same};
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::shader::fragment::fragment;

/// The bits that an odd number of elements has; of no elements none of them.
///
/// The result has the same bits on every device, with every tuning. There is none of floats.
///
/// ```
/// use wgpu_reduce::{BitXor, Operation};
///
/// assert_eq!(BitXor.on_cpu(&[0b0110_u32, 0b0101])?, 0b0011);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct BitXor;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "bit_xor",
    of_none: true,
    over: |number| {
        let over = Over::unfinished(fragment!("ops/bit_xor.wgsl"), Accumulator::bits(number));
        (!number.is_float()).then_some(over)
    },
    on_host: |number| {
        let fold = of_bits(
            number,
            |parts| fold(parts, |a: u32, b| a ^ b, same),
            |parts| fold(parts, |a: u64, b| a ^ b, same),
        );
        (!number.is_float()).then_some(fold)
    },
};

operate!(BitXor of i32 => i32; |values| Ok(values.iter().fold(0, |bits, v| bits ^ v)));
operate!(BitXor of u32 => u32; |values| Ok(values.iter().fold(0, |bits, v| bits ^ v)));
operate!(BitXor of i64 => i64; |values| Ok(values.iter().fold(0, |bits, v| bits ^ v)));
operate!(BitXor of u64 => u64; |values| Ok(values.iter().fold(0, |bits, v| bits ^ v)));
