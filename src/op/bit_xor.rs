//! The bits that an odd number of elements has.

use super::{OpRecord, Over, operate};
use crate::accumulator::Accumulator;
use crate::element::Number;
use crate::fragment::fragment;

/// The bits that an odd number of elements has; of no elements none of them.
///
/// The result has the same bits on every device, with every tuning. There is none of `f32`.
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
    over: |number| match number {
        Number::F32 => None,
        Number::I32 | Number::U32 => {
            Some(Over::unfinished(fragment!("ops/bit_xor.wgsl"), Accumulator::Word))
        }
    },
};

operate!(BitXor of i32 => i32; |values| Ok(values.iter().fold(0, |bits, v| bits ^ v)));
operate!(BitXor of u32 => u32; |values| Ok(values.iter().fold(0, |bits, v| bits ^ v)));
