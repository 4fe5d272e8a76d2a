//! Shaders through naga as wgpu sends them: parsed, validated, specialised and translated with the options of its backends.

use crate::shader::{Form, Language, Shader};
use crate::workgroup_memory::workgroup_bytes;
use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{
    Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator,
};
use naga::{AddressSpace, Module, ResourceBinding, ShaderStage, StorageAccess};

/// What naga or a compiler found wrong.
pub(crate) type Checked<T> = Result<T, String>;

/// A valid module, with its overrides open.
pub(crate) struct Parsed<'s> {
    shader: &'s Shader,
    module: Module,
    info: ModuleInfo,
}

/// One entry point of a module with its overrides filled in: what a pipeline is made of.
pub(crate) struct Specialised {
    module: Module,
    info: ModuleInfo,
}

/// Which of wgpu's run-time checks a text is translated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Guards {
    /// The library's own shaders.
    None,
    /// Texts of users; their workgroup memory is not zeroed.
    Checks,
    /// Every shader, where `Options::guarded_shaders` asks for it.
    ChecksAndZeros,
}

/// HLSL, and the name of its entry point.
pub(crate) struct Hlsl {
    pub(crate) text: String,
    pub(crate) entry_point: String,
}

impl<'s> Parsed<'s> {
    /// Parses and validates the text, allowing no capability but those that the shader names.
    pub(crate) fn new(shader: &'s Shader) -> Checked<Self> {
        let text = &shader.text;
        let module =
            naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
        let info = validator(shader.capabilities)
            .validate(&module)
            .map_err(|error| error.emit_to_string(text))?;
        Ok(Self { shader, module, info })
    }

    /// As a pipeline would make it. A constant that the module does not declare is an error.
    pub(crate) fn specialise(&self, form: &Form) -> Checked<Specialised> {
        let constants = form.constants.iter().map(|&(key, value)| (key.into(), f64::from(value)));
        let (module, _) = naga::back::pipeline_constants::process_overrides(
            &self.module,
            &self.info,
            Some((ShaderStage::Compute, self.shader.entry_point)),
            &constants.collect(),
        )
        .map_err(|error| error.to_string())?;
        let module = module.into_owned();
        let info = validator(self.shader.capabilities)
            .validate(&module)
            .map_err(|error| format!("{error:?}"))?;
        if module.entry_points.len() != 1 {
            return Err(format!("{} entry points", module.entry_points.len()));
        }
        Ok(Specialised { module, info })
    }
}

impl Guards {
    fn has_checks(self) -> bool {
        self != Self::None
    }

    fn has_zeros(self) -> bool {
        self == Self::ChecksAndZeros
    }

    /// With checks, an index that is too large becomes the last.
    fn policies(self) -> BoundsCheckPolicies {
        let policy = match self {
            Self::None => BoundsCheckPolicy::Unchecked,
            _ => BoundsCheckPolicy::Restrict,
        };
        BoundsCheckPolicies {
            index: policy,
            buffer: policy,
            image_load: policy,
            binding_array: BoundsCheckPolicy::Unchecked,
        }
    }
}

impl Specialised {
    /// Every binding that the entry point uses, in order, and where it lies.
    fn variables(&self) -> Vec<(ResourceBinding, AddressSpace)> {
        let variables = self.module.global_variables.iter();
        let mut bound: Vec<_> = variables
            .filter_map(|(_, variable)| Some((variable.binding?, variable.space)))
            .collect();
        bound.sort_unstable_by_key(|(binding, _)| (binding.group, binding.binding));
        bound
    }

    /// Group and number of every binding, in order.
    pub(crate) fn bindings(&self) -> Vec<(u32, u32)> {
        let variables = self.variables().into_iter();
        variables.map(|(binding, _)| (binding.group, binding.binding)).collect()
    }

    pub(crate) fn workgroup_size(&self) -> u32 {
        self.module.entry_points[0].workgroup_size[0]
    }

    /// Bytes of workgroup memory.
    pub(crate) fn workgroup_bytes(&self) -> Checked<u32> {
        workgroup_bytes(&self.module)
    }

    /// The words of the SPIR-V module, of a version of the language.
    pub(crate) fn spirv(&self, version: (u8, u8), guards: Guards) -> Checked<Vec<u32>> {
        let options = spv::Options {
            lang_version: version,
            // Groups and numbers as the text has them.
            fake_missing_bindings: true,
            bounds_check_policies: guards.policies(),
            // Drivers have it from Vulkan 1.3 on, where wgpu asks for SPIR-V 1.6.
            zero_initialize_workgroup_memory: match guards.has_zeros() {
                true if version >= (1, 6) => spv::ZeroInitializeWorkgroupMemoryMode::Native,
                true => spv::ZeroInitializeWorkgroupMemoryMode::Polyfill,
                false => spv::ZeroInitializeWorkgroupMemoryMode::None,
            },
            force_loop_bounding: guards.has_checks(),
            emit_int_div_checks: guards.has_checks(),
            ..Default::default()
        };
        let words = spv::write_vec(&self.module, &self.info, &options, None)
            .map_err(|error| error.to_string())?;
        if words[0] != 0x0723_0203 {
            return Err("no SPIR-V magic number".into());
        }
        Ok(words)
    }

    /// The text in Metal's shading language, at the version given.
    pub(crate) fn msl(&self, version: (u8, u8), guards: Guards) -> Checked<String> {
        let mut resources = msl::EntryPointResources::default();
        for (slot, (binding, space)) in (0..).zip(self.variables()) {
            let buffer = Some(slot);
            let target =
                msl::BindTarget { buffer, mutable: is_written(space), ..Default::default() };
            resources.resources.insert(binding, target);
            resources.sizes_buffer = Some(slot + 1);
        }
        let name = self.module.entry_points[0].name.clone();
        let options = msl::Options {
            lang_version: version,
            fake_missing_bindings: false,
            per_entry_point_map: [(name, resources)].into(),
            bounds_check_policies: guards.policies(),
            zero_initialize_workgroup_memory: guards.has_zeros(),
            force_loop_bounding: guards.has_checks(),
            emit_int_div_checks: guards.has_checks(),
            ..Default::default()
        };
        let pipeline = msl::PipelineOptions::default();
        let (text, translation) = msl::write_string(&self.module, &self.info, &options, &pipeline)
            .map_err(|error| error.to_string())?;
        for entry_point in translation.entry_point_names {
            entry_point.map_err(|error| error.to_string())?;
        }
        Ok(text)
    }

    /// The text in HLSL: for FXC, unless it needs what came with DXC.
    pub(crate) fn hlsl(&self, model: hlsl::ShaderModel, guards: Guards) -> Checked<Hlsl> {
        let entry_point = self.module.entry_points[0].name.clone();
        let mut map = hlsl::BindingMap::default();
        let [mut constants, mut read, mut written] = [hlsl::BindTarget::default(); 3];
        for (binding, space) in self.variables() {
            let next = match space {
                AddressSpace::Uniform => &mut constants,
                space if is_written(space) => &mut written,
                _ => &mut read,
            };
            map.insert(binding, *next);
            next.register += 1;
        }
        let options = hlsl::Options {
            shader_model: model,
            binding_map: map,
            fake_missing_bindings: false,
            special_constants_binding: Some(constants),
            zero_initialize_workgroup_memory: guards.has_zeros(),
            restrict_indexing: guards.has_checks(),
            force_loop_bounding: guards.has_checks(),
            ..Default::default()
        };
        let pipeline =
            hlsl::PipelineOptions { entry_point: Some((ShaderStage::Compute, entry_point)) };
        let mut text = String::new();
        let mut reflection = hlsl::Writer::new(&mut text, &options, &pipeline)
            .write(&self.module, &self.info, None)
            .map_err(|error| error.to_string())?;
        let entry_point = reflection.entry_point_names.pop().ok_or("no entry point")?;
        Ok(Hlsl { text, entry_point: entry_point.map_err(|error| error.to_string())? })
    }

    /// The text in GLSL ES 3.10.
    pub(crate) fn glsl(&self) -> Checked<String> {
        let options = glsl::Options {
            version: glsl::Version::Embedded { version: 310, is_webgl: false },
            ..Default::default()
        };
        let pipeline = glsl::PipelineOptions {
            shader_stage: ShaderStage::Compute,
            entry_point: self.module.entry_points[0].name.clone(),
            multiview: None,
        };
        let policies = BoundsCheckPolicies::default();
        let mut text = String::new();
        glsl::Writer::new(&mut text, &self.module, &self.info, &options, &pipeline, policies)
            .and_then(|mut writer| writer.write())
            .map_err(|error| error.to_string())?;
        Ok(text)
    }
}

fn is_written(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE))
}

/// The model that wgpu asks for: FXC's, unless the shader needs DXC.
pub(crate) fn shader_model(shader: &Shader) -> hlsl::ShaderModel {
    let is_for_fxc = shader.is_written_in(Language::HlslForFxc);
    if is_for_fxc { hlsl::ShaderModel::V5_1 } else { hlsl::ShaderModel::V6_0 }
}

/// Metal has atomic addition of f32 since 3.0.
pub(crate) fn metal_version(shader: &Shader) -> (u8, u8) {
    let has_float_atomics = shader.capabilities.contains(Capabilities::SHADER_FLOAT32_ATOMIC);
    if has_float_atomics { (3, 0) } else { (2, 4) }
}

fn validator(capabilities: Capabilities) -> Validator {
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    if capabilities.contains(Capabilities::SUBGROUP) {
        validator.subgroup_stages(ShaderStages::COMPUTE);
        validator.subgroup_operations(SubgroupOperationSet::all());
    }
    validator
}

/// What a translation has to have, or must not have.
pub(crate) fn expect(language: Language, text: &str, word: &str, is_expected: bool) -> Checked<()> {
    if text.contains(word) == is_expected {
        return Ok(());
    }
    Err(format!("{language:?}: \"{word}\" is {}", if is_expected { "not there" } else { "there" }))
}
