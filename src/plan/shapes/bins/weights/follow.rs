//! Plans followed on the CPU: every element meets its weight, once, in its channel.

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
use crate::plan::planned::Plan;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{RecordedDispatch, WeightsParameters};
use crate::plan::shapes::bins::WeightKind;

/// What a dispatch has side by side, where so many elements come before.
fn of_dispatch(
    problem: &Problem<'_>,
    (channels, kind): (u32, WeightKind),
    dispatch: &RecordedDispatch,
    before: u64,
) -> Met {
    let WeightsParameters { first, end, delta, workgroups, places } = dispatch.told();
    let phase = places.phase;
    let [x, y, z] = dispatch.grid.map(u64::from);
    assert!(z == 1 && x * y >= workgroups.into() && workgroups >= 1);
    let sizes = [problem.element.size_bytes(), kind.size_bytes()];
    let met = Met::of(dispatch, ([first, end], delta), sizes, problem.first().len());
    // A sum beyond 32 bits would begin the channels anew.
    assert!(u64::from(phase) + u64::from(end) <= 1 << 32 || channels.is_power_of_two());
    let channel = u64::from(first.wrapping_add(phase) % channels);
    assert_eq!(channel, before % u64::from(channels), "{dispatch:?}");
    met
}

/// Panics unless the plan's dispatches have each element with its weight, in order, none twice, each in its channel, and no
/// loop takes more turns.
pub(crate) fn check(problem: &Problem<'_>, plan: &Plan, caps: &Caps, most_turns: u32) {
    assert_within(&plan.recording, caps);
    let Shape::Weights(_, channels, kind, weights) = problem.shape else { panic!("{problem:?}") };
    let size = plan.tuning.histogram().expect("it is that of a histogram").workgroup_size;
    let (mut met, mut before) = (Vec::new(), 0);
    let (_, adding) = plan.recording.passes.split_last().expect("there is a last pass");
    for dispatch in adding.iter().flat_map(|pass| &pass.dispatches) {
        let next = of_dispatch(problem, (channels, kind), dispatch, before);
        before += next.count;
        let workgroups = u64::from(dispatch.told::<WeightsParameters>().workgroups);
        let turns = next.count.div_ceil(workgroups * u64::from(size));
        assert!(turns <= most_turns.into(), "{turns} turns of {plan}");
        next.append_to(&mut met);
    }
    let sizes = [problem.element.size_bytes(), kind.size_bytes()];
    assert_eq!(met, Met::expected([problem.first(), weights], sizes), "{plan}");
}
