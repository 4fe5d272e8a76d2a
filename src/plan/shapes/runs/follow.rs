//! Plans followed on the CPU: every key is looked at once, and what is found has its place.

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
use crate::plan::recording::{
    HeadsParameters, JoinParameters, KeysParameters, Place, PlacesParameters, PlannedPass,
    RecordedDispatch, RunsParameters, binding,
};
use crate::plan::shapes::runs::{ByKeyShader, KeyPart};
use crate::plan::shapes::segments;
use crate::plan::shapes::segments::follow::{assert_covers, bound, workgroups};
use crate::shader::Shader;

pub(crate) fn shader(pass: &PlannedPass) -> Option<&ByKeyShader> {
    match &pass.shader {
        Shader::ByKey(shader) => Some(shader),
        _ => None,
    }
}

pub(crate) fn constant(pass: &PlannedPass, name: &str) -> u64 {
    let mut constants = pass.constants.iter();
    constants.find(|(other, _)| *other == name).unwrap_or_else(|| panic!("{pass:?}")).1.into()
}

/// So many tiles are all keys, and so many shares all tiles, none of them without any.
fn assert_shared(len: u64, tile: u64, [tiles, of_share, shares]: [u64; 3]) {
    assert!(
        tiles * tile >= len && tiles.saturating_sub(1) * tile < len.max(1),
        "{tiles} of {tile}"
    );
    assert!(shares * of_share >= tiles, "{shares} shares of {of_share}");
    assert!(tiles == 0 || (shares - 1) * of_share < tiles, "{shares} shares of {of_share}");
}

/// The passes that find runs, in front of those of segments.
fn check_finder(problem: &Problem<'_>, of_keys: KeyPart, passes: &[PlannedPass]) {
    let Part { offset_bytes, len } = of_keys.place;
    let [heads, places, runs, ..] = passes else { panic!("{passes:?}") };
    let [of_heads, of_places, of_runs] = [heads, places, runs].map(|pass| &pass.dispatches[0]);
    let HeadsParameters {
        first_key: first, end_key: end, tiles, tiles_per_share: of_share, ..
    } = of_heads.told();
    let (told_places, told_runs): (PlacesParameters, RunsParameters) =
        (of_places.told(), of_runs.told());
    assert_eq!(u64::from(end - first), len);
    for dispatch in [of_heads, of_runs] {
        let keys = bound(dispatch, binding::SOURCE);
        assert_covers(keys, first, offset_bytes, [len, of_keys.bytes]);
    }
    for pass in [heads, runs] {
        assert_eq!(4 * constant(pass, "KEY_WORDS"), of_keys.bytes);
    }
    let shares = u64::from(told_places.shares);
    let size = constant(heads, "WORKGROUP_SIZE");
    let split = [tiles, of_share].map(u64::from);
    // A word of bits for each invocation of a tile.
    assert_shared(end.into(), 32 * size, [split[0], split[1], shares]);
    assert!(workgroups(of_heads) >= shares && workgroups(of_runs) >= shares);
    let words = split[0] * size;
    assert_eq!(
        [told_runs.words, told_runs.words_per_share].map(u64::from),
        [words, split[1] * size]
    );
    assert_covers(bound(of_heads, binding::TARGET), 0, 0, [words, 4]);
    assert_covers(bound(of_heads, binding::PARTIALS), 0, 0, [shares, 4]);
    assert_covers(bound(of_places, binding::PARTIALS), 0, 0, [shares + 1, 4]);
    assert_covers(bound(of_runs, binding::TARGET), 0, 0, [len + 1, 4]);
    if let Some([_, keys, count]) = problem.ends.output_offsets_bytes {
        let (key, of_count) = (told_runs.key_slot, told_places.count_slot);
        assert_covers(bound(of_runs, binding::PARTIALS), key, keys, [len, of_keys.bytes]);
        assert_covers(bound(of_places, binding::ARRIVALS), of_count, count, [1, 4]);
    }
}

/// The passes that fold runs where they find them.
fn check_at_once(problem: &Problem<'_>, keys: Part, passes: &[PlannedPass]) {
    let Part { offset_bytes, len } = keys;
    let [lists, join, gather, again] = passes else { panic!("{passes:?}") };
    let shares = u64::from(join.dispatches[0].told::<JoinParameters>().shares);
    let check_fold = |pass: &PlannedPass, dispatch: &RecordedDispatch| {
        let told: KeysParameters = dispatch.told();
        let KeysParameters { first_key: keys, first_value: values, len: of_fold, tiles, .. } = told;
        let (of_share, places) = (told.tiles_per_share, told.room);
        assert_eq!(u64::from(of_fold), len);
        // An invocation has 16 of each tile.
        let tile = 16 * constant(pass, "WORKGROUP_SIZE");
        assert_shared(len, tile, [tiles.into(), of_share.into(), shares]);
        assert_covers(bound(dispatch, binding::SOURCE), keys, offset_bytes, [len, 4]);
        let first = problem.first()[0].offset_bytes;
        assert_covers(bound(dispatch, binding::PARTNER_WORDS), values, first, [len, 4]);
        assert!(workgroups(dispatch) >= shares);
        u64::from(places) * shares
    };
    let places = check_fold(lists, &lists.dispatches[0]);
    assert_eq!(check_fold(again, &again.dispatches[0]), places);
    for list in [binding::TARGET, binding::ARRIVALS] {
        assert_covers(bound(&lists.dispatches[0], list), 0, 0, [places, 4]);
    }
    assert_covers(bound(&join.dispatches[0], binding::PARTIALS), 0, 0, [4 * shares, 4]);
    assert!(workgroups(&gather.dispatches[0]) >= shares);
}

/// Panics unless every key is looked at once, and what is found has its place.
pub(crate) fn check(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
    let recording = &plan.recording;
    assert_within(recording, caps);
    let Shape::Runs(keys) = problem.shape else { panic!("{problem:?}") };
    match recording.passes.first().and_then(shader) {
        Some(ByKeyShader::Fold(_)) => return check_at_once(problem, keys.place, &recording.passes),
        // Without keys there is one pass, which says that there are no runs.
        Some(ByKeyShader::Places) => assert_eq!(keys.place.len, 0),
        _ => check_finder(problem, keys, &recording.passes),
    }
    let of_places = recording.passes.iter().find(|pass| shader(pass) == Some(&ByKeyShader::Places));
    let shares = of_places.unwrap().dispatches[0].told::<PlacesParameters>().shares;
    let offsets = Part { offset_bytes: 0, len: keys.place.len + 1 };
    let shape = Shape::Segments(offsets, Some(4 * u64::from(shares)));
    let of_segments = problem.clone().shaped(shape);
    let planned = of_segments.plan(caps).unwrap();
    segments::follow::check(&of_segments, &planned, caps);
    // They end with the same passes, but for where offsets and their number lie.
    let of_runs = recording.passes.len() - planned.passes().len();
    for (pass, other) in recording.passes[of_runs..].iter().zip(planned.passes()) {
        assert_eq!((&pass.shader, &pass.constants), (&other.shader, &other.constants), "{plan}");
        let told = |pass: &PlannedPass| {
            let of_one = |it: &RecordedDispatch| (it.parameters.clone(), it.grid);
            pass.dispatches.iter().map(of_one).collect::<Vec<_>>()
        };
        assert_eq!(told(pass), told(other), "{plan}");
        let bound = |pass: &PlannedPass| {
            let all = pass.dispatches.clone().into_iter();
            all.flat_map(|dispatch| dispatch.bindings).collect::<Vec<_>>()
        };
        for (bound, of_segments) in bound(pass).iter().zip(bound(other)) {
            assert_eq!((bound.binding, &bound.bytes), (of_segments.binding, &of_segments.bytes));
            let is_found =
                matches!(of_segments.place, Place::Input(at) if at >= problem.first().len());
            assert!(is_found || bound.place == of_segments.place, "{bound:?} in {plan}");
            assert!(!is_found || matches!(bound.place, Place::Scratch(_)), "{bound:?} in {plan}");
        }
    }
}
