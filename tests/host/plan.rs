//! The planner, by its promises: every element is read exactly once, every slot is written exactly
//! once, nothing exceeds the device, and no request makes it panic.

use crate::documented::accumulator_words;
use crate::promises::{accumulator_bytes, check_limits, check_plan, check_turns};
use proptest::prelude::*;
use wgpu_reduce::planners::{Dispatch, Place, Sink, WholePass, WholePlan, WholeRequest};
use wgpu_reduce::{
    AdapterClass, Caps, Combining, ElementKind, Error, OpRecord, Part, SubgroupSizes, Tuning,
};

fn request(len: u64, offset: u64) -> WholeRequest {
    let mut caps = Caps::baseline();
    caps.f64 = true;
    WholeRequest {
        operation: OpRecord::ALL[0],
        element: ElementKind::F32,
        input: vec![Part { offset_bytes: offset * 4, len }],
        output_offset_bytes: 0,
        in_place: false,
        tuning: Tuning::for_len(&caps, ElementKind::F32, len),
        caps,
    }
}

fn check(request: &WholeRequest) -> WholePlan {
    let plan = WholePlan::new(request).expect("the request is valid");
    check_plan(request, &plan);
    plan
}

fn caps() -> impl Strategy<Value = Caps> {
    let bindings = prop::sample::select(vec![768_u64, 4096, 65_536, (2 << 30) - 4, 1 << 40]);
    let alignments = prop::sample::select(vec![4_u64, 16, 32, 256]);
    let grids = prop::sample::select(vec![1_u32, 3, 65_535]);
    let abilities = any::<(bool, bool)>();
    (bindings, alignments, grids, abilities).prop_map(|(binding, alignment, grid, abilities)| {
        let (cpu, waits_for_others) = abilities;
        let mut caps = Caps::baseline();
        caps.max_binding_bytes = binding;
        caps.max_buffer_bytes = 1 << 40;
        caps.storage_alignment_bytes = alignment;
        caps.max_workgroups_per_dimension = grid;
        caps.subgroups = Some(SubgroupSizes { min: 4, max: 128 });
        caps.class = if cpu { AdapterClass::Cpu } else { AdapterClass::Gpu };
        caps.max_loop_turns = if cpu { 65_000 } else { u32::MAX };
        caps.waits_for_others = waits_for_others;
        caps.f64 = true;
        caps
    })
}

/// The operations with the elements that they take.
fn pairs() -> Vec<(&'static OpRecord, ElementKind)> {
    let all = OpRecord::ALL.into_iter().flat_map(|op| ElementKind::ALL.map(|kind| (op, kind)));
    all.filter(|(operation, element)| operation.takes(*element)).collect()
}

/// No part, one, or several, some of them empty; their offsets are to be multiplied by an element's size.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    let len = prop_oneof![0_u64..100, 0_u64..1_000_000, 0_u64..(1 << 33)];
    let offset = prop_oneof![0_u64..100, 0_u64..(1 << 33)];
    let part = (len, offset).prop_map(|(len, offset)| Part { offset_bytes: offset, len });
    prop_oneof![3 => prop::collection::vec(part.clone(), 1), 1 => prop::collection::vec(part, 0..6)]
}

prop_compose! {
    fn valid_requests()(
        caps in caps(),
        (operation, element) in prop::sample::select(pairs()),
        input in parts(),
        slot in 0_u64..1000,
        in_place in any::<bool>(),
        subgroups in any::<bool>(),
        log_size in 0_u32..=8,
        max_workgroups in prop_oneof![1_u32..5000, 1_u32..100_000],
        quads in (1_u32..8, 1_u32..=16),
        combining in prop::sample::select(Combining::ALL.to_vec()),
        max_partials_per_workgroup in prop_oneof![2_u32..20_000, 2_u32..1_000_000],
    ) -> WholeRequest {
        let words = accumulator_words(operation.name(), element);
        let mut caps = caps;
        caps.max_binding_bytes = caps.max_binding_bytes.max(if words > 64 { 1 << 16 } else { 0 });
        // Keeps the partials of small bindings within one binding, and all parts within as many windows as may be.
        let most = caps.max_binding_bytes.min(1 << 31) * 2;
        // Windows are shorter where loops are, down to 76 KB.
        let most = if caps.max_loop_turns < u32::MAX { most.min(1 << 30) } else { most };
        let most = most / input.len().max(1) as u64;
        let most = most * 4 / element.size_bytes().max(4);
        let mut input: Vec<_> =
            input.into_iter().map(|Part { offset_bytes, len }| {
                Part { offset_bytes: offset_bytes * element.size_bytes(), len: len.min(most) }
            }).collect();
        if !operation.takes_none() && input.iter().all(|part| part.len == 0) {
            input.push(Part { offset_bytes: 0, len: 1 });
        }
        let room = u32::try_from(caps.max_binding_bytes / (4 * words).max(48) / 18).unwrap_or(u32::MAX).max(1);
        WholeRequest {
            operation,
            element,
            input,
            output_offset_bytes: slot * 64,
            in_place,
            tuning: Tuning {
                workgroup_size: 1 << log_size,
                max_workgroups: max_workgroups.min(room),
                loads_in_flight: quads.1,
                min_quads_per_invocation: quads.0,
                max_partials_per_workgroup,
                combining: match combining {
                    Combining::Highest if !caps.waits_for_others => Combining::LastToArrive,
                    combining => combining,
                },
            },
            caps: if subgroups { caps } else { caps.without_subgroups() },
        }
    }
}

proptest! {
    #![proptest_config(crate::counts::config(2000))]

    #[test]
    fn plans_keep_their_promises(request in valid_requests()) {
        let plan = check(&request);
        if request.in_place {
            let reads = |d: &Dispatch| d.source_bytes.is_some() && d.source == Place::Input(0);
            let both =
                |pass: &WholePass| pass.dispatches.iter().any(reads) && pass.target == Place::Output;
            prop_assert!(!plan.passes.iter().any(both));
        }
    }

    /// Whatever is asked for, the answer is a plan or an error.
    #[test]
    fn no_request_panics(
        len in any::<u64>(),
        offsets in any::<(u64, u64)>(),
        output_offset_bytes in any::<u64>(),
        sizes in any::<(u64, u64, u64, u32)>(),
        subgroups in proptest::option::of((0_u32..200, 0_u32..200)),
        max_loop_turns in prop_oneof![0_u32..5, any::<u32>()],
        tuning in any::<(u32, u32, u32)>(),
        shift in 0_u32..64,
    ) {
        let mut caps = Caps::baseline();
        caps.max_binding_bytes = sizes.0 >> shift;
        caps.max_buffer_bytes = sizes.1;
        caps.storage_alignment_bytes = (sizes.2 >> shift).checked_next_power_of_two().unwrap_or(0);
        caps.max_workgroups_per_dimension = sizes.3;
        caps.subgroups = subgroups.map(|(min, max)| SubgroupSizes { min, max });
        caps.max_loop_turns = max_loop_turns;
        let _ = WholePlan::new(&WholeRequest {
            input: vec![
                Part { offset_bytes: offsets.0 >> shift, len: len >> shift },
                Part { offset_bytes: offsets.1 >> shift, len: len >> (63 - shift) },
            ],
            output_offset_bytes,
            caps,
            tuning: Tuning {
                workgroup_size: if tuning.0 % 2 == 0 { 1 } else { tuning.0 },
                max_workgroups: tuning.1,
                max_partials_per_workgroup: tuning.2,
                loads_in_flight: tuning.1 % 20,
                min_quads_per_invocation: tuning.2 % 5,
                combining: Combining::ALL[tuning.0 as usize % 3],
            },
            ..request(0, 0)
        });
        let _ = WholePlan::new(&WholeRequest { caps, ..request(len >> shift, 0) });
    }
}

#[test]
fn without_handing_over_small_inputs_take_one_pass_and_large_ones_two() {
    let tuning = Tuning { combining: Combining::Passes, ..request(1 << 20, 0).tuning };
    let tile = u64::from(tuning.workgroup_size * tuning.min_quads_per_invocation) * 4;
    // Up to three elements more are a tail of the same workgroup.
    for (len, passes) in [(0, 1), (1, 1), (tile, 1), (tile + 3, 1), (tile + 4, 2), (1 << 25, 2)] {
        let request = WholeRequest { tuning, ..request(len, 0) };
        assert_eq!(check(&request).passes.len(), passes, "{len} elements");
    }
}

/// However many partials there are, a later pass has no more invocations than 32 bits count.
#[test]
fn later_passes_keep_their_indices_within_32_bits() {
    let mut caps = Caps::baseline();
    (caps.max_binding_bytes, caps.max_buffer_bytes) = (2 << 30, 2 << 30);
    caps.max_workgroup_size = 1024;
    let tuning = Tuning {
        workgroup_size: 1024,
        loads_in_flight: 1,
        min_quads_per_invocation: 1,
        max_workgroups: 1 << 20,
        max_partials_per_workgroup: 2,
        combining: Combining::Passes,
    };
    // All parts are one range of 2 GiB, again and again.
    let part = Part { offset_bytes: 0, len: 2 << 28 };
    let request = WholeRequest { tuning, caps, input: vec![part; 64], ..request(0, 0) };
    let plan = WholePlan::new(&request).expect("the request is valid");
    assert!(plan.passes.len() > 2, "{plan}");
    check_limits(&request, &plan);
    check_turns(&request, &plan);
}

/// What speed rests on: one pass over each element, by default and at every length, for every type, on GPUs
/// of any kind and on CPUs; and little besides the elements goes through memory.
#[test]
fn by_default_one_window_takes_one_pass() {
    let sum = OpRecord::ALL[0];
    let kinds = [(AdapterClass::Gpu, false), (AdapterClass::Gpu, true), (AdapterClass::Cpu, false)];
    for (class, waits_for_others) in kinds {
        for element in ElementKind::ALL.into_iter().filter(|&element| sum.takes(element)) {
            let mut caps = Caps::baseline();
            (caps.max_binding_bytes, caps.max_buffer_bytes) = (4 << 30, 8 << 30);
            (caps.class, caps.waits_for_others) = (class, waits_for_others);
            caps.f64 = true;
            caps.max_loop_turns = if class == AdapterClass::Cpu { 65_000 } else { u32::MAX };
            if waits_for_others {
                // As the GPU that the defaults were measured on.
                (caps.max_workgroup_size, caps.workgroup_storage_bytes) = (1024, 48 << 10);
            }
            for log in 0..30 {
                for len in [(1 << log) - 1, 1 << log, (1 << log) + 1] {
                    let tuning = Tuning::for_len(&caps, element, len);
                    let plan = check(&WholeRequest { element, tuning, caps, ..request(len, 0) });
                    assert_eq!(plan.passes.len(), 1, "{class:?}: {plan}");
                    // Where loops are kept short, a window is less than a binding; it never has more
                    // than 2 GiB.
                    let most_bytes = if class == AdapterClass::Cpu { 512 << 20 } else { 2 << 30 };
                    let windows = plan.input_bytes().div_ceil(most_bytes).max(1);
                    let dispatches = plan.passes[0].dispatches.len() as u64;
                    assert!(dispatches <= windows, "{class:?}: {plan}");
                    let scratch: u64 = plan.scratch.iter().map(|scratch| scratch.bytes).sum();
                    let workgroups = windows * u64::from(tuning.max_workgroups.min(1056));
                    let most = 256 + 2 * accumulator_bytes(&plan) * workgroups;
                    assert!(scratch <= most, "{scratch} bytes of scratch in {plan}");
                }
            }
        }
    }
}

/// In place the input must be read to its end before the result is written.
#[test]
fn in_place_takes_two_passes() {
    for (len, passes) in [(0, 1), (1000, 2), (1 << 25, 2)] {
        let request = WholeRequest { in_place: true, ..request(len, 0) };
        assert_eq!(check(&request).passes.len(), passes, "{len} elements");
    }
}

/// No workgroup has a share more to do than another.
#[test]
fn shares_are_even() {
    let whole = request(1 << 22, 0);
    let tuning = Tuning { workgroup_size: 64, max_workgroups: 100, ..whole.tuning };
    for shares in [1, 99, 100, 101, 150, 200, 201, 1000, 1001_u64] {
        let len = shares * 64 * 4 * u64::from(tuning.min_quads_per_invocation);
        let plan = check(&WholeRequest { tuning, ..request(len, 0) });
        let turns = shares.div_ceil(100);
        let workgroups = u64::from(plan.passes[0].dispatches[0].workgroups);
        assert_eq!(workgroups, shares.div_ceil(turns), "{plan}");
    }
}

#[test]
fn many_partials_take_more_passes() {
    let whole = request(1 << 24, 0);
    let tuning = Tuning {
        workgroup_size: 64,
        max_workgroups: 2048,
        max_partials_per_workgroup: 16,
        ..whole.tuning
    };
    let plan = check(&WholeRequest { tuning, ..whole });
    assert_eq!(plan.passes[0].variant.sink, Sink::Partials, "{plan}");
    // 2048 workgroups at 32 quads each, 128, 8, 1.
    assert_eq!(plan.passes.len(), 4, "{plan}");
}

#[test]
fn each_binding_is_a_window() {
    let mut small = request(3 * 16_384, 1);
    small.caps.max_binding_bytes = 65_536;
    let plan = check(&small);
    assert_eq!(plan.passes[0].dispatches.len(), 4, "{plan}");
}

/// The default tuning leaves no more partials than a binding holds, however small that is.
#[test]
fn workgroups_are_as_few_as_bindings_demand() {
    let mut caps = Caps::baseline();
    caps.max_binding_bytes = 64 << 10;
    caps.f64 = true;
    for class in [AdapterClass::Gpu, AdapterClass::Cpu] {
        caps.class = class;
        for (operation, element) in pairs() {
            // A binding holds one accumulator of each window.
            let longest = accumulator_words(operation.name(), element) > 64;
            for bytes in [1 << 10, 1 << 20, if longest { 8 << 20 } else { 32 << 20 }] {
                let len = bytes / element.size_bytes();
                let tuning = Tuning::for_operation(&caps, operation, element, len);
                let tuning = Tuning { combining: Combining::Passes, ..tuning };
                let request = WholeRequest { operation, element, tuning, caps, ..request(len, 0) };
                let plan = check(&request);
                let most = plan.scratch.iter().map(|scratch| scratch.bytes).max();
                assert!(most.is_none_or(|most| most <= 64 << 10), "{plan}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let too_long = WholePlan::new(&request(1 << 60, 0));
    assert!(matches!(too_long, Err(Error::BufferTooLarge { .. })), "{too_long:?}");
    // A loop of 65,000 turns reads at most 128 KB here, and 2^16 windows of that 8 GiB.
    let mut slow = request(1 << 32, 0);
    slow.caps.max_loop_turns = 65_000;
    slow.caps.max_buffer_bytes = 1 << 40;
    slow.operation = crate::named("sum_exact");
    slow.tuning = Tuning {
        workgroup_size: 1,
        max_workgroups: 1,
        loads_in_flight: 1,
        min_quads_per_invocation: 1,
        max_partials_per_workgroup: 2,
        combining: Combining::Passes,
    };
    let windows = WholePlan::new(&slow);
    assert!(matches!(windows, Err(Error::BufferTooLarge { .. })), "{windows:?}");
    slow.caps.max_workgroups_per_dimension = 1;
    slow.input = vec![Part { offset_bytes: 0, len: 65_400 * 31_940 }];
    let partials = WholePlan::new(&slow);
    assert!(matches!(partials, Err(Error::InvalidTuning { .. })), "{partials:?}");
    let beyond = WholePlan::new(&request(u64::MAX, 0));
    assert!(matches!(beyond, Err(Error::InvalidBuffer { .. })), "{beyond:?}");
    let unaligned = WholePlan::new(&WholeRequest {
        input: vec![Part { offset_bytes: 2, len: 1 }],
        ..request(1, 0)
    });
    assert!(matches!(unaligned, Err(Error::InvalidBuffer { .. })), "{unaligned:?}");
    let operation = *OpRecord::ALL.iter().find(|op| !op.takes(ElementKind::F32)).unwrap();
    let undefined = WholePlan::new(&WholeRequest { operation, ..request(1, 0) });
    let expected = Error::NotDefined { operation: operation.name(), element: "f32" };
    assert_eq!(undefined, Err(expected));
    let output = WholePlan::new(&WholeRequest { output_offset_bytes: 2, ..request(1, 0) });
    assert!(matches!(output, Err(Error::InvalidBuffer { .. })), "{output:?}");
}

#[test]
fn integers_have_no_error_and_floats_a_small_one() {
    let floats = check(&request(1 << 24, 0));
    assert!(
        floats.accuracy().error_bound(1.0) > 0.0 && floats.accuracy().error_bound(1.0) < 1e-5,
        "{floats}"
    );
    // Each element, and each sum, may be flushed to zero.
    let flushed = 2.0 * f64::from(1_u32 << 24) * f64::from(f32::MIN_POSITIVE);
    assert_eq!(floats.accuracy().error_bound(0.0).to_bits(), flushed.to_bits(), "{floats}");
    let exact = ["min", "max", "argmin", "argmax", "all", "any", "count_nonzero", "count_nan"];
    let is_exact = |(operation, element): &(&OpRecord, ElementKind)| {
        !element.is_float() || exact.contains(&operation.name())
    };
    for (operation, element) in pairs().into_iter().filter(is_exact) {
        let integers = check(&WholeRequest { operation, element, ..request(1 << 24, 0) });
        assert!(integers.accuracy().error_bound(1e9).abs() < f64::MIN_POSITIVE, "{integers}");
    }
}

#[test]
fn there_is_no_plan_without_elements_where_there_is_no_result() {
    for (operation, element) in pairs() {
        let plan = WholePlan::new(&WholeRequest { operation, element, ..request(0, 0) });
        let empty = Err(Error::Empty { operation: operation.name() });
        assert!(if operation.takes_none() { plan.is_ok() } else { plan == empty }, "{plan:?}");
    }
    let takes_none = |name| OpRecord::ALL.iter().any(|op| op.name() == name && op.takes_none());
    assert!(["sum", "product", "count_nan", "all", "any"].into_iter().all(takes_none));
    assert!(!["min", "max", "argmin", "argmax", "mean", "variance"].into_iter().any(takes_none));
}

#[test]
fn f64_is_computed_with_where_the_device_has_it() {
    for (operation, element) in pairs() {
        let request = WholeRequest { operation, element, ..request(1000, 0) };
        let of = |caps: Caps| {
            let plan = WholePlan::new(&WholeRequest { caps, ..request.clone() }).unwrap();
            plan.passes.iter().map(|pass| pass.variant.wgsl()).collect::<String>()
        };
        let (with, without) = (of(request.caps), of(Caps::baseline()));
        let code = without.lines().filter_map(|line| line.split("//").next());
        let words = code.flat_map(|code| code.split(|c: char| c != '_' && !c.is_alphanumeric()));
        assert!(!words.into_iter().any(|word| word == "f64"), "{operation:?} of {element}");
        let computes = element == ElementKind::F64 && without.contains("alias Real");
        assert_eq!(with.contains("alias Real = f64;"), computes, "{operation:?} of {element}");
    }
}

/// By default, and with the largest workgroups, every operation fits into the least workgroup memory
/// that there is.
#[test]
fn workgroups_are_as_small_as_their_memory_demands() {
    let mut caps = Caps::baseline();
    (caps.max_workgroup_size, caps.workgroup_storage_bytes) = (1024, 16_384);
    caps.f64 = true;
    for (operation, element) in pairs() {
        for len in [1, 1 << 20, 1 << 24] {
            let tuning = Tuning { workgroup_size: 1024, ..Tuning::for_len(&caps, element, len) };
            let plan = check(&WholeRequest { operation, element, tuning, caps, ..request(len, 0) });
            let Tuning { workgroup_size, max_workgroups, .. } = plan.tuning;
            let bytes = u64::from(workgroup_size) * accumulator_bytes(&plan);
            assert!(bytes < 16_384, "{plan}");
            assert!(workgroup_size == 1024 || 2 * bytes > 16_384 - 32, "{plan}");
            let invocations = |size: u32, workgroups: u32| u64::from(size) * u64::from(workgroups);
            let wanted = invocations(1024, tuning.max_workgroups);
            assert_eq!(invocations(workgroup_size, max_workgroups), wanted, "{plan}");
        }
    }
}

/// The elements of a quad may take a turn each in an exact sum, of however many a workgroup gets.
#[test]
fn exact_sums_leave_no_loop_early() {
    let operation = crate::named("sum_exact");
    let mut caps = Caps::baseline();
    caps.max_loop_turns = 65_000;
    for element in [ElementKind::F32, ElementKind::F16, ElementKind::Bf16] {
        for loads_in_flight in [1, 4, 16] {
            let tuning = Tuning {
                workgroup_size: 64,
                max_workgroups: 1,
                loads_in_flight,
                ..request(0, 0).tuning
            };
            let request = WholeRequest { operation, element, tuning, caps, ..request(1 << 24, 0) };
            check_turns(&request, &check(&request));
        }
    }
}
