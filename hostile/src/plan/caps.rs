//! Devices: most of them like those that there are, with one limit or another that no device has.

use crate::take::Bytes;
use wgpu_reduce::{AdapterClass, Caps, SubgroupSizes};

/// A device with any limits.
pub(super) fn caps(bytes: &mut Bytes<'_>) -> Caps {
    let mut caps = Caps::baseline();
    caps.max_binding_bytes = bytes.limit(&[768, 4096, 1 << 16, 128 << 20, (2 << 30) - 4, 4 << 30]);
    caps.max_buffer_bytes = bytes.limit(&[1 << 20, 256 << 20, 4 << 30, 1 << 40, u64::MAX]);
    caps.max_storage_buffers = bytes.small_limit(&[4, 8, 16]);
    caps.storage_alignment_bytes = bytes.limit(&[4, 16, 32, 64, 256]);
    caps.uniform_alignment_bytes = bytes.limit(&[64, 256]);
    caps.max_workgroups_per_dimension = bytes.small_limit(&[1, 3, 1000, 65_535, 1 << 31]);
    caps.max_workgroup_size = bytes.small_limit(&[64, 256, 1024, 2048]);
    caps.workgroup_storage_bytes = bytes.small_limit(&[16_384, 32_768, 49_152, 1 << 20]);
    let abilities = bytes.byte();
    let has = |bit: u8| abilities >> bit & 1 == 1;
    caps.class = if has(0) { AdapterClass::Cpu } else { AdapterClass::Gpu };
    let turns = if has(0) { 65_000 } else { u32::MAX };
    caps.max_loop_turns = bytes.small_limit(&[turns, turns, turns, 3000]);
    caps.subgroups = has(1).then(|| subgroups(bytes));
    caps.float_atomics = has(2);
    caps.native_u64 = has(3);
    caps.waits_for_others = has(4);
    caps.uniform_votes = has(5);
    caps.mappable_results = has(6);
    // Operations that need it are refused without.
    caps.f64 = !has(7);
    caps
}

fn subgroups(bytes: &mut Bytes<'_>) -> SubgroupSizes {
    let sizes = [(1, 128), (4, 4), (8, 8), (16, 32), (32, 32), (64, 64)];
    let (min, max) = bytes.pick(&sizes);
    SubgroupSizes { min: bytes.small_limit(&[min]), max: bytes.small_limit(&[max]) }
}
