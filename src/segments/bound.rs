//! What lies somewhere in a buffer, behind a binding that starts where one may.

use crate::caps::Caps;
use crate::error::{Error, Result};
use crate::limits::{end_of, unsupported};
use crate::recording::{Bound, Place};
use crate::window::binding_start;

/// Items of a size from an offset on, and how many items of that size lie before them behind the binding.
///
/// # Errors
///
/// [`Error::InvalidBuffer`] if the offset is not a multiple of the size, or they reach further than a buffer does,
/// [`Error::Unsupported`] if no binding of the device covers them.
pub(super) fn bound(
    caps: &Caps,
    (binding, place): (u32, Place),
    offset: u64,
    [len, size]: [u64; 2],
) -> Result<(Bound, u32)> {
    let invalid = || Error::InvalidBuffer {
        what: format!("offset {offset} is not a multiple of {size} bytes"),
    };
    if !offset.is_multiple_of(size) {
        return Err(invalid());
    }
    let end = end_of(offset, [len, size])?;
    let start = binding_start(offset, size, caps.storage_alignment_bytes);
    check_size(caps, end - start)?;
    let bytes = (end > start).then_some(start..end);
    let before = u32::try_from((offset - start) / size).map_err(|_| invalid())?;
    Ok((Bound { binding, place, bytes }, before))
}

/// Fails unless one binding may be of so many bytes.
pub(super) fn check_size(caps: &Caps, bytes: u64) -> Result<()> {
    if bytes > caps.max_binding_bytes {
        return Err(unsupported("so many segments that one binding does not hold them"));
    }
    Ok(())
}
