//! Requests to the planner.

use crate::promises::check_plan;
use crate::take::Bytes;
use wgpu_reduce::{
    AdapterClass, Caps, Collective, Combining, ElementKind, OpRecord, Part, Plan, PlanRequest,
    SubgroupSizes, Tuning,
};

/// Plans a reduction of any length, on a device with any limits, with any tuning. Whether there is a plan.
///
/// # Panics
///
/// If there is a plan and it does not keep its promises: each element is read exactly once, no grid is empty or
/// larger than the device's, nothing overflows.
#[must_use]
pub fn plan(bytes: &[u8]) -> bool {
    let mut bytes = Bytes(bytes);
    let caps = caps(&mut bytes);
    let (operation, element) = (bytes.pick(&OpRecord::ALL), bytes.pick(&ElementKind::ALL));
    let parts = usize::from(bytes.byte() % 4);
    let part = |bytes: &mut Bytes<'_>| {
        // What no buffer has the planner need not tell apart from what one has.
        let size = element.size_bytes();
        let (offset, len) = (bytes.scaled() >> 8, bytes.scaled());
        Part { offset_bytes: (offset / size) * size, len }
    };
    let input = (0..parts).map(|_| part(&mut bytes)).collect();
    let tuning = match bytes.byte() % 2 {
        0 => Tuning::for_operation(&caps, operation, element, bytes.scaled()),
        _ => Tuning {
            workgroup_size: 1 << (bytes.byte() % 12),
            max_workgroups: bytes.word() >> (bytes.byte() % 32),
            max_partials_per_workgroup: bytes.word() >> (bytes.byte() % 32),
            loads_in_flight: (bytes.byte() % 20).into(),
            min_quads_per_invocation: bytes.word() >> (bytes.byte() % 32),
            combining: bytes.pick(&Combining::ALL),
        },
    };
    let collective = bytes.pick(&[Collective::Workgroup, Collective::Subgroup]);
    let output_offset_bytes = bytes.scaled() >> 4;
    let in_place = bytes.byte() % 2 == 1;
    let request = PlanRequest {
        operation,
        element,
        input,
        output_offset_bytes,
        in_place,
        collective,
        tuning,
        caps,
    };
    let plan = Plan::new(&request);
    plan.inspect(|plan| check_plan(&request, plan)).is_ok()
}

/// Of devices that there may be.
fn caps(bytes: &mut Bytes<'_>) -> Caps {
    let mut caps = Caps::baseline();
    caps.max_binding_bytes = (768 + bytes.scaled() % (1 << 34)) & !3;
    caps.max_buffer_bytes = caps.max_binding_bytes.max(bytes.scaled());
    caps.storage_alignment_bytes = bytes.pick(&[4, 16, 32, 64, 256]);
    caps.max_workgroups_per_dimension = 1 + bytes.word() % 65_535;
    caps.max_workgroup_size = bytes.pick(&[64, 256, 1024]);
    caps.workgroup_storage_bytes = bytes.pick(&[16_384, 32_768, 49_152]);
    let (min, max) = bytes.pick(&[(1, 128), (4, 4), (8, 8), (16, 32), (32, 32), (64, 64)]);
    caps.subgroups = Some(SubgroupSizes { min, max });
    caps.class = bytes.pick(&[AdapterClass::Gpu, AdapterClass::Cpu]);
    caps.max_loop_turns = if caps.class == AdapterClass::Cpu { 65_000 } else { u32::MAX };
    caps.waits_for_others = bytes.byte() % 2 == 1;
    caps.native_u64 = bytes.byte() % 2 == 1;
    caps.f64 = bytes.byte() % 2 == 1;
    caps
}
