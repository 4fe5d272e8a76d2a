//! The bits that all elements have.

use super::bits::bits;

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

bits!(BitAnd, "bit_and", "ops/bit_and.wgsl", &, AllBits, !0);
