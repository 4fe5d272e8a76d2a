//! Shaders through naga, as wgpu sends them: parsed, validated, specialised and translated.

use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{
    Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator,
};
use naga::{Module, ShaderStage};

/// What a shader that uses subgroups needs.
pub(crate) const SUBGROUPS: Capabilities =
    Capabilities::SUBGROUP.union(Capabilities::SUBGROUP_BARRIER);

/// What a shader that computes with f64 needs.
pub(crate) const DOUBLES: Capabilities = Capabilities::FLOAT64.union(Capabilities::SHADER_INT64);

/// A valid module, with its overrides open.
pub(crate) struct Checked {
    name: String,
    capabilities: Capabilities,
    pub(crate) module: Module,
    info: ModuleInfo,
}

/// One entry point of a module with its overrides filled in: what a pipeline is made of.
pub(crate) struct Specialised {
    name: String,
    module: Module,
    info: ModuleInfo,
}

impl Checked {
    /// Parses and validates `text`, allowing no capability but those given.
    pub(crate) fn new(name: String, text: &str, capabilities: Capabilities) -> Self {
        let module = naga::front::wgsl::parse_str(text)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(text)));
        let info = validator(capabilities)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(text)));
        Self { name, capabilities, module, info }
    }

    /// As a pipeline would make it. A constant that the module does not declare is an error.
    pub(crate) fn specialise(&self, entry_point: &str, constants: &[(&str, u32)]) -> Specialised {
        let name = format!("{}, {entry_point}, {constants:?}", self.name);
        let constants = constants.iter().map(|&(key, value)| (key.into(), f64::from(value)));
        let (module, _) = naga::back::pipeline_constants::process_overrides(
            &self.module,
            &self.info,
            Some((ShaderStage::Compute, entry_point)),
            &constants.collect(),
        )
        .unwrap_or_else(|error| panic!("{name}: {error}"));
        let module = module.into_owned();
        let info = validator(self.capabilities)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(module.entry_points.len(), 1, "{name}");
        Specialised { name, module, info }
    }
}

impl Specialised {
    /// Group and number of every binding that the entry point uses, in order.
    pub(crate) fn bindings(&self) -> Vec<(u32, u32)> {
        let variables = self.module.global_variables.iter();
        let mut numbers: Vec<_> = variables
            .filter_map(|(_, variable)| variable.binding.as_ref())
            .map(|binding| (binding.group, binding.binding))
            .collect();
        numbers.sort_unstable();
        numbers
    }

    pub(crate) fn workgroup_size(&self) -> u32 {
        self.module.entry_points[0].workgroup_size[0]
    }

    /// The words of the SPIR-V module.
    pub(crate) fn spirv(&self) -> Vec<u32> {
        let options = spv::Options { lang_version: (1, 3), ..Default::default() };
        let words = spv::write_vec(&self.module, &self.info, &options, None)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        assert_eq!(words[0], 0x0723_0203, "{}: no SPIR-V magic number", self.name);
        words
    }

    /// The text in Metal's shading language, at the version given.
    pub(crate) fn msl(&self, version: (u8, u8)) -> String {
        let options = msl::Options {
            lang_version: version,
            fake_missing_bindings: true,
            bounds_check_policies: BoundsCheckPolicies {
                buffer: BoundsCheckPolicy::Restrict,
                ..Default::default()
            },
            ..Default::default()
        };
        let pipeline = msl::PipelineOptions::default();
        let (text, translation) = msl::write_string(&self.module, &self.info, &options, &pipeline)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        for entry_point in translation.entry_point_names {
            entry_point.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        }
        text
    }

    /// The text in HLSL, shader model 6.0.
    pub(crate) fn hlsl(&self) -> String {
        let options = hlsl::Options {
            shader_model: hlsl::ShaderModel::V6_0,
            fake_missing_bindings: true,
            ..Default::default()
        };
        let mut text = String::new();
        let reflection = hlsl::Writer::new(&mut text, &options, &hlsl::PipelineOptions::default())
            .write(&self.module, &self.info, None)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        for entry_point in reflection.entry_point_names {
            entry_point.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        }
        text
    }

    /// The text in GLSL ES 3.10.
    pub(crate) fn glsl(&self) -> String {
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
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        text
    }
}

fn validator(capabilities: Capabilities) -> Validator {
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    if capabilities.contains(Capabilities::SUBGROUP) {
        validator.subgroup_stages(ShaderStages::COMPUTE);
        validator.subgroup_operations(SubgroupOperationSet::all());
    }
    validator
}
