//! Plans followed on the CPU: every key is looked at once, and what is found has its place.

use super::{ByKeyPlan, ByKeyRequest, ByKeyShader};
use crate::caps::Caps;
use crate::element::ElementKind;
use crate::limits::tests::{anything, assert_within, devices};
use crate::op::OpRecord;
use crate::plan::Part;
use crate::recording::{RecordedDispatch, RecordedPass, binding};
use crate::segments::tests::{any_tuning, assert_covers, bound, parts_of, tuning_or, workgroups};
use crate::segments::{self, SegmentsRequest};
use crate::shader::Shader;
use proptest::prelude::*;

fn shader(pass: &RecordedPass) -> Option<&ByKeyShader> {
    match &pass.shader {
        Shader::ByKey(shader) => Some(shader),
        _ => None,
    }
}

fn constant(pass: &RecordedPass, name: &str) -> u64 {
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
fn check_finder(request: &ByKeyRequest, passes: &[RecordedPass]) {
    let Part { offset_bytes, len } = request.keys;
    let [heads, places, runs, ..] = passes else { panic!("{passes:?}") };
    let [of_heads, of_places, of_runs] = [heads, places, runs].map(|pass| &pass.dispatches[0]);
    let &[first, end, tiles, of_share, ..] = &of_heads.parameters[..] else {
        panic!("{of_heads:?}")
    };
    assert_eq!(u64::from(end - first), len);
    for dispatch in [of_heads, of_runs] {
        assert_covers(bound(dispatch, binding::SOURCE), first, offset_bytes, [len, 4]);
    }
    let shares = u64::from(of_places.parameters[0]);
    let size = constant(heads, "WORKGROUP_SIZE");
    let split = [tiles, of_share].map(u64::from);
    // A word of bits for each invocation of a tile.
    assert_shared(end.into(), 32 * size, [split[0], split[1], shares]);
    assert!(workgroups(of_heads) >= shares && workgroups(of_runs) >= shares);
    let words = split[0] * size;
    assert_eq!(
        of_runs.parameters[1..3].iter().map(|&n| n.into()).collect::<Vec<u64>>(),
        [words, split[1] * size]
    );
    assert_covers(bound(of_heads, binding::TARGET), 0, 0, [words, 4]);
    assert_covers(bound(of_heads, binding::PARTIALS), 0, 0, [shares, 4]);
    assert_covers(bound(of_places, binding::PARTIALS), 0, 0, [shares + 1, 4]);
    assert_covers(bound(of_runs, binding::TARGET), 0, 0, [len + 1, 4]);
    if let Some([_, keys, count]) = request.output_offsets_bytes {
        let [of_keys, of_count] = [of_runs.parameters[3], of_places.parameters[2]];
        assert_covers(bound(of_runs, binding::PARTIALS), of_keys, keys, [len, 4]);
        assert_covers(bound(of_places, binding::ARRIVALS), of_count, count, [1, 4]);
    }
}

/// The passes that fold runs where they find them.
fn check_at_once(request: &ByKeyRequest, passes: &[RecordedPass]) {
    let Part { offset_bytes, len } = request.keys;
    let [lists, join, gather, again] = passes else { panic!("{passes:?}") };
    let shares = u64::from(join.dispatches[0].parameters[0]);
    let check_fold = |pass: &RecordedPass, dispatch: &RecordedDispatch| {
        let &[keys, values, of_fold, tiles, of_share, places, ..] = &dispatch.parameters[..] else {
            panic!("{dispatch:?}")
        };
        assert_eq!(u64::from(of_fold), len);
        // An invocation has 16 of each tile.
        let tile = 16 * constant(pass, "WORKGROUP_SIZE");
        assert_shared(len, tile, [tiles.into(), of_share.into(), shares]);
        assert_covers(bound(dispatch, binding::SOURCE), keys, offset_bytes, [len, 4]);
        let first = request.values[0].offset_bytes;
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

fn check(request: &ByKeyRequest, plan: &ByKeyPlan) {
    let recording = &plan.runs.recording;
    assert_within(recording, &request.caps);
    match recording.passes.first().and_then(shader) {
        Some(ByKeyShader::Fold(_)) => return check_at_once(request, &recording.passes),
        // Of no keys there is one pass, which says that there are no runs.
        Some(ByKeyShader::Places) => assert_eq!(request.keys.len, 0),
        _ => check_finder(request, &recording.passes),
    }
    // Where it says how many there are is not looked at.
    let of_segments = SegmentsRequest {
        operation: request.operation,
        element: request.element,
        input: request.values.clone(),
        offsets: Part { offset_bytes: 0, len: request.keys.len + 1 },
        count_offset_bytes: Some(0),
        output_offset_bytes: request.output_offsets_bytes.map(|[results, ..]| results),
        tuning: request.tuning,
        caps: request.caps,
    };
    segments::tests::check(&of_segments, &plan.segments);
}

fn request(
    operation: &'static OpRecord,
    element: ElementKind,
    values: Vec<Part>,
    caps: Caps,
) -> ByKeyRequest {
    let len = values.iter().fold(0_u64, |sum, part| sum.saturating_add(part.len));
    ByKeyRequest {
        operation,
        element,
        values,
        keys: Part { offset_bytes: 8, len },
        keys_are_floats: false,
        output_offsets_bytes: None,
        tuning: tuning_or(None, &caps, element),
        caps,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Of any device with any tuning, where there is a plan.
    #[test]
    fn keys_are_looked_at_once_on_any_device(
        caps in devices(),
        operation in prop::sample::select(OpRecord::ALL.to_vec()),
        element in prop::sample::select(ElementKind::ALL.to_vec()),
        values in prop::collection::vec(
            (anything(&[0, 3, 64]), anything(&[0, 1, 5000, 1 << 20])), 0..3,
        ),
        keys in anything(&[0, 8, 256]),
        outputs in prop::option::of((anything(&[0, 24]), anything(&[0, 4]), anything(&[0, 256]))),
        tuning in prop::option::of(any_tuning()),
    ) {
        let values = parts_of(&values, element.size_bytes());
        let mut request = request(operation, element, values, caps);
        request.keys.offset_bytes = keys;
        request.output_offsets_bytes = outputs.map(|(results, keys, count)| [results, keys, count]);
        request.tuning = tuning_or(tuning, &caps, element);
        if let Ok(plan) = ByKeyPlan::new(&request) {
            check(&request, &plan);
        }
    }
}

/// So that the test above sees more than refusals: of either way, and of no keys.
#[test]
fn usual_requests_are_checked() {
    for operation in OpRecord::ALL {
        for element in ElementKind::ALL.into_iter().filter(|&element| operation.takes(element)) {
            for len in [0, 1, 5000, 1 << 20] {
                let caps = Caps { f64: true, ..Caps::baseline() };
                let request =
                    request(operation, element, vec![Part { offset_bytes: 0, len }], caps);
                check(&request, &ByKeyPlan::new(&request).unwrap());
            }
        }
    }
}
