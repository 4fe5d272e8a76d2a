//! Workgroup memory of each pipeline that a device makes, which wgpu does not compare with the device's limit.

use crate::workgroup_memory::workgroup_bytes;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

/// The text's module. Panics, which fails the call that wants the pipeline, if it takes more workgroup memory than devices with tight
/// limits have.
pub(crate) fn within_least(
    text: &str,
    entry_point: &str,
    constants: &[(&'static str, u32)],
) -> Module {
    let module = naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let bytes = pipeline_bytes(&module, entry_point, constants);
    let most = wgpu::Limits::downlevel_defaults().max_compute_workgroup_storage_size;
    assert!(bytes <= most, "{bytes} bytes of workgroup memory, of {most}: {constants:?}, {text}");
    module
}

fn pipeline_bytes(module: &Module, entry_point: &str, constants: &[(&'static str, u32)]) -> u32 {
    let info = Validator::new(ValidationFlags::empty(), Capabilities::all())
        .validate(module)
        .expect("the text is valid");
    let constants = constants.iter().map(|&(name, value)| (name.to_owned(), f64::from(value)));
    let entry_point = Some((ShaderStage::Compute, entry_point));
    let (module, _) = naga::back::pipeline_constants::process_overrides(
        module,
        &info,
        entry_point,
        &constants.collect(),
    )
    .expect("the constants are the text's");
    workgroup_bytes(&module).expect("types have sizes")
}
