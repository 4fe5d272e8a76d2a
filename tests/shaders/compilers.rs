//! The compilers that there are on this machine, and what each is given.

use crate::dxc::{self, Dxc};
use crate::programs;
use crate::shader::{Language, Shader};
use crate::translate::{self, Checked, Guards, Specialised};
use std::path::PathBuf;

/// Those beside a browser's.
pub(crate) struct Compilers {
    dxc: Option<Dxc>,
    spirv_val: Option<PathBuf>,
    metal: Option<PathBuf>,
}

impl Compilers {
    pub(crate) fn find() -> Checked<Self> {
        Ok(Self { dxc: dxc::load()?, spirv_val: programs::spirv_val(), metal: programs::metal() })
    }

    /// Each by name and language, and whether it is there.
    pub(crate) fn all(&self) -> [(&'static str, Language, bool); 3] {
        [
            ("DXC", Language::Hlsl, self.dxc.is_some()),
            ("spirv-val", Language::SpirV, self.spirv_val.is_some()),
            ("metal", Language::Msl, self.metal.is_some()),
        ]
    }

    /// Gives the module to each that reads a language it is written in. What they refused.
    pub(crate) fn refusals(
        &self,
        shader: &Shader,
        module: &Specialised,
        guards: Guards,
    ) -> Checked<Vec<String>> {
        let mut refused = Vec::new();
        if let Some(program) = &self.spirv_val {
            refused.extend(programs::validate_spirv(program, &module.spirv(guards)?).err());
        }
        if let Some(dxc) = self.dxc.as_ref().filter(|_| shader.is_written_in(Language::Hlsl)) {
            let hlsl = module.hlsl(translate::shader_model(shader), guards)?;
            refused.extend(dxc::compile(dxc, &hlsl).err());
        }
        if let Some(program) = self.metal.as_ref().filter(|_| shader.is_written_in(Language::Msl)) {
            let version = translate::metal_version(shader);
            let msl = module.msl(version, guards)?;
            refused.extend(programs::compile_msl(program, &msl, version).err());
        }
        Ok(refused)
    }
}
