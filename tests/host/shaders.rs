//! Every shader that can be composed is valid and translates to every backend's language.

use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{Module, ShaderStage};
use wgpu_reduce::{Collective, Variant};

/// Workgroup sizes that pipelines are made with.
const WORKGROUP_SIZES: [u32; 3] = [1, 256, 1024];

fn validator(variant: Variant) -> Validator {
    let capabilities = match variant.collective {
        Collective::Subgroup => Capabilities::SUBGROUP | Capabilities::SUBGROUP_BARRIER,
        Collective::Workgroup => Capabilities::empty(),
    };
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    if variant.collective == Collective::Subgroup {
        validator.subgroup_stages(naga::valid::ShaderStages::COMPUTE);
        validator.subgroup_operations(SubgroupOperationSet::all());
    }
    validator
}

fn compose(variant: Variant) -> (Module, ModuleInfo) {
    let text = variant.wgsl();
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{variant}: {}", error.emit_to_string(&text)));
    let info = validator(variant)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{variant}: {}", error.emit_to_string(&text)));
    (module, info)
}

/// As a pipeline would make it: with its constants filled in.
fn specialise(variant: Variant, workgroup_size: u32) -> (Module, ModuleInfo) {
    let (module, info) = compose(variant);
    let mut constants = naga::back::PipelineConstants::default();
    constants.insert("WORKGROUP_SIZE".into(), f64::from(workgroup_size));
    let entry = Some((ShaderStage::Compute, "reduce"));
    let (module, _) =
        naga::back::pipeline_constants::process_overrides(&module, &info, entry, &constants)
            .unwrap_or_else(|error| panic!("{variant}: {error}"));
    let module = module.into_owned();
    let info = validator(variant)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{variant}, {workgroup_size}: {error:?}"));
    (module, info)
}

fn every_specialisation(check: impl Fn(Variant, &Module, &ModuleInfo)) {
    let mut checked = 0;
    for variant in Variant::all() {
        for workgroup_size in WORKGROUP_SIZES {
            let (module, info) = specialise(variant, workgroup_size);
            assert_eq!(module.entry_points[0].workgroup_size[0], workgroup_size);
            check(variant, &module, &info);
            checked += 1;
        }
    }
    // Kernels × collectives × sinks × elements × operations × sizes.
    assert_eq!(checked, 2 * 2 * 2 * 3 * wgpu_reduce::OpRecord::ALL.len() * WORKGROUP_SIZES.len());
}

#[test]
fn every_variant_is_valid_and_names_the_same_bindings() {
    for variant in Variant::all() {
        let (module, _) = compose(variant);
        let mut numbers: Vec<_> = module
            .global_variables
            .iter()
            .filter_map(|(_, variable)| variable.binding.as_ref())
            .map(|binding| (binding.group, binding.binding))
            .collect();
        numbers.sort_unstable();
        let expected: &[_] = match variant.kernel {
            wgpu_reduce::Kernel::Elements => &[(0, 0), (0, 1), (0, 2), (0, 3)],
            wgpu_reduce::Kernel::Partials => &[(0, 0), (0, 2), (0, 3)],
        };
        assert_eq!(numbers, expected, "{variant}");
    }
}

#[test]
fn every_variant_translates_to_spirv() {
    let options = spv::Options { lang_version: (1, 3), ..Default::default() };
    every_specialisation(|variant, module, info| {
        let words = spv::write_vec(module, info, &options, None)
            .unwrap_or_else(|error| panic!("{variant}: {error}"));
        assert_eq!(words[0], 0x0723_0203, "{variant}: no SPIR-V magic number");
    });
}

#[test]
fn every_variant_translates_to_msl() {
    let options = msl::Options {
        lang_version: (2, 4),
        fake_missing_bindings: true,
        bounds_check_policies: BoundsCheckPolicies {
            buffer: BoundsCheckPolicy::Restrict,
            ..Default::default()
        },
        ..Default::default()
    };
    every_specialisation(|variant, module, info| {
        let (text, _) = msl::write_string(module, info, &options, &msl::PipelineOptions::default())
            .unwrap_or_else(|error| panic!("{variant}: {error}"));
        let subgroups = text.contains("simd_shuffle_down");
        assert_eq!(subgroups, variant.collective == Collective::Subgroup, "{variant}");
    });
}

#[test]
fn every_variant_translates_to_hlsl() {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        fake_missing_bindings: true,
        ..Default::default()
    };
    every_specialisation(|variant, module, info| {
        let mut text = String::new();
        hlsl::Writer::new(&mut text, &options, &hlsl::PipelineOptions::default())
            .write(module, info, None)
            .unwrap_or_else(|error| panic!("{variant}: {error}"));
        let subgroups = text.contains("WaveReadLaneAt");
        assert_eq!(subgroups, variant.collective == Collective::Subgroup, "{variant}");
    });
}

#[test]
fn every_variant_without_subgroups_translates_to_glsl() {
    let options = glsl::Options {
        version: glsl::Version::Embedded { version: 310, is_webgl: false },
        ..Default::default()
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: ShaderStage::Compute,
        entry_point: "reduce".into(),
        multiview: None,
    };
    every_specialisation(|variant, module, info| {
        if variant.collective == Collective::Subgroup {
            return;
        }
        let mut text = String::new();
        glsl::Writer::new(
            &mut text,
            module,
            info,
            &options,
            &pipeline,
            BoundsCheckPolicies::default(),
        )
        .and_then(|mut writer| writer.write())
        .unwrap_or_else(|error| panic!("{variant}: {error}"));
        assert!(text.contains("barrier()"), "{variant}");
    });
}
