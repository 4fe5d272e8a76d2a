//! Where results of segments may lie.

use crate::buffer::GpuSlice;
use crate::error::{Error, Result};

/// Fails where results have no room, or lie where they are made of.
pub(super) fn check_output<R>(
    inputs: &[&wgpu::Buffer],
    offsets: GpuSlice<'_, u32>,
    output: GpuSlice<'_, R>,
) -> Result<()> {
    let segments = offsets.len.saturating_sub(1);
    if output.len < segments {
        return Err(Error::InvalidRange { start: 0, end: segments, len: output.len });
    }
    if inputs.contains(&output.buffer) {
        let what = "results of segments cannot lie in the buffer that they are made of".into();
        return Err(Error::InvalidBuffer { what });
    }
    Ok(())
}
