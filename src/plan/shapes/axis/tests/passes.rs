//! What passes there are, and what is between them.

use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::followed::Case;
use crate::plan::planned::Plan;
use crate::plan::shapes::axis::tests::{check, devices, request};
use crate::plan::shapes::axis::{AxisTuning, View};

fn sum(shape: &[u64], axis: usize, caps: Caps) -> Case<'static> {
    request(View::new(shape).unwrap(), axis, caps, 0, ElementKind::F32)
}

fn plan(request: &Case<'_>) -> Plan {
    check(request);
    request.plan().unwrap()
}

/// Partials of several rows take at most so many bytes; those of one as many as they need.
#[test]
fn partials_are_of_as_many_rows_as_there_is_room_for() {
    let mut request = sum(&[4, 1 << 20], 1, Caps::baseline());
    let ample = plan(&request);
    let bytes = ample.recording.scratch[0].bytes;
    let most = |bytes| {
        let tuning = AxisTuning::for_caps(&Caps::baseline());
        AxisTuning { max_partial_bytes: bytes, ..tuning }
    };
    request.tune(most(bytes));
    assert_eq!(plan(&request).passes(), ample.passes());
    request.tune(most(bytes - 1));
    let in_turn = plan(&request);
    assert!(in_turn.recording.scratch[0].bytes < bytes, "{in_turn}");

    let mut request = sum(&[1, 1 << 20], 1, Caps::baseline());
    let ample = plan(&request);
    request.tune(most(4));
    assert!(ample.recording.scratch[0].bytes > 4, "{ample}");
    assert_eq!(plan(&request).passes(), ample.passes());
}

#[test]
fn dispatches_that_follow_each_other_with_one_shader_are_one_pass() {
    for caps in devices() {
        let plan = plan(&sum(&[64, 4096], 1, caps));
        let passes = &plan.recording.passes;
        for two in passes.windows(2) {
            let is_same = two[0].shader == two[1].shader && two[0].constants == two[1].constants;
            assert!(!is_same, "{plan}");
        }
        let dispatches: usize = passes.iter().map(|pass| pass.dispatches.len()).sum();
        assert!(caps.max_binding_bytes > 4096 || dispatches > passes.len(), "{plan}");
    }
}

/// Where the first result lies at a whole quad, and each is there after one pass.
#[test]
fn columns_leave_four_results_at_a_time() {
    let leaves_quads = |output_offset_bytes| {
        let mut request = sum(&[16, 1 << 16], 0, Caps::baseline());
        request.read(vec![Part { offset_bytes: 0, len: 1 << 40 }]);
        request.leave_at(output_offset_bytes);
        let plan = plan(&request);
        format!("{:?}", plan.recording.passes[0].shader).contains("stores_quads: true")
    };
    assert!(leaves_quads(0) && leaves_quads(256));
    assert!(!leaves_quads(4) && !leaves_quads(260));
}
