//! Plans of matrices and views of all shapes, on devices of all kinds, followed on the CPU.

mod passes;
pub(crate) mod roundings;

use crate::error::Error;
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::{Caps, SubgroupSizes};
use crate::plan::cut::part::Part;
use crate::plan::followed::Case;
use crate::plan::limits::tests::{anything, devices as any_device, low};
use crate::plan::problem::Problem;
use crate::plan::shapes::axis::follow::run;
use crate::plan::shapes::axis::view::MAX_DIMENSIONS;
use crate::plan::shapes::axis::{Axes, AxisKernel, AxisTuning, Matrix, View, follow};
use proptest::prelude::*;

fn check(request: &Case<'_>) {
    let plan = request.plan().unwrap_or_else(|error| panic!("{request:?}: {error}"));
    follow::check(&request.problem, &plan, &request.caps);
}

/// Devices: one with ample limits, one with tight ones, one with subgroups, one that leaves loops early.
fn devices() -> Vec<Caps> {
    let ample = Caps::baseline();
    let mut tight = ample;
    tight.max_binding_bytes = 4096;
    tight.max_workgroups_per_dimension = 3;
    tight.storage_alignment_bytes = 64;
    let subgroups = Caps { subgroups: Some(SubgroupSizes { min: 32, max: 32 }), ..tight };
    let hasty = Caps { max_loop_turns: 3000, max_workgroups_per_dimension: 30, ..ample };
    vec![ample, tight, subgroups, hasty]
}

fn request(
    view: View,
    axes: impl Axes,
    caps: Caps,
    operation: usize,
    element: ElementKind,
) -> Case<'static> {
    let part = Part { offset_bytes: 3 * element.size_bytes(), len: 1 << 40 };
    let problem = Problem::by(OpRecord::ALL[operation], element, 0).parts(vec![vec![part]]);
    Case { problem: problem.along(view, axes), caps }
}

/// What a request reads beside its input.
#[derive(Debug, Clone, Copy)]
enum With {
    Nothing,
    Partners,
    Mask,
}

const WITH: [With; 3] = [With::Nothing, With::Partners, With::Mask];

impl With {
    /// Makes it read that, in parts with so many elements before a last one that makes up for them.
    fn add(self, request: &mut Case<'_>, before: &[u64]) {
        let element = request.problem.element;
        let len: u64 = request.problem.first().iter().map(|part| part.len).sum();
        let bytes = if matches!(self, Self::Mask) { 1 } else { element.size_bytes() };
        let mut parts: Vec<_> = before
            .iter()
            .zip([5, 0, 64].into_iter().cycle())
            .map(|(&len, offset)| Part { offset_bytes: offset * bytes, len })
            .collect();
        let rest = len - before.iter().sum::<u64>();
        parts.push(Part { offset_bytes: 7 * bytes, len: rest });
        match self {
            Self::Mask => request.problem.mask = Some(parts.into()),
            Self::Partners if OpRecord::PAIRS[0].takes(element) => {
                let first = request.problem.first().to_vec();
                let pairs = Problem::by(OpRecord::PAIRS[0], element, 0).parts(vec![first, parts]);
                let Problem { fold, inputs, .. } = pairs;
                (request.problem.fold, request.problem.inputs) = (fold, inputs);
            }
            Self::Nothing | Self::Partners => {}
        }
    }
}

const ELEMENTS: [ElementKind; 4] =
    [ElementKind::F32, ElementKind::U8, ElementKind::I16, ElementKind::I64];

/// Rows of exact sums may take a turn for each quad, and one for each of its elements, before a device leaves loops.
#[test]
fn exact_sums_leave_no_loop_early() {
    let caps = Caps { max_loop_turns: 65_000, ..Caps::baseline() };
    let exact = OpRecord::ALL.iter().position(|op| op.name() == "sum_exact").unwrap();
    for element in [ElementKind::F32, ElementKind::F16, ElementKind::Bf16] {
        for (rows, columns) in [(1, 1 << 25), (64, 1_024_000), (3, 5_000_001), (1 << 20, 16)] {
            let view = View::new(&[rows, columns]).unwrap();
            let mut request = request(view, 1, caps, exact, element);
            let tuning = AxisTuning::for_caps(&caps);
            request.tune(AxisTuning { max_workgroups: 1, invocations: 1, ..tuning });
            let plan = request.plan().unwrap();
            let pass = &plan.recording.passes[0];
            for dispatch in &pass.dispatches {
                let run = run(&request.problem, pass, dispatch);
                assert_eq!(run.kernel, AxisKernel::Rows);
                let of_unit = if run.flag("QUADS") { 1 + run.per_quad } else { 1 };
                let of_team = run.told().share.div_ceil(run.constant("LANES")) * of_unit;
                let turns = u64::from(run.told().turns) * u64::from(of_team);
                assert!(turns <= caps.max_loop_turns.into(), "{turns} turns in {plan}");
            }
        }
    }
}

/// An element of stride 0 is read again and again. With more reads the sum's digits would overflow, and nobody would know.
#[test]
fn an_exact_sum_is_of_as_many_elements_as_it_has_room_for() {
    let exact = OpRecord::ALL.iter().position(|op| op.name() == "sum_exact").unwrap();
    let planned = |len, operation| {
        let view = View::strided(&[len], &[0], 0).unwrap();
        request(view, 0, Caps::baseline(), operation, ElementKind::F32).plan()
    };
    let (most, more) = (1 << 42, (1 << 42) + 1);
    assert_eq!(planned(most, exact).map(|plan| plan.len), Ok(most));
    assert_eq!(planned(more, 0).map(|plan| plan.len), Ok(more));
    let refused = planned(more, exact);
    assert!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");
}

#[test]
fn matrices_of_all_shapes_are_covered() {
    let extents = [1, 2, 3, 4, 7, 8, 31, 64, 257, 1024, 4099];
    for caps in devices() {
        for rows in extents {
            for columns in extents.into_iter().filter(|columns| rows * columns < 40_000) {
                let view = View::new(&[rows, columns]).unwrap();
                for (axis, element) in [0, 1].into_iter().zip(ELEMENTS.into_iter().cycle()) {
                    check(&request(view, axis, caps, 0, element));
                }
                for axis in 0..2 {
                    let mut request = request(view, axis, caps, 0, ElementKind::F32);
                    request.read(vec![Part { offset_bytes: 16 * 4, len: 1 << 40 }]);
                    request.leave_at(4 * (rows % 5));
                    check(&request);
                }
                for element in ELEMENTS {
                    let mut request = request(view, (rows % 2) as usize, caps, 0, element);
                    request.read(vec![Part { offset_bytes: 0, len: 1 << 40 }]);
                    check(&request);
                }
            }
        }
    }
}

#[test]
fn short_inner_dimensions_are_covered() {
    for caps in devices() {
        for inner in [1, 2, 3, 4, 5, 16, 31, 32, 33] {
            for (outer, len) in [(1, 3000), (50, 7), (3, 200), (700, 1)] {
                let view = View::new(&[outer, len, inner]).unwrap();
                for axis in 0..3 {
                    check(&request(view, axis, caps, 0, ElementKind::F32));
                }
            }
        }
    }
}

#[test]
fn partials_come_to_results_where_input_and_output_are_one_buffer() {
    for caps in devices() {
        for axis in 0..2 {
            let view = View::new(&[20, 300]).unwrap();
            let mut request = request(view, axis, caps, 0, ElementKind::I32);
            request.problem.ends.in_place = true;
            request.leave_at(8 * 9);
            check(&request);
            assert_eq!(request.plan().unwrap().passes().len() % 2, 0);
        }
    }
}

#[test]
fn rows_without_elements_have_results_all_the_same() {
    for caps in devices() {
        let view = View::new(&[5000, 0]).unwrap();
        let plan = request(view, 1, caps, 0, ElementKind::F32).plan().unwrap();
        assert!(!plan.passes().is_empty());
        check(&request(view, 1, caps, 0, ElementKind::F32));
        let plan = request(view, 0, caps, 0, ElementKind::F32).plan().unwrap();
        assert_eq!((plan.passes().len(), plan.results), (0, 0));
        // `argmin` has no result there.
        assert!(request(view, 1, caps, 10, ElementKind::F32).plan().is_err());
        assert!(request(view, 0, caps, 10, ElementKind::F32).plan().is_ok());
    }
}

/// Nothing in memory ends a stretch of an axis without a stride, and shaders count in words.
#[test]
fn axes_that_are_longer_than_a_word_are_cut() {
    let long = (1_u64 << 32) + 5;
    for (shape, strides, axis) in
        [(&[1 << 33][..], &[0][..], 0), (&[3, 1 << 33], &[1, 0], 1), (&[long, 4], &[0, 1], 0)]
    {
        let view = View::strided(shape, strides, 3).unwrap();
        for operation in [0, 10] {
            let request = request(view, axis, Caps::baseline(), operation, ElementKind::F32);
            let plan = request.plan().unwrap();
            let (mut reached, mut parts) = (0, 0);
            let passes = plan.recording.passes.iter();
            for (pass, dispatch) in
                passes.flat_map(|pass| pass.dispatches.iter().map(move |dispatch| (pass, dispatch)))
            {
                let run = run(&request.problem, pass, dispatch);
                let told = run.told();
                let [length, of_row, share] = [told.length, told.parts, told.share].map(u64::from);
                if run.kernel == AxisKernel::Parts {
                    assert_eq!(length, parts, "{plan}");
                    continue;
                }
                let first = u64::from(told.axis_low) | u64::from(told.axis_high) << 32;
                assert_eq!(first, reached, "{plan}");
                assert!(length > 0 && of_row * share >= length, "{plan}");
                reached += length;
                parts += of_row;
            }
            assert_eq!(reached, shape[axis], "{plan}");
        }
    }
    // So many stretches are no plan.
    let endless = View::strided(&[1 << 62], &[0], 0).unwrap();
    let refused = request(endless, 0, Caps::baseline(), 0, ElementKind::F32).plan();
    assert!(matches!(refused, Err(Error::InvalidView { .. })), "{refused:?}");
}

/// Any number of columns of no rows is none, and the other way round.
#[test]
fn matrices_without_elements_may_be_of_any_length() {
    for (rows, columns) in [(0, u64::MAX), (u64::MAX, 0)] {
        let view = View::from(Matrix { rows, columns });
        assert_eq!((view.shape(), view.is_empty()), (&[rows, columns][..], true));
        let plan = |axis| request(view, axis, Caps::baseline(), 0, ElementKind::F32).plan();
        let none = plan(usize::from(rows == 0)).unwrap();
        assert_eq!((none.results, none.passes().len()), (0, 0));
        let too_many = plan(usize::from(rows > 0));
        assert!(matches!(too_many, Err(Error::InvalidBuffer { .. })), "{too_many:?}");
    }
    // That is for matrices that have elements.
    let view = View::from(Matrix { rows: 2, columns: u64::MAX });
    let refused = request(view, 1, Caps::baseline(), 0, ElementKind::F32).plan();
    assert!(matches!(refused, Err(Error::InvalidView { .. })), "{refused:?}");
}

/// Whether one binding of the device holds all results, and one all partials.
fn fits(request: &Case<'_>) -> bool {
    !matches!(request.plan(), Err(Error::Unsupported { .. }))
}

/// A view of a buffer, of random shape, with its dimensions in random order, some reversed or repeated; and one axis of
/// it, or any.
fn views() -> impl Strategy<Value = (View, Vec<usize>)> {
    let dimension = (1_u64..7, 0_u64..3, 0..4_u32, any::<prop::sample::Index>());
    let dimensions = proptest::collection::vec(dimension, 1..=MAX_DIMENSIONS);
    (dimensions, 0_u64..40, any::<prop::sample::Index>(), 1_u64..60, any::<(bool, u8)>()).prop_map(
        |(dimensions, offset, axis, long, (is_one, others))| {
            let rank = dimensions.len();
            let axis = axis.index(rank);
            let mut order: Vec<_> = (0..rank).collect();
            order.sort_by_key(|&number| dimensions[number].3.index(1 << 20));
            let (mut shape, mut strides) = (vec![0; rank], vec![0; rank]);
            let (mut stride, mut first) = (1_i64, offset);
            for number in order {
                let (extent, gap, kind, _) = dimensions[number];
                let extent = if number == axis { extent * long } else { extent };
                shape[number] = extent;
                strides[number] = [stride, stride, -stride, 0][kind as usize];
                if kind == 2 {
                    first += (extent - 1) * stride.unsigned_abs();
                }
                if kind < 3 {
                    stride *= i64::try_from(extent + gap).unwrap();
                }
            }
            let is_of_them =
                |number: &usize| if is_one { *number == axis } else { others >> number & 1 == 1 };
            let view = View::strided(&shape, &strides, first).unwrap();
            (view, (0..rank).filter(is_of_them).collect())
        },
    )
}

proptest! {
    // Many cases are left out, since they would take long.
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_global_rejects: u32::MAX,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_views_are_covered(
        (view, axes) in views(),
        device in 0..4_usize,
        element in prop::sample::select(&ELEMENTS[..]),
        operation in prop::sample::select(&[0_usize, 10, 14, 15][..]),
        with in prop::sample::select(&WITH[..]),
    ) {
        prop_assume!(view.len() < 20_000 && OpRecord::ALL[operation].takes(element));
        let mut request = request(view, &axes, devices()[device], operation, element);
        with.add(&mut request, &[]);
        prop_assume!(fits(&request));
        check(&request);
    }

    /// Inputs that are cut into buffers anywhere are covered, too.
    #[test]
    fn inputs_of_several_buffers_are_covered(
        (view, axes) in views(),
        device in 0..4_usize,
        element in prop::sample::select(&ELEMENTS[..]),
        cuts in proptest::collection::vec(0_u64..3000, 0..4),
        (with, others) in (prop::sample::select(&WITH[..]), proptest::collection::vec(0_u64..3000, 0..4)),
    ) {
        prop_assume!(view.len() < 20_000);
        let mut request = request(view, &axes, devices()[device], 0, element);
        let offsets = [0, 3, 16, 1].into_iter().cycle();
        let mut parts: Vec<_> = cuts
            .into_iter()
            .zip(offsets)
            .map(|(len, before)| Part { offset_bytes: before * element.size_bytes(), len })
            .collect();
        parts.extend(request.problem.first());
        request.read(parts);
        with.add(&mut request, &others);
        prop_assume!(fits(&request));
        check(&request);
    }

    /// Views are covered on any device with any tuning, where there is a plan.
    #[test]
    fn views_are_covered_on_any_device(
        (view, axes) in views(),
        caps in any_device(),
        element in prop::sample::select(&ELEMENTS[..]),
        operation in prop::sample::select(&[0_usize, 10, 14, 15][..]),
        (offset, output, in_place) in (anything(&[0, 3, 16]), anything(&[0, 1, 16]), any::<bool>()),
        sizes in (anything(&[1, 64, 256]), anything(&[1, 1 << 10]), anything(&[1, 64])),
        loads in (anything(&[1, 2, 4]), anything(&[1, 2, 4])),
        short in prop::option::of((anything(&[1, 8, 32]), anything(&[64, 256]))),
        (block, partial_bytes) in ((anything(&[1, 8]), anything(&[1, 32])), anything(&[0, 64, 4096])),
        with in prop::sample::select(&WITH[..]),
    ) {
        prop_assume!(view.len() < 20_000);
        let mut request = request(view, &axes, caps, operation, element);
        let offset_bytes = offset.saturating_mul(element.size_bytes());
        request.read(vec![Part { offset_bytes, len: 1 << 40 }]);
        request.leave_at(output.saturating_mul(8));
        request.problem.ends.in_place = in_place;
        with.add(&mut request, &[]);
        if let Some((short_team, min_unaligned)) = short {
            request.tune(AxisTuning {
                workgroup_size: low(sizes.0),
                invocations: low(sizes.1),
                max_workgroups: low(sizes.2),
                loads_in_flight: low(loads.0),
                rows_in_flight: low(loads.1),
                short_team: low(short_team),
                min_unaligned: low(min_unaligned),
                shortest_team: low(block.0),
                widest_block: low(block.1),
                max_partial_bytes: partial_bytes,
            });
        }
        if request.plan().is_ok() {
            check(&request);
        }
    }
}
