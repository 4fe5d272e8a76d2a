//! The bound of roundings, against the kernels' order of additions played through.
//!
//! A value is represented by the roundings behind it; the identity has none and adds none.

use wgpu_reduce::planners::{Collective, Dispatch, Kernel, WholePass, WholePlan, WholeRequest};
use wgpu_reduce::{Caps, Combining, ElementKind, OpRecord, Part, SubgroupSizes, Tuning};

type Depth = Option<u64>;

fn combine(a: Depth, b: Depth) -> Depth {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b) + 1),
        (depth, None) | (None, depth) => depth,
    }
}

/// `kernels/elements.wgsl`, one invocation.
fn gather_elements(dispatch: &Dispatch, tuning: Tuning, workgroup: u32, local: u32) -> Depth {
    let Tuning { workgroup_size: size, loads_in_flight: loads, .. } = tuning;
    let [_, heads, body, body_end, _, tails, workgroups, ..] = dispatch.parameters;
    let lifted_quad = Some(2);
    let mut total = None;
    let mut quad = body + workgroup * loads * size + local;
    while quad < body_end {
        let loaded = (0..loads).filter(|load| quad + load * size < body_end);
        let of_tile = loaded.fold(None, |sum, _| combine(sum, lifted_quad));
        total = combine(total, of_tile);
        quad += workgroups * loads * size;
    }
    if workgroup == 0 {
        for _ in (local..heads + tails).step_by(size as usize) {
            total = combine(total, Some(0));
        }
    }
    total
}

/// `kernels/partials.wgsl`, one invocation.
fn gather_partials(partials: &[Depth], stride: u32, first: u32) -> Depth {
    let own = partials.iter().skip(first as usize).step_by(stride as usize);
    own.fold(None, |sum, &part| combine(sum, part))
}

/// `collectives/workgroup.wgsl`.
fn workgroup_tree(mut slots: Vec<Depth>) -> Depth {
    let mut distance = slots.len() / 2;
    while distance > 0 {
        for local in 0..distance {
            slots[local] = combine(slots[local], slots[local + distance]);
        }
        distance /= 2;
    }
    slots[0]
}

fn shuffle_tree(mut lanes: Vec<Depth>, max_size: usize) -> Depth {
    let mut distance = 1;
    while distance < max_size {
        let before = lanes.clone();
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum = combine(*sum, before.get(lane + distance).copied().flatten());
        }
        distance *= 2;
    }
    lanes[0]
}

/// `collectives/subgroup.wgsl`, with subgroups of `lanes`.
fn subgroup_tree(values: &[Depth], lanes: usize, max_size: usize) -> Depth {
    let totals: Vec<_> =
        values.chunks(lanes).map(|chunk| shuffle_tree(chunk.to_vec(), max_size)).collect();
    let lanes = lanes.min(values.len());
    let run = totals.len().div_ceil(lanes);
    let mut runs: Vec<_> =
        totals.chunks(run).map(|run| run.iter().copied().fold(None, combine)).collect();
    runs.resize(lanes, None);
    shuffle_tree(runs, max_size)
}

/// `collectives/halves.wgsl`.
fn halves_tree(mut values: Vec<Depth>, lanes: usize) -> Depth {
    while values.len() > lanes {
        let upper = values.split_off(values.len() / 2);
        values = values.into_iter().zip(upper).map(|(a, b)| combine(a, b)).collect();
    }
    shuffle_tree(values, lanes)
}

/// Whether its shader has the function that only halves call.
fn folds_by_halves(pass: &WholePass) -> bool {
    pass.variant.wgsl().contains("fn combine_lanes(")
}

fn collect(pass: &WholePass, caps: &Caps, lanes: usize, values: Vec<Depth>) -> Depth {
    let folds_by_halves = folds_by_halves(pass);
    match (pass.variant.collective, caps.subgroups) {
        (Collective::Subgroup, Some(sizes))
            if folds_by_halves && sizes.min == sizes.max && values.len() >= lanes =>
        {
            halves_tree(values, lanes)
        }
        (Collective::Subgroup, Some(sizes)) => subgroup_tree(&values, lanes, sizes.max as usize),
        _ => workgroup_tree(values),
    }
}

/// The roundings behind the result of a plan on subgroups of `lanes`.
fn played_through(plan: &WholePlan, caps: &Caps, lanes: usize) -> u64 {
    let size = plan.tuning.workgroup_size;
    let mut partials: Vec<Depth> = Vec::new();
    for pass in &plan.passes {
        let mut left = Vec::new();
        for dispatch in &pass.dispatches {
            for workgroup in 0..dispatch.workgroups {
                let values: Vec<_> = (0..size)
                    .map(|local| match pass.variant.kernel {
                        Kernel::Elements => {
                            gather_elements(dispatch, plan.tuning, workgroup, local)
                        }
                        Kernel::Pairs | Kernel::Inputs | Kernel::Masked => {
                            panic!("in a plan: {plan}")
                        }
                        Kernel::Partials => gather_partials(
                            &partials,
                            dispatch.workgroups * size,
                            workgroup * size + local,
                        ),
                    })
                    .collect();
                left.push(collect(pass, caps, lanes, values));
            }
        }
        if pass.handover.is_some() {
            let values = (0..size).map(|local| gather_partials(&left, size, local));
            left = vec![collect(pass, caps, lanes, values.collect())];
        }
        partials = left;
    }
    partials[0].unwrap_or(0)
}

/// Elements in one buffer or in two, which begin and end anywhere in a quad.
fn parts(len: u64) -> Vec<Part> {
    let first = if len.is_multiple_of(3) { len / 3 } else { len };
    let lengths = [first, len - first].into_iter().filter(|&len| len > 0);
    lengths.map(|len| Part { offset_bytes: (len % 4) * 4, len }).collect()
}

#[test]
fn no_element_passes_through_more_roundings_than_the_plan_says() {
    let (mut tightest, mut most_windows) = (u64::MAX, 0);
    for (has_subgroups, lanes) in [(false, 1), (true, 4), (true, 32)] {
        for workgroup_size in [1, 2, 4, 64] {
            for (max_workgroups, max_partials) in [(1, 2), (3, 2), (3, 16_384), (40, 16)] {
                for len in (1..40).chain([59, 60, 61, 239, 240, 241, 1023, 4001, 9999]) {
                    let mut caps = Caps::baseline();
                    caps.subgroups = has_subgroups.then_some(SubgroupSizes { min: 4, max: 32 });
                    // Windows of 8 KiB at most, so that long inputs have several.
                    caps.max_binding_bytes = 8 << 10;
                    let combinings = [Combining::Passes, Combining::LastToArrive];
                    let case = usize::try_from(len).unwrap();
                    let plan = WholePlan::new(&WholeRequest {
                        operation: OpRecord::ALL[0],
                        element: ElementKind::F32,
                        input: parts(len),
                        output_offset_bytes: 0,
                        in_place: false,
                        tuning: Tuning {
                            workgroup_size,
                            max_workgroups,
                            max_partials_per_workgroup: max_partials,
                            loads_in_flight: [4, 1, 2, 8][case % 4],
                            combining: combinings[case % 2],
                            ..Tuning::for_len(&caps, ElementKind::F32, len)
                        },
                        caps,
                    })
                    .unwrap();
                    let real = played_through(&plan, &caps, lanes);
                    assert!(real <= plan.roundings, "{real} roundings in {plan}");
                    tightest = tightest.min(plan.roundings - real);
                    most_windows = most_windows.max(plan.passes[0].dispatches.len());
                }
            }
        }
    }
    // The bound is no mere guess on the safe side.
    assert!(tightest <= 1, "{tightest}");
    assert!(most_windows >= 4, "{most_windows} windows at most");
}

/// Where all subgroups are full, as on most devices, and long accumulators become one of a workgroup by halves.
#[test]
fn halves_round_no_more_than_the_plan_says() {
    let variance = crate::named("variance");
    let mut played = 0;
    for lanes in [4_u32, 8, 32, 64, 128] {
        for workgroup_size in [lanes, 2 * lanes, 8 * lanes] {
            for len in [1, 3, 40, 1023, 4001, 9999] {
                let mut caps = Caps::baseline();
                caps.subgroups = Some(SubgroupSizes { min: lanes, max: lanes });
                caps.max_workgroup_size = 1024;
                caps.workgroup_storage_bytes = 1 << 20;
                let plan = WholePlan::new(&WholeRequest {
                    operation: variance,
                    element: ElementKind::F32,
                    input: parts(len),
                    output_offset_bytes: 0,
                    in_place: false,
                    tuning: Tuning {
                        workgroup_size,
                        max_workgroups: 3,
                        loads_in_flight: 2,
                        combining: Combining::LastToArrive,
                        ..Tuning::for_len(&caps, ElementKind::F32, len)
                    },
                    caps,
                })
                .unwrap();
                let real = played_through(&plan, &caps, lanes as usize);
                assert!(real <= plan.roundings, "{real} roundings in {plan}");
                assert!(plan.passes.iter().all(folds_by_halves), "{plan}");
                played += u64::from(plan.tuning.workgroup_size > lanes);
            }
        }
    }
    assert!(played > 0, "no workgroup was larger than a subgroup");
}

#[test]
fn a_bound_that_says_nothing_is_infinite() {
    let mut caps = Caps::baseline();
    (caps.max_binding_bytes, caps.max_buffer_bytes) = (1 << 31, 1 << 31);
    let plan = WholePlan::new(&WholeRequest {
        operation: OpRecord::ALL[0],
        element: ElementKind::F32,
        input: vec![Part { offset_bytes: 0, len: 1 << 28 }],
        output_offset_bytes: 0,
        in_place: false,
        tuning: Tuning {
            workgroup_size: 1,
            max_workgroups: 1,
            loads_in_flight: 1,
            ..Tuning::for_len(&caps, ElementKind::F32, 1 << 28)
        },
        caps,
    })
    .unwrap();
    assert!(plan.accuracy().error_bound(1.0).is_infinite(), "{plan}");
}
