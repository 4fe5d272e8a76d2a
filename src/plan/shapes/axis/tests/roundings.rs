//! The bound of roundings, against the kernels' order of additions of `f32`, played through.
//!
//! A value is represented by the roundings behind it; the identity has none and adds none.

use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::{Caps, SubgroupSizes};
use crate::plan::cut::part::Part;
use crate::plan::followed::Case;
use crate::plan::planned::Plan;
use crate::plan::problem::{Ends, Problem};
use crate::plan::recording::{Place, binding};
use crate::plan::shapes::axis::follow::{Run, run};
use crate::plan::shapes::axis::{AxisKernel, AxisTuning, View};
use crate::shader::Shader;
use std::collections::HashMap;

pub(crate) type Depth = Option<u64>;

pub(crate) fn combine(a: Depth, b: Depth) -> Depth {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b) + 1),
        (depth, None) | (None, depth) => depth,
    }
}

/// Four elements, added by pairs.
pub(crate) const QUAD: Depth = Some(2);

/// By distances that are halved: axis/workgroup.wgsl.
fn halved(mut slots: Vec<Depth>) -> Depth {
    let mut distance = slots.len() / 2;
    while distance > 0 {
        for member in 0..distance {
            slots[member] = combine(slots[member], slots[member + distance]);
        }
        distance /= 2;
    }
    slots[0]
}

/// By distances that are doubled, past whose end there is something else, too: axis/subgroup.wgsl.
fn doubled(mut lanes: Vec<Depth>) -> Depth {
    let mut distance = 1;
    while distance < lanes.len() {
        let before = lanes.clone();
        for (lane, total) in lanes.iter_mut().enumerate() {
            *total = combine(*total, before.get(lane + distance).copied().flatten());
        }
        distance *= 2;
    }
    lanes[0]
}

/// `combine_team`.
fn team(lanes: Vec<Depth>, subgroup_size: Option<usize>) -> Depth {
    match subgroup_size {
        None => halved(lanes),
        Some(size) => doubled(lanes.chunks(size).map(|lanes| doubled(lanes.to_vec())).collect()),
    }
}

/// What axis/rows.wgsl makes of a row of `f32`, by one lane.
fn lane_of_row(run: &Run<'_>, row: u32, part: u32, lane: u32) -> Depth {
    let (first, share) = (run.first(row), run.told().share);
    let end = first + run.told().length;
    let quads = run.flag("QUADS");
    let (units, of_unit) = if quads { (4, QUAD) } else { (1, Some(0)) };
    let (begin_unit, end_unit) = (first.div_ceil(units), end / units);
    let begin = begin_unit + part * share;
    let to = if run.flag("SHARED") { end_unit.min(begin + share) } else { end_unit };
    let (lanes, loads) = (run.constant("LANES"), run.constant("LOADS"));
    let mut total = None;
    for at in (begin + lane..to).step_by((lanes * loads) as usize) {
        let of_tile = (0..loads).filter(|load| at + load * lanes < to);
        total = combine(total, of_tile.fold(None, |sum, _| combine(sum, of_unit)));
    }
    if quads && !run.flag("ALIGNED") && part == 0 {
        let ends = begin_unit * units - first + end - end_unit * units;
        for _ in (lane..ends).step_by(lanes as usize) {
            total = combine(total, Some(0));
        }
    }
    total
}

/// What axis/columns.wgsl makes of elements of one column, by one lane.
fn lane_of_column(run: &Run<'_>, part: u32, lane: u32) -> Depth {
    let (share, lanes) = (run.told().share, run.constant("LANES"));
    let end = run.told().length.min((part + 1) * share);
    let mut at = part * share + lane;
    let mut total = None;
    while at + 3 * lanes < end {
        total = combine(total, QUAD);
        at += 4 * lanes;
    }
    (at..end).step_by(lanes as usize).fold(total, |total, _| combine(total, Some(0)))
}

type Memory = HashMap<(Place, u64), Depth>;

/// The roundings behind an item.
fn item(
    run: &Run<'_>,
    subgroup_size: Option<usize>,
    (row, part): (u32, u32),
    memory: &Memory,
) -> Depth {
    let lanes = |of_lane: &dyn Fn(u32) -> Depth| {
        team((0..run.constant("LANES")).map(of_lane).collect(), subgroup_size)
    };
    match run.kernel {
        AxisKernel::Packed => Some(u64::from(run.constant("LENGTH")) - 1),
        AxisKernel::Rows => lanes(&|lane| lane_of_row(run, row, part, lane)),
        AxisKernel::Columns | AxisKernel::Pairs | AxisKernel::Masked => {
            lanes(&|lane| lane_of_column(run, part, lane))
        }
        AxisKernel::Parts => {
            let place = run.binding(binding::SOURCE).0;
            let (length, stride) = (run.told().length, run.told().stride);
            lanes(&|lane| {
                let own = (lane..length).step_by(run.constant("LANES") as usize);
                let at = |i: u32| memory[&(place, u64::from(row) + u64::from(i * stride))];
                own.fold(None, |sum, i| combine(sum, at(i)))
            })
        }
    }
}

/// Columns of a block share their order, so one of them stands for all.
fn rows_of(run: &Run<'_>, item: u32) -> Vec<u32> {
    if matches!(run.kernel, AxisKernel::Rows | AxisKernel::Packed | AxisKernel::Parts) {
        return vec![item];
    }
    let (units, tiles, width) = (run.told().units, run.told().tiles, run.constant("SPREAD"));
    let columns = if run.flag("WIDE") { 4 } else { 1 };
    let first = item % tiles * width;
    let of_block = first..units.min(first + width);
    of_block
        .flat_map(|unit| (0..columns).map(move |c| columns * (item / tiles * units + unit) + c))
        .collect()
}

/// Most roundings behind any result of a plan.
fn played_through(problem: &Problem<'_>, plan: &Plan) -> u64 {
    let mut memory = Memory::new();
    let mut most = 0;
    for pass in &plan.recording.passes {
        for dispatch in &pass.dispatches {
            let run = run(problem, pass, dispatch);
            let size = run.constants.get("SUBGROUP_SIZE").map(|&size| size as usize);
            let (rows, parts) = (run.told().rows, run.told().parts);
            let (first_slot, part_slots) = (run.told().first_slot, run.told().part_slots);
            let place = run.binding(binding::TARGET).0;
            for of_item in (0..rows).flat_map(|row| (0..parts).map(move |part| (row, part))) {
                let depth = item(&run, size, of_item, &memory);
                if run.finishes {
                    most = most.max(depth.unwrap_or(0));
                    continue;
                }
                for row in rows_of(&run, of_item.0) {
                    let slot = first_slot + of_item.1 * part_slots + row;
                    memory.insert((place, slot.into()), depth);
                }
            }
        }
    }
    most
}

fn requests() -> Vec<Case<'static>> {
    let ample = Caps::baseline();
    let mut tight = ample;
    tight.max_binding_bytes = 4096;
    let subgroups = Caps { subgroups: Some(SubgroupSizes { min: 8, max: 8 }), ..ample };
    let of_gpu = |caps: &Caps| AxisTuning {
        workgroup_size: 64,
        invocations: 1 << 12,
        max_workgroups: 100,
        loads_in_flight: 8,
        rows_in_flight: 4,
        ..AxisTuning::for_caps(caps)
    };
    let mut all = Vec::new();
    for caps in [ample, tight, subgroups] {
        let small = AxisTuning { workgroup_size: 8, invocations: 1, ..of_gpu(&caps) };
        for tuning in [AxisTuning::for_caps(&caps), of_gpu(&caps), small] {
            for (rows, columns) in [
                (1, 1),
                (4, 2),
                (300, 5),
                (33, 100),
                (5, 1021),
                (3, 4097),
                (1, 20_011),
                (16, 512),
                (7, 64),
                (2, 4096),
            ] {
                for (axis, in_place) in [(0, false), (1, false), (1, true)] {
                    let parts = [(16, 2000), (8, 1 << 20)];
                    let parts = parts.map(|(offset_bytes, len)| Part { offset_bytes, len });
                    let view = View::new(&[rows, columns]).unwrap();
                    let by = |operation, inputs| {
                        let problem = Problem::by(operation, ElementKind::F32, 0);
                        problem.parts(vec![parts.to_vec(); inputs]).along(view, axis).tuned(tuning)
                    };
                    let ends = Ends { in_place, ..Ends::default() };
                    let sums = by(OpRecord::ALL[0], 1);
                    let masked = sums.clone().masked(parts.to_vec());
                    for problem in [sums, masked, by(OpRecord::PAIRS[0], 2)] {
                        all.push(Case { problem: Problem { ends, ..problem }, caps });
                    }
                }
            }
        }
    }
    all
}

#[test]
fn no_element_passes_through_more_roundings_than_the_plan_says() {
    let mut tightest = HashMap::new();
    for request in requests() {
        let plan = request.plan().unwrap();
        let real = played_through(&request.problem, &plan);
        assert!(real <= plan.roundings, "{real} roundings in {plan}");
        assert_eq!(plan.accuracy().roundings, plan.roundings);
        let kernel = match &plan.passes()[0].shader {
            Shader::Axis(shader) => format!("{:?}", shader.kernel),
            other => panic!("{other}"),
        };
        let tightest = tightest.entry((kernel, plan.passes().len() > 1)).or_insert(u64::MAX);
        *tightest = (*tightest).min(plan.roundings - real);
    }
    // The bounds are no mere guesses on the safe side, of one pass and of two, of each kernel.
    assert!(tightest.len() >= 8, "{tightest:?}");
    assert!(tightest.values().all(|&slack| slack <= 3), "{tightest:?}");
}
