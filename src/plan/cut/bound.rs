//! What lies somewhere in a buffer, behind a binding that starts where one may.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::window::Run;
use crate::plan::limits::unsupported;
use crate::plan::recording::{Bound, Place};

/// Items of a size from an offset on, and how many items of that size lie before them behind the binding.
///
/// # Errors
///
/// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the offset is not a multiple of the size, or they reach further than a buffer does,
/// [`Error::Unsupported`](crate::Error::Unsupported) if no binding of the device covers them.
pub(crate) fn bound(
    caps: &Caps,
    (binding, place): (u32, Place),
    offset: u64,
    [len, size]: [u64; 2],
) -> Result<(Bound, u32)> {
    let items = Run { offset_bytes: offset, len, element_bytes: size };
    let (bytes, before) = items.bound(caps)?;
    if bytes.end - bytes.start > caps.max_binding_bytes {
        return Err(unsupported("more offsets, keys or results than one binding holds"));
    }
    let bytes = (!bytes.is_empty()).then_some(bytes);
    Ok((Bound { binding, place, bytes }, before))
}
