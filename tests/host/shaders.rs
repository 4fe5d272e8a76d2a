//! Every shader that can be composed is valid and translates to every backend's language.

use crate::naga_check::{Checked, DOUBLES, SUBGROUPS, Specialised};
use naga::valid::Capabilities;
use std::collections::HashSet;
use wgpu_reduce::{Collective, ElementKind, Kernel, OpRecord, Sink, Variant};

/// Workgroup sizes that pipelines are made with.
const WORKGROUP_SIZES: [u32; 3] = [1, 256, 1024];

fn specialise(variant: Variant, workgroup_size: u32) -> Specialised {
    let mut capabilities = Capabilities::empty();
    capabilities.set(SUBGROUPS, variant.collective == Collective::Subgroup);
    capabilities.set(Capabilities::SHADER_INT64, variant.native_u64);
    if variant.needs_f64() {
        capabilities |= DOUBLES;
    }
    let mut constants = vec![("WORKGROUP_SIZE", workgroup_size)];
    if matches!(variant.kernel, Kernel::Elements | Kernel::Pairs) {
        constants.push(("LOADS_IN_FLIGHT", (workgroup_size / 64).max(1)));
    }
    if variant.kernel == Kernel::Elements {
        constants.push(("WHOLE_TILES", u32::from(workgroup_size == 256)));
        constants.push(("REFILLS", u32::from(workgroup_size != 256)));
    }
    if variant.wgsl().contains("override FAR:") {
        constants.push(("FAR", u32::from(workgroup_size != 256)));
    }
    if variant.collective == Collective::Subgroup {
        // One size, several, and one that a whole workgroup fits into.
        let (min, max) = match workgroup_size {
            1 => (4, 4),
            256 => (32, 32),
            _ => (8, 64),
        };
        constants.extend([("MIN_SUBGROUP_SIZE", min), ("MAX_SUBGROUP_SIZE", max)]);
    }
    if variant.sink == Sink::Last {
        constants.push(("HIGHEST_FOLDS", u32::from(workgroup_size == 256)));
    }
    Checked::new(variant.to_string(), &variant.wgsl(), capabilities)
        .specialise("reduce", &constants)
}

/// The operations of one input or of two, and the elements that each takes.
fn pairs(operations: &[&'static OpRecord]) -> Vec<(&'static str, ElementKind)> {
    pairs_with(operations, OpRecord::takes)
}

/// Those of which it holds.
fn pairs_with(
    operations: &[&'static OpRecord],
    holds: fn(&OpRecord, ElementKind) -> bool,
) -> Vec<(&'static str, ElementKind)> {
    let of = |operation: &&'static OpRecord| {
        let operation = *operation;
        let kinds = ElementKind::ALL.into_iter().filter(move |&kind| holds(operation, kind));
        kinds.map(|kind| (operation.name(), kind))
    };
    operations.iter().flat_map(of).collect()
}

#[test]
fn impossible_pairs_are_not_composed() {
    let composed: HashSet<_> =
        Variant::all().map(|variant| (variant.operation.name(), variant.element)).collect();
    let all = [&OpRecord::ALL[..], &OpRecord::PAIRS].concat();
    assert_eq!(composed, pairs(&all).into_iter().collect());
    assert!(!composed.contains(&("wrapping_sum", ElementKind::F32)));
    assert!(composed.contains(&("wrapping_sum", ElementKind::I32)));
}

fn every_specialisation(check: impl Fn(Variant, &Specialised)) {
    let mut forms = HashSet::new();
    let mut checked = 0;
    // Sizes go round, which is every size for every part of the shaders.
    for (variant, workgroup_size) in Variant::all().zip(WORKGROUP_SIZES.into_iter().cycle()) {
        let specialised = specialise(variant, workgroup_size);
        assert_eq!(specialised.workgroup_size(), workgroup_size);
        check(variant, &specialised);
        forms.insert((variant.operation.name(), variant.element, variant.native_u64));
        checked += 1;
    }
    let limbs: HashSet<_> =
        forms.iter().filter(|form| !form.2).map(|form| (form.0, form.1)).collect();
    let all = [pairs(&OpRecord::ALL), pairs(&OpRecord::PAIRS)].concat();
    assert_eq!(limbs, all.into_iter().collect());
    assert!(forms.contains(&("product", ElementKind::I32, true)));
    // Kernels and sinks × collectives × pairs of operation and element in each of their forms.
    let is_of_two = |form: &&(&str, _, _)| OpRecord::PAIRS.iter().any(|op| op.name() == form.0);
    let of_two = forms.iter().filter(is_of_two).count();
    assert_eq!(checked, ((3 + 1 + 2) * (forms.len() - of_two) + (3 + 2) * of_two) * 2);
}

#[test]
fn every_variant_is_valid_and_names_the_same_bindings() {
    for variant in Variant::all() {
        let mut expected = vec![(0, 2), (0, 3)];
        match variant.kernel {
            Kernel::Elements => expected.extend([(0, 0), (0, 1)]),
            Kernel::Pairs => expected.extend([(0, 0), (0, 1), (0, 6), (0, 7)]),
            Kernel::Inputs => expected.extend((8..15).map(|number| (0, number))),
            Kernel::Partials => expected.push((0, 0)),
        }
        if variant.sink == Sink::Last {
            expected.push((0, 5));
        }
        expected.sort_unstable();
        assert_eq!(specialise(variant, 256).bindings(), expected, "{variant}");
    }
}

/// Whether a shader computes with f64 is said of the operation and its elements.
#[test]
fn f64_is_needed_by_its_sums_and_products_alone() {
    for variant in Variant::all() {
        let needs_f64 = variant.operation.needs_f64(variant.element);
        assert_eq!(variant.needs_f64(), needs_f64, "{variant}");
        assert_eq!(variant.wgsl().contains("-> f64"), needs_f64, "{variant}");
    }
    let needing = pairs_with(&OpRecord::ALL, OpRecord::needs_f64);
    let names = [
        "sum",
        "product",
        "sum_of_squares",
        "norm_l1",
        "norm_l2",
        "mean",
        "variance",
        "stats",
        "nan_sum",
        "nan_mean",
    ];
    assert_eq!(needing, names.map(|name| (name, ElementKind::F64)));
    let of_pairs = pairs_with(&OpRecord::PAIRS, OpRecord::needs_f64);
    assert_eq!(of_pairs, [("dot", ElementKind::F64)]);
}

#[test]
fn every_variant_translates_to_spirv() {
    every_specialisation(|_, specialised| {
        specialised.spirv();
    });
}

#[test]
fn every_variant_without_f64_translates_to_msl() {
    every_specialisation(|variant, specialised| {
        if variant.needs_f64() {
            return;
        }
        let subgroups = specialised.msl((2, 4)).contains("simd_shuffle_down");
        assert_eq!(subgroups, variant.collective == Collective::Subgroup, "{variant}");
    });
}

#[test]
fn every_variant_without_f64_translates_to_hlsl() {
    every_specialisation(|variant, specialised| {
        if variant.needs_f64() {
            return;
        }
        let subgroups = specialised.hlsl().contains("WaveReadLaneAt");
        assert_eq!(subgroups, variant.collective == Collective::Subgroup, "{variant}");
    });
}

#[test]
fn every_variant_without_subgroups_and_f64_translates_to_glsl() {
    every_specialisation(|variant, specialised| {
        let is_portable = !variant.needs_f64() && !variant.native_u64;
        if variant.collective == Collective::Workgroup && is_portable {
            assert!(specialised.glsl().contains("barrier()"), "{variant}");
        }
    });
}
