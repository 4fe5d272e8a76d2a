//! The compilers that there are on this machine, and what each is given.

use crate::dxc::{self, Dxc};
use crate::fxc::{self, Fxc};
use crate::programs;
use crate::shader::{Language, Shader};
use crate::translate::{self, Checked, Guards, Specialised};
use std::path::PathBuf;

/// Whether compilers of the language are given the text. FXC gets none whose workgroup memory is zeroed: naga assigns whole arrays,
/// and FXC takes minutes over some (wgpu's issue 4592).
pub(crate) fn is_given(language: Language, shader: &Shader, guards: Guards) -> bool {
    let is_long = language == Language::HlslForFxc && guards == Guards::ChecksAndZeros;
    shader.is_written_in(language) && !is_long
}

/// Those beside a browser's.
pub(crate) struct Compilers {
    /// Whether DXC compiles each text for all its shader models. Else it takes them in turn.
    has_all_models: bool,
    dxc: Option<Dxc>,
    fxc: Option<Fxc>,
    spirv_val: Option<PathBuf>,
    metal: Option<PathBuf>,
}

impl Compilers {
    pub(crate) fn find(has_all_models: bool) -> Checked<Self> {
        Ok(Self {
            has_all_models,
            dxc: dxc::load()?,
            fxc: fxc::find()?,
            spirv_val: programs::spirv_val(),
            metal: programs::metal(),
        })
    }

    /// Each by name and language, and whether it is there.
    pub(crate) fn all(&self) -> [(&'static str, Language, bool); 4] {
        [
            ("DXC", Language::Hlsl, self.dxc.is_some()),
            ("FXC", Language::HlslForFxc, self.fxc.is_some()),
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
            for (version, target) in programs::SPIRV {
                let words = module.spirv(version, guards)?;
                refused.extend(programs::validate_spirv(program, target, &words).err());
            }
        }
        let is_given = |language| is_given(language, shader, guards);
        if let Some(dxc) = self.dxc.as_ref().filter(|_| is_given(Language::Hlsl)) {
            let hlsl = module.hlsl(translate::shader_model(shader), guards)?;
            let turn = hlsl.text.len() % dxc::MODELS.len();
            let models = if self.has_all_models { &dxc::MODELS } else { &dxc::MODELS[turn..=turn] };
            refused
                .extend(models.iter().filter_map(|&model| dxc::compile(dxc, &hlsl, model).err()));
        }
        if let Some(fxc) = self.fxc.as_ref().filter(|_| is_given(Language::HlslForFxc)) {
            let hlsl = module.hlsl(translate::shader_model(shader), guards)?;
            refused.extend(fxc.compile(&hlsl).err());
        }
        if let Some(program) = self.metal.as_ref().filter(|_| is_given(Language::Msl)) {
            let version = translate::metal_version(shader);
            let msl = module.msl(version, guards)?;
            refused.extend(programs::compile_msl(program, &msl, version).err());
        }
        Ok(refused)
    }
}
