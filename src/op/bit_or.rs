//! The bits that any element has.

use super::bits::bits;

/// The bits that any element has; of no elements none of them.
///
/// The result has the same bits on every device, with every tuning. There is none of floats.
///
/// ```
/// use wgpu_reduce::{BitOr, Operation};
///
/// assert_eq!(BitOr.on_cpu(&[0b0110_u32, 0b0101])?, 0b0111);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct BitOr;

bits!(BitOr, "bit_or", "ops/bit_or.wgsl", |, AnyBit, 0);
