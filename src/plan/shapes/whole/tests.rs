//! What users of plans do not see: constants that shaders get, and the limits at which plans change.

use crate::error::Error;
use crate::op::element::ElementKind;
use crate::plan::caps::{AdapterClass, SubgroupSizes};
use crate::plan::cut::part::Part;
use crate::plan::followed::assert_within;
use crate::plan::planned::{AnyTuning, Outputs};
use crate::plan::planners::{WholePass, WholePlan, WholeRequest, constant};
use crate::plan::recording::{MaskedParameters, Place, binding};
use crate::plan::shapes::whole::follow::check_counted;
use crate::plan::shapes::whole::*;
use crate::plan::tuning::{Combining, Tuning};

fn named(name: &str) -> &'static OpRecord {
    OpRecord::ALL.into_iter().find(|record| record.name() == name).unwrap()
}

/// `stats` of `f32`, whose accumulators have eleven words, in one part.
fn request(len: u64, caps: Caps) -> WholeRequest {
    WholeRequest {
        operation: named("stats"),
        element: ElementKind::F32,
        input: vec![Part { offset_bytes: 0, len }],
        output_offset_bytes: 0,
        in_place: false,
        tuning: Tuning::for_len(&caps, ElementKind::F32, len),
        caps,
    }
}

/// A device whose shaders use them.
fn subgroups() -> Caps {
    Caps { subgroups: Some(SubgroupSizes { min: 32, max: 32 }), ..Caps::baseline() }
}

/// From a device with bindings of so many bytes.
fn stats(len: u64, max_binding_bytes: u64) -> WholePlan {
    let mut caps = subgroups();
    caps.max_binding_bytes = max_binding_bytes;
    WholePlan::new(&request(len, caps)).unwrap()
}

fn planned(request: &WholeRequest) -> Result<Plan> {
    request.problem(None).plan(&request.caps)
}

/// What folds so many partials that elements have left.
fn of_partials(request: &WholeRequest, len: u64, count: u32) -> Result<Plan> {
    let (problem, operation) = (request.problem(None), request.operation);
    build(&problem, operation, (len, Some(count)), Ending::Result, &request.caps)
}

/// Whether shaders are told that indices may have two words.
fn goes_far(plan: &Plan) -> bool {
    let told: Vec<_> = plan.passes().iter().filter_map(|pass| constant(pass, "FAR")).collect();
    assert!(!told.is_empty() && told.iter().all(|far| *far == told[0]), "{plan}");
    told[0] == 1
}

#[test]
fn indices_of_two_words_are_for_several_windows_and_for_what_goes_beyond_one_word() {
    let near = stats(1 << 20, 1 << 27);
    assert!(!goes_far(&near), "{near}");
    let windows = stats(1 << 20, 1 << 20);
    assert!(windows.passes[0].dispatches.len() > 1 && goes_far(&windows), "{windows}");
    for (index_end, is_far) in [(u64::from(u32::MAX), false), (1 << 32, true)] {
        let first_index = index_end - (1 << 20);
        let ending = Ending::Partial { first_index, slot: 0, slots: 1 };
        let request = request(1 << 20, subgroups());
        let plan = lower(&request.problem(None), request.operation, ending, &request.caps).unwrap();
        assert_eq!(goes_far(&plan), is_far, "{index_end}");
    }
}

#[test]
fn what_is_appended_reads_what_was_left_and_has_scratch_of_its_own() {
    let mut request = request(1 << 20, Caps::baseline());
    request.tuning.combining = Combining::Passes;
    request.tuning.max_partials_per_workgroup = 100;
    let first = planned(&request).unwrap();
    let next = of_partials(&request, 1 << 20, 5000).unwrap();
    assert!(next.passes().len() > 1 && !first.scratch().is_empty(), "{first}{next}");
    let mut both = first.clone();
    append(&mut both, next.clone());
    let (passes, scratch) = (first.passes().len(), first.scratch().len());
    assert_eq!(both.passes().len(), passes + next.passes().len());
    assert_eq!(both.scratch().len(), scratch + next.scratch().len());
    let sources = |plan: &Plan| {
        let passes = WholePass::all(plan).into_iter();
        passes.map(|pass| pass.dispatches[0].source).collect()
    };
    let (of_both, of_next): (Vec<_>, Vec<_>) = (sources(&both), sources(&next));
    assert_eq!(of_both[passes], Place::Output);
    assert_eq!((of_next[1], of_both[passes + 1]), (Place::Scratch(0), Place::Scratch(scratch)));
}

/// What the documentation of `collective_depth` and `element_chain` says, added up: of tiles of four loads by workgroups of 64, a
/// tile each.
#[test]
fn roundings_are_counted_along_the_way_of_one_tile() {
    let of_tiles = |tiles: u32, subgroups| {
        let mut caps = Caps::baseline();
        caps.subgroups = subgroups;
        let mut request = request(u64::from(tiles) * 4 * 4 * 64, caps);
        request.operation = OpRecord::ALL[0];
        request.tuning.workgroup_size = 64;
        request.tuning.max_workgroups = tiles;
        request.tuning.min_quads_per_invocation = 4;
        request.tuning.loads_in_flight = 4;
        request.tuning.combining = Combining::LastToArrive;
        let plan = WholePlan::new(&request).unwrap();
        assert_eq!((plan.passes.len(), plan.passes[0].dispatches[0].workgroups), (1, tiles));
        plan.roundings
    };
    let roundings = |subgroups| of_tiles(1, subgroups);
    // Two within a quad, three between the loads of a tile, and one to what was there before it.
    let of_tile = 2 + 3 + 1;
    assert_eq!(roundings(None), of_tile + 6);
    // And in one workgroup that takes what the others have left.
    assert_eq!(of_tiles(2, None), of_tile + 6 + 1 + 6);
    let sizes = |min, max| Some(SubgroupSizes { min, max });
    assert_eq!(roundings(sizes(8, 32)), of_tile + 2 * 5 + 1);
    assert_eq!(roundings(sizes(4, 4)), of_tile + 2 * 2 + 4);
}

/// One workgroup takes at most 2000 words of others: 181 accumulators of eleven words for each invocation.
#[test]
fn what_takes_one_workgroup_too_many_turns_takes_another_pass() {
    let passes = |workgroups| {
        let mut request = request(1 << 24, Caps::baseline());
        request.tuning.workgroup_size = 32;
        request.tuning.max_workgroups = workgroups;
        request.tuning.min_quads_per_invocation = 1;
        request.tuning.max_partials_per_workgroup = u32::MAX;
        request.tuning.combining = Combining::LastToArrive;
        let plan = WholePlan::new(&request).unwrap();
        let of_first: u32 = plan.passes[0].dispatches.iter().map(|it| it.workgroups).sum();
        (of_first, plan.passes.len())
    };
    let ((few, one), (many, two)) = (passes(5000), passes(20_000));
    assert!(few <= 181 * 32 && many > 181 * 32, "{few} and {many} workgroups");
    assert_eq!((one, two), (1, 2));
}

#[test]
fn partials_are_folded_up_to_the_turns_that_a_loop_may_take() {
    let folded = |count| {
        let mut caps = Caps::baseline();
        caps.max_loop_turns = 20_000;
        caps.max_workgroups_per_dimension = 1;
        let mut request = request(1, caps);
        request.operation = OpRecord::ALL[0];
        request.tuning.workgroup_size = 32;
        request.tuning.max_partials_per_workgroup = u32::MAX;
        of_partials(&request, u64::from(count), count)
    };
    let most = 32 * 20_000;
    assert_eq!(folded(most).unwrap().passes().len(), 1);
    let more = folded(most + 1);
    assert!(matches!(more, Err(Error::InvalidTuning { .. })), "{more:?}");
}

/// Each window needs two workgroups, or its loops take too many turns, and one binding has room for the partials of one.
#[test]
fn where_partials_have_no_room_loops_are_not_made_longer() {
    let mut caps = Caps::baseline();
    caps.max_binding_bytes = 1 << 20;
    caps.max_buffer_bytes = 1 << 40;
    caps.max_loop_turns = 19_100;
    let mut request = request(1 << 18, caps);
    request.tuning.workgroup_size = 32;
    request.tuning.loads_in_flight = 1;
    let few = WholePlan::new(&request).unwrap();
    assert!(few.passes[0].dispatches[0].workgroups > 1, "{few}");
    request.input = vec![Part { offset_bytes: 0, len: 1 << 18 }; 20_000];
    let many = WholePlan::new(&request);
    assert!(matches!(many, Err(Error::InvalidTuning { .. })), "{:?}", many.map(|_| ()));
}

/// Three elements lie before the first quad, and their roundings come on top.
#[test]
fn roundings_of_a_head_are_those_of_its_elements() {
    let roundings = |offset_bytes, len| {
        let mut request = request(len, Caps::baseline());
        request.operation = OpRecord::ALL[0];
        request.tuning.max_workgroups = 1;
        request.input = vec![Part { offset_bytes, len }];
        WholePlan::new(&request).unwrap().roundings
    };
    assert_eq!(roundings(4, 1024 + 3), roundings(0, 1024) + 3);
}

/// The constants of one pass, of a million elements, with a request that `change` has changed.
fn constants(
    name: &str,
    element: ElementKind,
    caps: Caps,
    change: impl Fn(&mut WholeRequest),
) -> Vec<(&'static str, u32)> {
    let mut request = request(1 << 20, caps);
    request.operation = named(name);
    request.element = element;
    request.tuning = Tuning { loads_in_flight: 2, workgroup_size: 128, ..request.tuning };
    request.tuning.combining = Combining::LastToArrive;
    change(&mut request);
    planned(&request).unwrap().recording.passes.swap_remove(0).constants
}

/// Whole tiles have code of their own on a GPU where accumulators are long, or floats are compared. Where it takes long to append
/// to them, quads are loaded meanwhile, on a CPU too.
#[test]
fn shaders_are_told_what_pays_for_their_accumulators() {
    let (mut gpu, mut cpu) = (Caps::baseline(), Caps::baseline());
    (gpu.class, cpu.class) = (AdapterClass::Gpu, AdapterClass::Cpu);
    let cases = [
        ("sum", ElementKind::F32, 0, 0),
        ("sum", ElementKind::I32, 1, 0),
        ("min", ElementKind::F32, 1, 0),
        ("min", ElementKind::I32, 0, 0),
        ("stats", ElementKind::F32, 1, 1),
    ];
    for (name, element, whole_tiles, refills) in cases {
        let told = |caps| constants(name, element, caps, |_| {});
        let expected = |whole_tiles| {
            [
                ("WORKGROUP_SIZE", 128),
                ("LOADS_IN_FLIGHT", 2),
                ("WHOLE_TILES", whole_tiles),
                ("REFILLS", refills),
                ("HIGHEST_FOLDS", 0),
            ]
        };
        assert_eq!(told(gpu), expected(whole_tiles), "{name} of {element}");
        assert_eq!(told(cpu), expected(0), "{name} of {element}");
    }
}

#[test]
fn shaders_are_told_who_folds_and_how_large_subgroups_are() {
    let mut caps = Caps::baseline();
    caps.class = AdapterClass::Cpu;
    caps.subgroups = Some(SubgroupSizes { min: 4, max: 16 });
    caps.waits_for_others = true;
    let alone = caps.without_subgroups();
    let of_highest = constants("sum", ElementKind::F32, alone, |request| {
        request.tuning.combining = Combining::Highest;
    });
    assert_eq!(of_highest.last(), Some(&("HIGHEST_FOLDS", 1)));
    let of_passes = constants("sum", ElementKind::F32, alone, |request| {
        request.tuning.combining = Combining::Passes;
    });
    assert_eq!(of_passes.last(), Some(&("REFILLS", 0)), "nobody waits");
    let by_subgroups = |name| constants(name, ElementKind::F32, caps, |_| {}).split_off(4);
    let sizes = [("MIN_SUBGROUP_SIZE", 4), ("MAX_SUBGROUP_SIZE", 16)];
    assert_eq!(by_subgroups("sum"), [&sizes[..], &[("HIGHEST_FOLDS", 0)]].concat());
    let of_stats = [&sizes[..], &[("FAR", 0), ("HIGHEST_FOLDS", 0)]].concat();
    assert_eq!(by_subgroups("stats"), of_stats);
}

#[test]
fn a_plan_as_text_has_its_passes_and_its_roundings_if_there_are_any() {
    let text = |name| {
        let mut request = request(1000, Caps::baseline());
        request.operation = named(name);
        request.tuning = Tuning { workgroup_size: 64, max_workgroups: 1, ..request.tuning };
        let plan = WholePlan::new(&request).unwrap();
        (plan.roundings, AnyTuning::from(plan.tuning), plan.to_string())
    };
    let expected = |name: &str, tuning: AnyTuning, after: &str| {
        let loads = tuning.whole().unwrap().loads_in_flight;
        let whole = u32::from(name == "max");
        format!(
            "{name} of 1000 f32 elements\n  reads 4000 bytes of elements; {tuning}\n  \
             pass 1: {name} f32 Elements Workgroup Result -> Output\n    WORKGROUP_SIZE = 64, \
             LOADS_IN_FLIGHT = {loads}, WHOLE_TILES = {whole}, REFILLS = 0\n    \
             1 x 1 workgroups over bytes 0..4000 of Input(0)\n{after}"
        )
    };
    let (roundings, tuning, sum) = text("sum");
    let of_sum = format!("  at most {roundings} roundings per element\n");
    assert!(roundings > 0);
    assert_eq!(sum, expected("sum", tuning, &of_sum));
    let (roundings, tuning, max) = text("max");
    assert_eq!((roundings, max), (0, expected("max", tuning, "")));
}

/// 1024 turns beside the main loop and eight words of the longest wait, and 2000 for tiles.
#[test]
fn a_device_must_let_loops_take_some_turns() {
    let least = 1024 + 8 * build::HANDOVER_WORD_TURNS + 2000;
    for (max_loop_turns, is_enough) in [(least - 1, false), (least, true)] {
        let mut caps = Caps::baseline();
        caps.max_loop_turns = max_loop_turns;
        let planned = WholePlan::new(&request(1000, caps));
        assert_eq!(planned.is_ok(), is_enough, "{max_loop_turns}: {planned:?}");
        let is_refused = matches!(planned, Err(Error::Unsupported { .. }));
        assert_ne!(is_refused, is_enough, "{max_loop_turns}");
    }
}

/// Counts anywhere in their buffer, of one window and of many, by operations and by an operator whose order matters.
#[test]
fn a_count_cuts_what_the_first_pass_is_told() {
    for (len, max_binding_bytes) in
        [(0, 1 << 27), (1, 1 << 27), (100_000, 1 << 27), (100_000, 65_536)]
    {
        let mut caps = subgroups();
        caps.max_binding_bytes = max_binding_bytes;
        for element in [ElementKind::F32, ElementKind::U8, ElementKind::F64] {
            let parts = [(3, len), (0, len / 3)];
            let size = element.size_bytes();
            let parts = parts.map(|(first, len)| Part { offset_bytes: first * size, len });
            let problem = Problem::by(named("sum"), element, 0).parts(vec![parts.to_vec()]);
            for count_offset_bytes in [0, 4, 1020, 1 << 40] {
                let checked = check_counted(&problem, count_offset_bytes, &caps);
                assert_eq!(checked, Ok(()), "{len} {element:?}");
            }
        }
    }
}

/// A count lies where a binding can be, at a whole word.
#[test]
fn counts_that_no_binding_covers_are_refused() {
    let problem = Problem::by(named("sum"), ElementKind::F32, 8).left(Some([0; 3]), false);
    let plan = problem.plan(&Caps::baseline()).unwrap();
    // A binding starts at a multiple of 256 bytes.
    let caps = Caps { max_binding_bytes: 248, ..Caps::baseline() };
    let count = |offset_bytes| counted(plan.clone(), 1, offset_bytes, &caps).err();
    assert_eq!(count(244), None);
    assert!(matches!(count(248), Some(Error::Unsupported { .. })));
    for wrong in [246, 1 << 62] {
        assert!(matches!(count(wrong), Some(Error::InvalidBuffer { .. })), "{wrong}");
    }
}

#[test]
fn masks_take_no_index_beyond_a_word() {
    let mut caps = Caps::baseline();
    caps.max_buffer_bytes = 1 << 40;
    let mask = |len| vec![Part { offset_bytes: 0, len }];
    let planned = |record: &'static OpRecord, len| {
        let problem = Problem::by(record, ElementKind::U8, len);
        problem.masked(mask(len)).plan(&caps).map(drop)
    };
    let far = 1 << 32;
    for name in ["argmin", "argmax", "stats"] {
        assert!(planned(named(name), far - 1).is_ok(), "{name}");
        let refused = planned(named(name), far).unwrap_err();
        assert!(matches!(refused, Error::Unsupported { .. }), "{name}: {refused}");
    }
    assert!(planned(named("max"), far).is_ok());
}

/// Turns of the loops of an invocation over a window, as `shaders/kernels/masked.wgsl` has them.
fn turns_over(told: &MaskedParameters, tuning: &Tuning, element: ElementKind) -> u64 {
    let (size, loads) = (u64::from(tuning.workgroup_size), u64::from(tuning.loads_in_flight));
    let quads = u64::from(told.window.body_end - told.window.body_first);
    let tiles = quads.div_ceil(u64::from(told.workgroups) * size * loads);
    let per_quad = element.per_quad();
    let ends = u64::from(told.window.head_count + told.window.tail_count);
    tiles * (1 + loads * (2 + per_quad.div_ceil(4) + per_quad)) + ends.div_ceil(size)
}

#[test]
fn masked_passes_count_behind_the_result_and_end_in_time() {
    let tight = Caps { max_binding_bytes: 1 << 20, ..Caps::baseline() };
    let large = Caps { max_binding_bytes: 1 << 33, max_buffer_bytes: 1 << 40, ..Caps::baseline() };
    let hasty = Caps { max_loop_turns: 30_000, class: AdapterClass::Cpu, ..large };
    let (mut checked, mut most) = (0, 0);
    for (caps, long) in [(tight, 9_999_999), (large, 9_999_999), (hasty, 999_999)] {
        for name in ["sum", "max", "argmin", "mean", "stats"] {
            for (element, len) in [(ElementKind::U8, 1), (ElementKind::F32, long)] {
                let mask = vec![Part { offset_bytes: 3, len }];
                let problem = Problem::by(named(name), element, len).masked(mask);
                // One invocation takes as many turns as it may.
                let lone = Tuning {
                    workgroup_size: 1,
                    max_workgroups: 1,
                    ..Tuning::for_len(&caps, element, len)
                };
                let is_hasty = caps.max_loop_turns < u32::MAX;
                let problem = if is_hasty { problem.tuned(lone) } else { problem };
                let plan = problem.plan(&caps).unwrap();
                assert_within(&plan.recording, &caps);
                let Outputs::Masked { count: Some(first) } = plan.outputs else { panic!("{plan}") };
                assert!(first >= plan.result_bytes && plan.host_bytes() == first + 8, "{plan}");
                let AnyTuning::Whole(tuning) = plan.tuning else { panic!("{plan}") };
                let masked = plan.passes().iter().take(1).flat_map(|pass| &pass.dispatches);
                for dispatch in masked {
                    let counted = dispatch.bound(binding::ARRIVALS).unwrap();
                    assert_eq!(
                        (counted.place, &counted.bytes),
                        (Place::Output, &Some(first..first + 8))
                    );
                    let turns = turns_over(&dispatch.told(), &tuning, element);
                    assert!(turns <= u64::from(caps.max_loop_turns), "{turns} turns in {plan}");
                    (checked, most) = (checked + 1, most.max(turns));
                }
            }
        }
    }
    assert!(checked > 200 && most > 10_000, "{checked}, {most} turns");
}
