//! Workgroup memory of shaders, for the tests of shaders and those of GPUs.

use naga::proc::Layouter;
use naga::{AddressSpace, Module};

/// Bytes of all that a module has in workgroup memory. Its overrides are filled in.
pub(crate) fn workgroup_bytes(module: &Module) -> Result<u32, String> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
    let variables = module.global_variables.iter().map(|(_, variable)| variable);
    let shared = variables.filter(|variable| variable.space == AddressSpace::WorkGroup);
    Ok(shared.map(|variable| layouter[variable.ty].size).sum())
}
