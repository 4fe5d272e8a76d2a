//! Which shaders are composed of operations, elements and kernels.

use crate::documented::{Table, table};
use std::collections::HashSet;
use std::sync::LazyLock;
use wgpu_reduce::planners::Variant;
use wgpu_reduce::{ElementKind, OpRecord};

/// Whether an operation of `f64` needs a device that computes with them: its cell has a star.
fn needs_f64(operation: &str) -> bool {
    static OUTPUTS: LazyLock<Table> =
        LazyLock::new(|| table("| operation | `f32` | `f16` | `bf16` | `f64` |"));
    OUTPUTS[operation][3].ends_with('*')
}

/// The operations of one input or of two, and the elements that each takes.
fn pairs(operations: &[&'static OpRecord]) -> Vec<(&'static str, ElementKind)> {
    pairs_with(operations, OpRecord::takes)
}

/// The pairs of which it holds.
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

#[test]
fn every_form_is_composed_with_every_kernel_and_collective() {
    let variants = Variant::all().count();
    let form = |variant: Variant| (variant.operation.name(), variant.element, variant.native_u64);
    let forms: HashSet<_> = Variant::all().map(form).collect();
    let limbs: HashSet<_> =
        forms.iter().filter(|form| !form.2).map(|form| (form.0, form.1)).collect();
    let all = [pairs(&OpRecord::ALL), pairs(&OpRecord::PAIRS)].concat();
    assert_eq!(limbs, all.into_iter().collect());
    assert!(forms.contains(&("product", ElementKind::I32, true)));
    // Kernels and sinks × collectives × pairs of operation and element in each of their forms.
    let is_of_two = |form: &&(&str, _, _)| OpRecord::PAIRS.iter().any(|op| op.name() == form.0);
    let of_two = forms.iter().filter(is_of_two).count();
    assert_eq!(variants, ((3 + 1 + 2) * (forms.len() - of_two) + (3 + 2) * of_two) * 2);
}

/// Whether a shader computes with f64 is said of the operation and its elements.
#[test]
fn f64_is_needed_by_its_sums_and_products_alone() {
    for variant in Variant::all() {
        let needs_f64 = variant.operation.needs_f64(variant.element);
        assert_eq!(variant.needs_f64(), needs_f64, "{variant}");
        assert_eq!(variant.wgsl().contains("-> f64"), needs_f64, "{variant}");
    }
    for operation in [&OpRecord::ALL[..], &OpRecord::PAIRS].concat() {
        let needing = pairs_with(&[operation], OpRecord::needs_f64);
        let is_documented = needs_f64(operation.name());
        let documented = is_documented.then_some((operation.name(), ElementKind::F64));
        assert_eq!(needing, Vec::from_iter(documented));
    }
}
