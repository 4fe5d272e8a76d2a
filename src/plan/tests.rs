//! What users of plans do not see: which constants shaders get.

use super::*;
use crate::element::ElementKind;

/// A plan of `stats` of `f32`, from a device with subgroups and bindings of so many bytes.
fn stats(len: u64, max_binding_bytes: u64) -> Plan {
    let mut caps = Caps::baseline();
    caps.max_binding_bytes = max_binding_bytes;
    let named = OpRecord::ALL.into_iter().find(|record| record.name() == "stats");
    Plan::new(&PlanRequest {
        operation: named.unwrap(),
        element: ElementKind::F32,
        input: vec![Part { offset_bytes: 0, len }],
        output_offset_bytes: 0,
        in_place: false,
        collective: Collective::Subgroup,
        tuning: Tuning::for_len(&caps, ElementKind::F32, len),
        caps,
    })
    .unwrap()
}

#[test]
fn indices_of_two_words_are_for_several_windows_and_for_what_goes_beyond_one_word() {
    let near = stats(1 << 20, 1 << 27);
    assert!(!near.goes_far(), "{near}");
    let windows = stats(1 << 20, 1 << 20);
    assert!(windows.passes[0].dispatches.len() > 1 && windows.goes_far(), "{windows}");
    for (index_end, goes_far) in [(u64::from(u32::MAX), false), (1 << 32, true)] {
        assert_eq!(Plan { index_end, ..near.clone() }.goes_far(), goes_far, "{index_end}");
    }
}
