//! The bits that an odd number of elements has.

use super::bits::bits;

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

bits!(BitXor, "bit_xor", "ops/bit_xor.wgsl", ^, OddBits, 0);
