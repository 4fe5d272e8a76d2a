//! Shader modules without run-time checks: the one file with `unsafe`.
//!
//! wgpu guards every index, loop and division of a shader, because it may have come from anywhere.
//! This crate's come from `shaders/`, and the guards cost time in the loops that matter.

#![expect(unsafe_code, reason = "wgpu calls it unsafe to leave the guards out")]

/// Makes a module of one of this crate's own shaders. `guarded` keeps wgpu's run-time checks.
pub(crate) fn create_module(
    device: &wgpu::Device,
    descriptor: wgpu::ShaderModuleDescriptor<'_>,
    guarded: bool,
) -> wgpu::ShaderModule {
    if guarded {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: what the guards would catch does not occur in the shaders of this crate.
    //
    // - Indices into bindings come from the dispatch's parameters, and the planners keep these
    //   within what they bind (`tests/host/plan.rs`, `ladder/pieces.rs`); wgpu still checks that
    //   what is bound lies within its buffer. Indices into workgroup memory are below
    //   `WORKGROUP_SIZE`, the length of every array there.
    // - Every loop adds a stride that is not zero to an index that is compared with a bound, and
    //   bound plus stride stay below 2^32, or halves or doubles a distance between two bounds. The
    //   loop of compare-exchange ends when this invocation wins, as one of those that try does.
    // - Divisors are counts of lanes, workgroups and elements that are at least 1.
    unsafe {
        device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
    }
}
