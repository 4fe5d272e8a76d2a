//! What the caller's device can do.

use crate::script::{Result, property, small, whole_or};
use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wgpu_reduce::Caps;
use wgpu_types::{AdapterInfo, Backend, DeviceType, Features, Limits};

/// The capabilities of a device with these limits, on an adapter of this kind, with subgroups or without.
pub(crate) fn caps(device: &JsValue) -> Result<Caps> {
    let adapter = property(device, "adapterInfo");
    let is_software = property(device, "isSoftware").is_truthy();
    let kind = if is_software { DeviceType::Cpu } else { DeviceType::Other };
    let mut info = AdapterInfo::new(kind, Backend::BrowserWebGpu);
    info.subgroup_min_size = small(&adapter, "subgroupMinSize", 1)?;
    info.subgroup_max_size = small(&adapter, "subgroupMaxSize", 0)?;
    let mut features = Features::empty();
    features.set(Features::SUBGROUP, property(device, "hasSubgroups").is_truthy());
    Ok(Caps::new(&limits(&property(device, "limits"))?, features, &info))
}

/// Those that plans depend on.
fn limits(given: &JsValue) -> Result<Limits> {
    let mut limits = Limits::defaults();
    let bytes = |name, default| whole_or(given, name, default);
    limits.max_storage_buffer_binding_size =
        bytes("maxStorageBufferBindingSize", limits.max_storage_buffer_binding_size)?;
    limits.max_buffer_size = bytes("maxBufferSize", limits.max_buffer_size)?;
    for (name, limit) in [
        ("maxStorageBuffersPerShaderStage", &mut limits.max_storage_buffers_per_shader_stage),
        ("minStorageBufferOffsetAlignment", &mut limits.min_storage_buffer_offset_alignment),
        ("minUniformBufferOffsetAlignment", &mut limits.min_uniform_buffer_offset_alignment),
        ("maxComputeWorkgroupsPerDimension", &mut limits.max_compute_workgroups_per_dimension),
        ("maxComputeWorkgroupSizeX", &mut limits.max_compute_workgroup_size_x),
        ("maxComputeInvocationsPerWorkgroup", &mut limits.max_compute_invocations_per_workgroup),
        ("maxComputeWorkgroupStorageSize", &mut limits.max_compute_workgroup_storage_size),
    ] {
        if Reflect::has(given, &name.into()).unwrap_or(false) {
            *limit = small(given, name, *limit)?;
        }
    }
    Ok(limits)
}
