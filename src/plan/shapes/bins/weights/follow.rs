//! Plans followed on the CPU: every element meets its weight, once, in its channel.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::followed::assert_within;
use crate::plan::planned::Plan;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{RecordedDispatch, WeightsParameters, binding};
use crate::plan::shapes::bins::WeightKind;
use crate::plan::shapes::bins::follow::bound;

/// Neighbours that meet neighbours: part and number of the first element, the same of its weight, and how many.
#[derive(Debug, PartialEq)]
struct Met {
    element: (usize, u64),
    weight: (usize, u64),
    count: u64,
}

/// Appends to what has been met, joined with the last where it goes on there.
fn append(all: &mut Vec<Met>, next: Met) {
    let goes_on = |(part, first), count, after| (part, first + count) == after;
    match all.last_mut() {
        _ if next.count == 0 => {}
        Some(Met { element, weight, count })
            if goes_on(*element, *count, next.element) && goes_on(*weight, *count, next.weight) =>
        {
            *count += next.count;
        }
        _ => all.push(next),
    }
}

/// What is to be met: the inputs side by side.
fn expected(problem: &Problem<'_>, (kind, weights): (WeightKind, &[Part])) -> Vec<Met> {
    let [size, weight_bytes] = [problem.element.size_bytes(), kind.size_bytes()];
    let mut weights = weights.iter().enumerate();
    let mut weight = weights.next();
    let mut taken = 0;
    let mut all = Vec::new();
    for (number, part) in problem.first().iter().enumerate() {
        let mut done = 0;
        while done < part.len {
            let (of_weight, &Part { offset_bytes, len }) = weight.expect("as many weights");
            let count = (part.len - done).min(len - taken);
            let element = (number, part.offset_bytes / size + done);
            let first = (of_weight, offset_bytes / weight_bytes + taken);
            append(&mut all, Met { element, weight: first, count });
            (done, taken) = (done + count, taken + count);
            if taken == len {
                (weight, taken) = (weights.next(), 0);
            }
        }
    }
    all
}

/// What a dispatch has side by side, where so many elements come before.
fn of_dispatch(
    problem: &Problem<'_>,
    (channels, kind): (u32, WeightKind),
    dispatch: &RecordedDispatch,
    before: u64,
) -> Met {
    let WeightsParameters { first, end, delta, workgroups, places } = dispatch.told();
    let phase = places.phase;
    let (part, bytes) = bound(dispatch, binding::SOURCE);
    let (other, of_weights) = bound(dispatch, binding::PARTNER_WORDS);
    assert!(bytes.end % 4 == 0 && of_weights.end % 4 == 0);
    let [x, y, z] = dispatch.grid.map(u64::from);
    assert!(z == 1 && x * y >= workgroups.into() && workgroups >= 1);
    let [size, weight_bytes] = [problem.element.size_bytes(), kind.size_bytes()];
    let count = u64::from(end - first);
    let weight = u64::from(first.wrapping_add(delta));
    assert!(count == 0 || u64::from(end) * size <= bytes.end - bytes.start, "{dispatch:?}");
    let end_of_weights = (weight + count) * weight_bytes;
    assert!(end_of_weights <= of_weights.end - of_weights.start, "{dispatch:?}");
    // A sum beyond 32 bits would begin the channels anew.
    assert!(u64::from(phase) + u64::from(end) <= 1 << 32 || channels.is_power_of_two());
    let channel = u64::from(first.wrapping_add(phase) % channels);
    assert_eq!(channel, before % u64::from(channels), "{dispatch:?}");
    let element = (part, bytes.start / size + u64::from(first));
    let other = other - problem.first().len();
    Met { element, weight: (other, of_weights.start / weight_bytes + weight), count }
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
        append(&mut met, next);
    }
    assert_eq!(met, expected(problem, (kind, weights)), "{plan}");
}
