//! Which shaders are composed of operations, elements and kernels.

use std::collections::HashSet;
use wgpu_reduce::planners::Variant;
use wgpu_reduce::{ElementKind, OpRecord};

/// The operations of one input or of two, and the elements that each takes.
fn pairs(operations: &[&'static OpRecord]) -> Vec<(&'static str, ElementKind)> {
    let of = |operation: &&'static OpRecord| {
        let operation = *operation;
        let kinds = ElementKind::ALL.into_iter().filter(move |&kind| operation.takes(kind));
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
    let form = |variant: Variant| (variant.operation.name(), variant.element, variant.native);
    let forms: HashSet<_> = Variant::all().map(form).collect();
    let limbs: HashSet<_> =
        forms.iter().filter(|form| !form.2).map(|form| (form.0, form.1)).collect();
    let all = [pairs(&OpRecord::ALL), pairs(&OpRecord::PAIRS)].concat();
    assert_eq!(limbs, all.into_iter().collect());
    assert!(forms.contains(&("product", ElementKind::I32, true)));
    // Kernels and sinks × collectives × pairs of operation and element in each of their forms.
    let is_of_two = |form: &&(&str, _, _)| OpRecord::PAIRS.iter().any(|op| op.name() == form.0);
    let of_two = forms.iter().filter(is_of_two).count();
    // Exact sums take no mask, and too long an accumulator is not handed over in a pass.
    let exact = || forms.iter().filter(|form| form.0.ends_with("_exact"));
    let of_long = exact().filter(|form| form.1 == ElementKind::F64).count();
    let of_one = forms.len() - of_two;
    let masked = 2 * (of_one - exact().count());
    assert_eq!(variants, ((3 + 1 + 2) * of_one + (3 + 2) * of_two - of_long + masked) * 2);
}

/// Only the native forms of shaders that compute with f64 have it in their text.
#[test]
fn f64_is_for_devices_that_have_it() {
    let computes = |variant: &Variant| {
        variant.wgsl().contains("alias Real =") && variant.element == ElementKind::F64
    };
    let mut forms = [0, 0];
    for variant in Variant::all().filter(computes) {
        assert_eq!(variant.needs_f64(), variant.native, "{variant}");
        assert_eq!(variant.wgsl().contains("alias Real = f64;"), variant.native, "{variant}");
        forms[usize::from(variant.native)] += 1;
    }
    assert!(forms[0] == forms[1] && forms[0] > 0, "{forms:?}");
    assert!(
        !Variant::all().any(|variant| variant.needs_f64() && variant.element != ElementKind::F64)
    );
}
