//! What no dispatch may exceed.

use std::ops::Range;
use wgpu_reduce::Caps;

/// A grid has a place for each workgroup, and the device has such grids.
pub(super) fn check_grid([x, y]: [u32; 2], workgroups: u32, caps: &Caps) {
    assert!(workgroups >= 1 && x >= 1 && y >= 1, "an empty grid: {x} x {y}");
    assert!(x.max(y) <= caps.max_workgroups_per_dimension, "{x} x {y} workgroups");
    assert!(u64::from(x) * u64::from(y) >= u64::from(workgroups), "{x} x {y} for {workgroups}");
}

/// Bytes behind a binding are as many as the device allows, and begin where they may.
pub(super) fn check_binding(bytes: &Range<u64>, caps: &Caps) {
    assert!(bytes.start < bytes.end, "nothing is bound: {bytes:?}");
    assert!(bytes.end - bytes.start <= caps.max_binding_bytes, "{bytes:?}");
    assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes), "{bytes:?}");
    assert!(bytes.end.is_multiple_of(4), "part of a word: {bytes:?}");
}
