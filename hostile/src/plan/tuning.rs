//! Tunings: defaults, and any numbers.

use crate::take::Bytes;
use wgpu_reduce::{Caps, Combining, ElementKind, OpRecord, Tuning};

/// A tuning of reductions.
pub(super) fn tuning(
    bytes: &mut Bytes<'_>,
    caps: &Caps,
    operation: &'static OpRecord,
    element: ElementKind,
) -> Tuning {
    if bytes.byte().is_multiple_of(2) {
        return Tuning::for_operation(caps, operation, element, bytes.scaled());
    }
    Tuning {
        workgroup_size: workgroup_size(bytes),
        max_workgroups: bytes.small_limit(&[1, 7, 300, 5000, 1 << 20]),
        max_partials_per_workgroup: bytes.small_limit(&[2, 100, 16_384, 1 << 20]),
        loads_in_flight: bytes.small_limit(&[1, 2, 4, 8, 16]),
        min_quads_per_invocation: bytes.small_limit(&[1, 4, 8, 1 << 10]),
        combining: bytes.pick(&Combining::ALL),
    }
}

/// Mostly a power of two.
pub(super) fn workgroup_size(bytes: &mut Bytes<'_>) -> u32 {
    bytes.small_limit(&[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048])
}
