//! Exact sums on the GPU as far as they need none: shaders and plans.

use proptest::prelude::*;
use std::collections::HashSet;
use wgpu_reduce::planners::{AxisShader, ExactPlan, ExactShader, Place, SegmentsShader, Variant};
use wgpu_reduce::{
    AdapterClass, Caps, ElementKind, Error, ExactTerms, ExactTuning, OpRecord, Part, Result,
};

/// Floating-point arithmetic is not what the shader says on every device.
#[test]
fn the_shaders_have_no_floating_point_numbers() {
    for shader in ExactShader::ALL {
        let is_float =
            |inner: &naga::TypeInner| inner.scalar_kind() == Some(naga::ScalarKind::Float);
        let module = naga::front::wgsl::parse_str(&shader.wgsl()).expect("it is WGSL");
        assert!(!module.types.iter().any(|(_, ty)| is_float(&ty.inner)), "{shader}");
    }
}

/// Nor do exact sums and means of rows, columns, segments and runs look at an element, or at anything else, as at a number.
#[test]
fn exact_sums_of_many_have_no_floating_point_numbers() {
    let is_exact = |operation: &OpRecord, element| {
        operation.name().ends_with("_exact") && operation.takes(element)
    };
    let axes = AxisShader::all()
        .filter(|shader| is_exact(shader.operation, shader.element))
        .map(|shader| (shader.to_string(), shader.wgsl()));
    let of_parts = |shader: &SegmentsShader| {
        shader.parts().is_some_and(|parts| is_exact(parts.operation, parts.element))
    };
    let segments =
        SegmentsShader::all().filter(of_parts).map(|shader| (shader.to_string(), shader.wgsl()));
    let wholes = Variant::all()
        .filter(|variant| is_exact(variant.operation, variant.element))
        .map(|variant| (variant.to_string(), variant.wgsl()));
    let shaders: Vec<_> = axes.chain(segments).chain(wholes).collect();
    for of_halves in [" f16", "bf16"] {
        let of_halves = shaders.iter().filter(|(name, _)| name.contains(of_halves));
        assert!(shaders.len() > 20 && of_halves.count() > 10, "{}", shaders.len());
    }
    for (name, text) in shaders {
        let module = naga::front::wgsl::parse_str(&text).expect("it is WGSL");
        let is_float = |ty: &naga::TypeInner| ty.scalar_kind() == Some(naga::ScalarKind::Float);
        assert!(!module.types.iter().any(|(_, ty)| is_float(&ty.inner)), "{name}");
        let functions = module.functions.iter().map(|(_, function)| function);
        let functions = functions.chain(module.entry_points.iter().map(|entry| &entry.function));
        for function in functions {
            for (_, expression) in function.expressions.iter() {
                let becomes_float = matches!(
                    expression,
                    naga::Expression::As { kind: naga::ScalarKind::Float, .. }
                );
                assert!(!becomes_float, "{name}: {expression:?}");
            }
        }
    }
}

/// A device with these limits.
fn caps(binding_bytes: u64, per_dimension: u32, class: AdapterClass) -> Caps {
    let mut caps = Caps::baseline();
    caps.max_binding_bytes = binding_bytes;
    caps.max_buffer_bytes = 1 << 40;
    caps.max_workgroups_per_dimension = per_dimension;
    caps.max_workgroup_size = 1024;
    caps.max_loop_turns = if class == AdapterClass::Cpu { 65_000 } else { u32::MAX };
    caps.class = class;
    caps
}

/// A plan for elements of one buffer.
fn plan_of(len: u64, offset_bytes: u64, tuning: &ExactTuning, caps: &Caps) -> Result<ExactPlan> {
    plan_of_type(ElementKind::F32, len, offset_bytes, tuning, caps)
}

fn plan_of_type(
    element: ElementKind,
    len: u64,
    offset_bytes: u64,
    tuning: &ExactTuning,
    caps: &Caps,
) -> Result<ExactPlan> {
    ExactPlan::of(element, &[Part { offset_bytes, len }], tuning, caps)
}

/// Every element is in exactly one dispatch, and no bound of the shaders is broken.
fn check_plan(plan: &ExactPlan, offset_bytes: u64, caps: &Caps) {
    let (mut next, size) = (offset_bytes, plan.element.size_bytes());
    for (slot, dispatch) in plan.dispatches.iter().enumerate() {
        let [head, heads, body, body_end, tail, tails, ..] = dispatch.parameters;
        check_spread(plan, slot, 1 << 15, caps);
        let Some(bytes) = &dispatch.source_bytes else {
            assert_eq!((plan.len, heads + tails, body_end), (0, 0, body));
            continue;
        };
        assert!(bytes.end - bytes.start <= caps.max_binding_bytes);
        assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes));
        let mut follows = |first: u64, count: u64, element_bytes: u64| {
            if count > 0 {
                assert_eq!(bytes.start + first * element_bytes, next);
                next += count * element_bytes;
            }
        };
        follows(head.into(), heads.into(), size);
        follows(body.into(), (body_end - body).into(), 16);
        follows(tail.into(), tails.into(), size);
    }
    assert_eq!(next, offset_bytes + size * plan.len);
}

/// A dispatch has a grid that the device takes, and no invocation of it more terms than fit its window, or more turns
/// than its loops may take.
fn check_spread(plan: &ExactPlan, slot: usize, most_terms: u64, caps: &Caps) {
    let ExactTuning { workgroup_size, max_workgroups, loads_in_flight, .. } = plan.tuning;
    let dispatch = &plan.dispatches[slot];
    let [_, heads, body, body_end, _, tails, workgroups, place, ..] = dispatch.parameters;
    assert_eq!(place as usize, slot);
    assert_eq!(workgroups, dispatch.workgroups);
    assert!(workgroups <= max_workgroups && workgroups >= 1);
    assert!(dispatch.grid.iter().all(|&n| n <= caps.max_workgroups_per_dimension));
    assert!(dispatch.grid.iter().product::<u32>() >= workgroups);
    let tile = u64::from(workgroup_size * loads_in_flight);
    let turns = u64::from(body_end - body).div_ceil(tile * u64::from(workgroups));
    let of_ends = u64::from(heads + tails).div_ceil(workgroup_size.into());
    let of_quad = 16 / plan.element.size_bytes();
    assert!(turns * of_quad * u64::from(loads_in_flight) + of_ends <= most_terms);
    let loops = turns * u64::from(1 + 2 * loads_in_flight) + 200;
    assert!(loops <= caps.max_loop_turns.into());
}

#[test]
fn a_plan_of_nothing_reads_nothing() {
    let caps = Caps::baseline();
    let plan = plan_of(0, 12, &ExactTuning::for_len(&caps, 0), &caps).unwrap();
    check_plan(&plan, 12, &caps);
    assert_eq!(plan.dispatches.len(), 1);
    assert_eq!((plan.dispatches[0].workgroups, plan.input_bytes()), (1, 0));
    assert!(plan.to_string().starts_with("sum_exact of 0 f32 elements\n"), "{plan}");
}

#[test]
fn every_part_has_dispatches_of_its_own() {
    let caps = caps(1 << 20, 65_535, AdapterClass::Gpu);
    // One without elements has none, wherever it is.
    let parts = [(4, 1000), (0, 0), (8, 600_000), (0, 1), (12, 0)];
    let parts = parts.map(|(offset_bytes, len)| Part { offset_bytes, len });
    let plan =
        ExactPlan::of(ElementKind::F32, &parts, &ExactTuning::for_len(&caps, 601_001), &caps)
            .unwrap();
    let of_parts: Vec<_> = plan.dispatches.iter().map(|dispatch| dispatch.source).collect();
    assert_eq!((plan.len, &of_parts[..]), (601_001, &[0, 2, 2, 2, 3].map(Place::Input)[..]));
    let slots: Vec<_> = plan.dispatches.iter().map(|dispatch| dispatch.parameters[7]).collect();
    assert_eq!(slots, [0, 1, 2, 3, 4]);
    let none = ExactPlan::of(ElementKind::F32, &[], &plan.tuning, &caps).unwrap();
    assert_eq!((none.len, none.dispatches.len()), (0, 1));
}

#[test]
fn most_plans_are_one_dispatch_of_balanced_workgroups() {
    let caps = caps(u64::MAX, 65_535, AdapterClass::Gpu);
    for (len, workgroups) in [(1, 1), (1 << 12, 1), (1 << 14, 16), (1 << 20, 256), (1 << 28, 264)] {
        let plan = plan_of(len, 0, &ExactTuning::for_len(&caps, len), &caps).unwrap();
        assert_eq!(plan.dispatches.len(), 1, "{len}");
        let most = plan.dispatches[0].workgroups;
        assert!(most <= workgroups && most > workgroups * 9 / 10, "{len}: {most}");
    }
    // 2^32 elements, in windows of 2 GiB.
    let plan = plan_of(1 << 32, 0, &ExactTuning::for_len(&caps, 1 << 32), &caps).unwrap();
    check_plan(&plan, 0, &caps);
    assert_eq!(plan.dispatches.len(), 8);
}

#[test]
fn tunings_that_break_a_bound_are_refused() {
    let caps = caps(1 << 31, 65_535, AdapterClass::Gpu);
    let good = ExactTuning::for_len(&caps, 1 << 20);
    let bad = [
        ExactTuning { workgroup_size: 16, ..good },
        ExactTuning { workgroup_size: 96, ..good },
        ExactTuning { workgroup_size: 2048, ..good },
        ExactTuning { max_workgroups: 0, ..good },
        ExactTuning { max_workgroups: 1001, ..good },
        ExactTuning { loads_in_flight: 0, ..good },
        ExactTuning { loads_in_flight: 17, ..good },
        ExactTuning { min_quads_per_invocation: 0, ..good },
        ExactTuning { margin: 25, ..good },
    ];
    assert!(plan_of(1000, 0, &good, &caps).is_ok());
    for tuning in bad {
        let refused = plan_of(1000, 0, &tuning, &caps);
        assert!(matches!(refused, Err(Error::InvalidTuning { .. })), "{tuning}: {refused:?}");
    }
    let mut little = caps;
    little.workgroup_storage_bytes = 4096;
    assert!(plan_of(1000, 0, &good, &little).is_err());
    little = caps;
    little.max_workgroup_size = 128;
    assert!(plan_of(1000, 0, &good, &little).is_err());
    assert_eq!(ExactTuning::for_len(&little, 1 << 20).workgroup_size, 128);
    let of_f64 = ExactTuning::for_doubles(&caps, 1 << 20);
    let of_pairs = ExactTuning::for_double_pairs(&caps, 1 << 20);
    let wide = |tuning: &ExactTuning, caps: &Caps| {
        let element = plan_of_type(ElementKind::F64, 1000, 0, tuning, caps);
        [element, plan_of_pairs_of(ElementKind::F64, 1000, [0, 0], tuning, caps)]
    };
    assert!(wide(&of_f64, &caps)[0].is_ok() && wide(&of_pairs, &caps)[1].is_ok());
    for change in [
        |good| ExactTuning { loads_in_flight: 9, ..good },
        |good| ExactTuning { margin: 23, ..good },
    ] {
        let refused = [&wide(&change(of_f64), &caps)[0], &wide(&change(of_pairs), &caps)[1]]
            .map(Result::is_err);
        assert_eq!(refused, [true, true]);
    }
    // Of products 9892 bytes of workgroup memory, of elements 4964.
    for (bytes, fits) in [(9892, [true, true]), (9888, [true, false]), (4960, [false, false])] {
        little = caps;
        little.workgroup_storage_bytes = bytes;
        let planned = [&wide(&of_f64, &little)[0], &wide(&of_pairs, &little)[1]].map(Result::is_ok);
        assert_eq!(planned, fits, "{bytes}");
    }
    let odd = plan_of(1000, 2, &good, &caps);
    assert!(matches!(odd, Err(Error::InvalidBuffer { .. })), "{odd:?}");
}

#[test]
fn defaults_are_valid_on_every_device() {
    for size in [32, 64, 128, 256, 512, 1024, 2048] {
        for class in [AdapterClass::Gpu, AdapterClass::Cpu] {
            let mut caps = caps(1 << 27, 65_535, class);
            caps.max_workgroup_size = size;
            for log_len in 0..32 {
                let tuning = ExactTuning::for_len(&caps, 1 << log_len);
                let plan = plan_of(1 << log_len, 0, &tuning, &caps).unwrap();
                check_plan(&plan, 0, &caps);
                let tuning = ExactTuning::for_doubles(&caps, 1 << log_len);
                let plan = plan_of_type(ElementKind::F64, 1 << log_len, 0, &tuning, &caps).unwrap();
                check_plan(&plan, 0, &caps);
                let (of, len) = (ElementKind::F64, 1 << log_len);
                let tuning = ExactTuning::for_double_pairs(&caps, len);
                check_pairs(
                    &plan_of_pairs_of(of, len, [0, 1], &tuning, &caps).unwrap(),
                    [0, 1],
                    &caps,
                );
            }
        }
    }
}

#[test]
fn displayed_tunings_differ() {
    let shown: HashSet<_> = [(1 << 20, 0), (1 << 28, 0), (1 << 20, 1)]
        .map(|(len, margin)| {
            let tuning = ExactTuning::for_len(&Caps::baseline(), len);
            ExactTuning { margin, ..tuning }.to_string()
        })
        .into();
    assert_eq!(shown.len(), 3);
}

proptest! {
    #[test]
    fn every_element_is_in_one_dispatch_and_bounds_are_kept(
        len in (0_u32..26, 0_u64..100).prop_map(|(log, more)| (1 << log) + more),
        offset in 0_u64..300,
        binding in (12_u32..28).prop_map(|log| 1_u64 << log),
        per_dimension in 1_u32..400,
        size in (5_u32..=10).prop_map(|log| 1 << log),
        max_workgroups in 1_u32..=1000,
        loads_in_flight in 1_u32..=16,
        min_quads_per_invocation in 1_u32..=1024,
        on_cpu: bool,
        is_wide: bool,
    ) {
        let class = if on_cpu { AdapterClass::Cpu } else { AdapterClass::Gpu };
        let caps = caps(binding, per_dimension, class);
        let (element, most_loads) =
            if is_wide { (ElementKind::F64, 8) } else { (ElementKind::F32, 16) };
        let loads_in_flight = most_loads.min(loads_in_flight);
        let tuning = ExactTuning {
            workgroup_size: size, max_workgroups, loads_in_flight, min_quads_per_invocation, margin: 2,
        };
        let offset = element.size_bytes() * offset;
        match plan_of_type(element, len, offset, &tuning, &caps) {
            Ok(plan) => check_plan(&plan, offset, &caps),
            Err(error) => prop_assert!(
                matches!(error, Error::InvalidBuffer { .. } | Error::BufferTooLarge { .. }) && binding < 1 << 20,
                "{error}"
            ),
        }
    }
}

/// Where large shares leave few workgroups, each still gets no more than its window holds.
#[test]
fn large_shares_do_not_overfill_windows() {
    let caps = caps(1 << 31, 65_535, AdapterClass::Gpu);
    let tuning = ExactTuning {
        workgroup_size: 32,
        max_workgroups: 10,
        loads_in_flight: 16,
        min_quads_per_invocation: 1010,
        margin: 2,
    };
    check_plan(&plan_of(10_465_280, 0, &tuning, &caps).unwrap(), 0, &caps);
    let tuning = ExactTuning {
        max_workgroups: 6,
        loads_in_flight: 8,
        min_quads_per_invocation: 982,
        ..tuning
    };
    check_pairs(&plan_of_pairs(3_139_584, [0, 0], &tuning, &caps).unwrap(), [0, 0], &caps);
}

/// Two inputs in one buffer each, from these elements on.
fn plan_of_pairs(
    len: u64,
    offsets: [u64; 2],
    tuning: &ExactTuning,
    caps: &Caps,
) -> Result<ExactPlan> {
    plan_of_pairs_of(ElementKind::F32, len, offsets, tuning, caps)
}

fn plan_of_pairs_of(
    element: ElementKind,
    len: u64,
    offsets: [u64; 2],
    tuning: &ExactTuning,
    caps: &Caps,
) -> Result<ExactPlan> {
    let offsets = offsets.map(|offset| element.size_bytes() * offset);
    let [a, b] = offsets.map(|offset_bytes| [Part { offset_bytes, len }]);
    ExactPlan::of_pairs(element, [&a, &b], tuning, caps)
}

/// Every pair is in exactly one dispatch, and no bound of the shaders is broken.
fn check_pairs(plan: &ExactPlan, offsets: [u64; 2], caps: &Caps) {
    let mut done = 0;
    let size = plan.element.size_bytes();
    let of_quad = u32::try_from(16 / size).expect("a quad has few elements");
    for (slot, dispatch) in plan.dispatches.iter().enumerate() {
        let [head, heads, body, body_end, tail, tails, _, _, delta, ..] = dispatch.parameters;
        check_spread(plan, slot, 1 << 14, caps);
        let bytes = dispatch.source_bytes.clone().expect("a dispatch reads something");
        let partner = dispatch.partner.clone().expect("there are two inputs");
        for bytes in [&bytes, &partner.source_bytes] {
            assert!(bytes.end - bytes.start <= caps.max_binding_bytes);
            assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes));
        }
        let are_quads = delta.is_multiple_of(of_quad) && body < body_end;
        assert_eq!(partner.quad_bytes.is_some(), are_quads);
        let ranges = [(head, heads), (of_quad * body, of_quad * (body_end - body)), (tail, tails)];
        for (first, count) in ranges.into_iter().filter(|(_, count)| *count > 0) {
            let partner_first = u64::from(first.wrapping_add(delta));
            assert_eq!(bytes.start / size + u64::from(first), offsets[0] + done);
            assert_eq!(partner.source_bytes.start / size + partner_first, offsets[1] + done);
            done += u64::from(count);
        }
    }
    assert_eq!(done, plan.len);
}

#[test]
fn plans_of_pairs_take_half_the_loads_and_no_others() {
    let caps = caps(1 << 31, 65_535, AdapterClass::Gpu);
    let good = ExactTuning { loads_in_flight: 8, ..ExactTuning::for_pairs(&caps, 1 << 28) };
    let plan = plan_of_pairs(1 << 28, [0, 4], &good, &caps).unwrap();
    check_pairs(&plan, [0, 4], &caps);
    assert_eq!((plan.input_bytes(), plan.shader.terms), (1 << 31, ExactTerms::Products));
    let refused = plan_of_pairs(9, [0; 2], &ExactTuning { loads_in_flight: 9, ..good }, &caps);
    assert!(matches!(refused, Err(Error::InvalidTuning { .. })), "{refused:?}");
    let part = |len| [Part { offset_bytes: 0, len }];
    let of = ElementKind::F32;
    let refused = ExactPlan::of_pairs(of, [&part(3), &part(4)], &good, &caps);
    assert_eq!(refused, Err(Error::LengthMismatch { left: 3, right: 4 }));
    let none = ExactPlan::of_pairs(of, [&[], &part(0)], &good, &caps).unwrap();
    assert_eq!((none.len, none.dispatches.len()), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_pair_is_in_one_dispatch_and_bounds_are_kept(
        len in (0_u32..26, 0_u64..100).prop_map(|(log, more)| (1 << log) + more),
        offsets in [0_u64..300, 0_u64..300],
        binding in (12_u32..28).prop_map(|log| 1_u64 << log),
        size in (5_u32..=10).prop_map(|log| 1 << log),
        max_workgroups in 1_u32..=1000,
        loads_in_flight in 1_u32..=8,
        min_quads_per_invocation in 1_u32..=1024,
        on_cpu: bool,
        is_wide: bool,
    ) {
        let class = if on_cpu { AdapterClass::Cpu } else { AdapterClass::Gpu };
        let caps = caps(binding, 400, class);
        let element = if is_wide { ElementKind::F64 } else { ElementKind::F32 };
        let tuning = ExactTuning {
            workgroup_size: size, max_workgroups, loads_in_flight, min_quads_per_invocation, margin: 2,
        };
        match plan_of_pairs_of(element, len, offsets, &tuning, &caps) {
            Ok(plan) => check_pairs(&plan, offsets, &caps),
            Err(error) => prop_assert!(
                matches!(error, Error::InvalidBuffer { .. }) && binding < 1 << 20,
                "{error}"
            ),
        }
    }
}
