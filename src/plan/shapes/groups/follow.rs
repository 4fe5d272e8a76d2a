//! Plans followed on the CPU: in each pass that merges, every element meets its key, once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use crate::plan::caps::Caps;
use crate::plan::followed::assert_within;
use crate::plan::followed::met::Met;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::planners::constant;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{
    GroupsFinishParameters, GroupsParameters, GroupsSampleParameters, PlannedPass, binding,
};
use crate::plan::shapes::groups::{Grouped, GroupsShader};
use crate::shader::Shader;

/// Words of a pass's constants.
fn told(pass: &PlannedPass, name: &str) -> u32 {
    constant(pass, name).unwrap_or_else(|| panic!("{pass} is not told {name}"))
}

/// Panics unless the plan's passes have each element with its key, in order, none twice, slots have room, totals become results, and
/// no loop takes more turns.
pub(crate) fn check(problem: &Problem<'_>, plan: &Plan, caps: &Caps, most_turns: u32) {
    assert_within(&plan.recording, caps);
    let Shape::Groups(grouped) = problem.shape else { panic!("{problem:?}") };
    let (finish, before) = plan.recording.passes.split_last().expect("there is a last pass");
    let mut rounds = 0;
    for pass in before {
        match pass.shader {
            Shader::Groups(GroupsShader::Sample(_)) => check_sample(pass),
            Shader::Groups(GroupsShader::Merge(parts, _)) => {
                assert_eq!(constant(pass, "ROUND").unwrap_or(rounds), rounds, "{plan}");
                let slot_words = parts.kept_words() + u32::from(told(pass, "BESIDE") > 0);
                check_slots(pass, slot_words, grouped, caps);
                check_merged(problem, (plan, pass), grouped, most_turns);
                rounds += 1;
            }
            _ => panic!("{pass} in {plan}"),
        }
    }
    assert_eq!(rounds > 0, plan.len > 0, "{plan}");
    check_finish(finish, plan, grouped);
}

/// Each element of the sample is one of the window.
fn check_sample(pass: &PlannedPass) {
    let [dispatch] = &pass.dispatches[..] else { panic!("{pass} has one dispatch") };
    let GroupsSampleParameters { first, stride, count } = dispatch.told();
    let last = u64::from(first) + u64::from(stride) * u64::from(count.max(1) - 1);
    let bytes = dispatch.bound(binding::SOURCE).and_then(|bound| bound.bytes.clone()).unwrap();
    assert!(last < bytes.end - bytes.start, "{dispatch:?}");
}

/// Slots are as many as their groups at least, or a power of two, and fit the memory.
fn check_slots(pass: &PlannedPass, slot_words: u32, grouped: Grouped<'_>, caps: &Caps) {
    let (slots, words) = (told(pass, "SLOTS"), told(pass, "WORDS"));
    assert_eq!(slots * slot_words, words, "{pass}");
    let owners = if let Some(copies) = constant(pass, "COPIES") {
        assert!(slots >= grouped.groups * copies && slots.is_multiple_of(copies), "{pass}");
        0
    } else {
        assert!(slots.is_power_of_two() && slots >= 2, "{pass}");
        slots
    };
    assert!(4 * (words + owners) <= caps.workgroup_storage_bytes, "{pass}");
}

fn check_merged(
    problem: &Problem<'_>,
    (plan, pass): (&Plan, &PlannedPass),
    grouped: Grouped<'_>,
    most_turns: u32,
) {
    let size = u64::from(told(pass, "WORKGROUP_SIZE"));
    let sizes = [problem.element.size_bytes(), grouped.key_bytes];
    assert_eq!(u64::from(told(pass, "KEY_BYTES")), grouped.key_bytes);
    let (mut met, mut before) = (Vec::new(), 0_u64);
    for dispatch in &pass.dispatches {
        let GroupsParameters { first, end, delta, base, workgroups, groups } = dispatch.told();
        assert_eq!(groups, grouped.groups);
        let [x, y, z] = dispatch.grid.map(u64::from);
        assert!(z == 1 && x * y >= workgroups.into() && workgroups >= 1, "{dispatch:?}");
        assert_eq!(u64::from(first.wrapping_add(base)), before, "{plan}");
        let next = Met::of(dispatch, ([first, end], delta), sizes, problem.first().len());
        before += next.count;
        let turns = next.count.div_ceil(u64::from(workgroups) * size * 4);
        assert!(turns <= most_turns.into(), "{turns} turns of {plan}");
        next.append_to(&mut met);
    }
    assert_eq!(met, Met::expected([problem.first(), grouped.keys], sizes), "{plan}");
}

/// Every group has a result, and room in the report where lengths are told.
fn check_finish(pass: &PlannedPass, plan: &Plan, grouped: Grouped<'_>) {
    let Outputs::Groups(layout) = plan.outputs else { panic!("{plan}") };
    let [dispatch] = &pass.dispatches[..] else { panic!("{pass} has one dispatch") };
    let finished: GroupsFinishParameters = dispatch.told();
    let [x, y, _] = dispatch.grid;
    assert_eq!(finished.groups, grouped.groups, "{plan}");
    assert_eq!(finished.invocations, x * y * told(pass, "WORKGROUP_SIZE"), "{plan}");
    let bytes = |binding| dispatch.bound(binding).and_then(|bound| bound.bytes.clone());
    let results = bytes(binding::TARGET).map_or(0, |bytes| bytes.end - bytes.start);
    let end = u64::from(finished.first_slot + finished.groups) * plan.result_bytes;
    assert!(end <= results || finished.groups == 0, "{plan}");
    let report = bytes(binding::PARTIALS).unwrap();
    let words = if finished.has_lengths != 0 { layout.report_words() } else { 1 };
    assert!(4 * words <= report.end - report.start, "{plan}");
}
