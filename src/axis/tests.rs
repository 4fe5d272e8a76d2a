//! Plans followed on the CPU: every result is made of the elements along its axis, each once.

use super::view::MAX_DIMENSIONS;
use super::{AxisKernel, AxisPlan, AxisRequest, AxisTuning, Matrix, View};
use crate::caps::{Caps, SubgroupSizes};
use crate::element::ElementKind;
use crate::error::Error;
use crate::limits::tests::{anything, assert_within, devices as any_device, low};
use crate::op::OpRecord;
use crate::plan::Part;
use crate::recording::{Place, RecordedDispatch, RecordedPass, binding};
use crate::shader::Shader;
use proptest::prelude::*;
use std::collections::HashMap;

/// The numbers of the elements that something is made of.
type Made = Vec<u64>;

/// What has been left where.
type Memory = HashMap<(Place, u64), Made>;

/// One dispatch, as its shader reads its parameters and constants.
struct Run<'a> {
    constants: HashMap<&'static str, u32>,
    dispatch: &'a RecordedDispatch,
    input: &'a [Part],
    kernel: AxisKernel,
    finishes: bool,
    stores_quads: bool,
    per_quad: u32,
    element_bytes: u64,
    result_bytes: u64,
    accumulator_bytes: u64,
}

impl Run<'_> {
    fn constant(&self, name: &str) -> u32 {
        self.constants[name]
    }

    fn flag(&self, name: &str) -> bool {
        self.constants.get(name).is_some_and(|&flag| flag == 1)
    }

    fn parameter(&self, number: usize) -> u32 {
        self.dispatch.parameters[number]
    }

    fn binding(&self, number: u32) -> (Place, Option<std::ops::Range<u64>>) {
        let bound = self.dispatch.bindings.iter().find(|bound| bound.binding == number).unwrap();
        (bound.place, bound.bytes.clone())
    }

    /// `offsets_of` in axis/view.wgsl.
    fn offsets(&self, row: u32) -> [u32; 2] {
        let (mut rest, mut offsets) = (row, [0_u32; 2]);
        for k in 0..self.constant("DIMENSIONS") as usize {
            let dimension = &self.dispatch.parameters[16 + 4 * k..20 + 4 * k];
            let index = if self.constant("DIMENSIONS") == 1 { rest } else { rest % dimension[0] };
            for (offset, by) in offsets.iter_mut().zip(&dimension[1..]) {
                *offset = offset.wrapping_add(index.wrapping_mul(*by));
            }
            rest /= dimension[0].max(1);
        }
        offsets
    }

    fn first(&self, row: u32) -> u32 {
        self.parameter(0).wrapping_add(self.offsets(row)[0])
    }

    /// The number of an element behind the binding.
    fn element(&self, index: u32) -> u64 {
        let (Place::Input(number), Some(bytes)) = self.binding(binding::SOURCE) else {
            panic!("not of the input")
        };
        let at = bytes.start + u64::from(index) * self.element_bytes;
        assert!(at + self.element_bytes <= bytes.end, "element {index} lies beyond {bytes:?}");
        let part = self.input[number];
        let in_part = at.checked_sub(part.offset_bytes).unwrap() / self.element_bytes;
        assert!(in_part < part.len, "element {in_part} of {part:?}");
        self.input[..number].iter().map(|part| part.len).sum::<u64>() + in_part
    }

    /// What an item's team gathers in axis/rows.wgsl.
    fn row(&self, row: u32, part: u32) -> Made {
        let (first, length, share) = (self.first(row), self.parameter(1), self.parameter(5));
        let (quads, end) = (self.flag("QUADS"), first + length);
        let units = if quads { self.per_quad } else { 1 };
        let (begin_unit, end_unit) = (first.div_ceil(units), end / units);
        let begin = begin_unit + part * share;
        let to = if self.flag("SHARED") { end_unit.min(begin + share) } else { end_unit };
        assert!(end_unit > 0 && (begin < to || self.flag("SHARED")), "clamping needs a unit");
        let loads = self.constants.get("LOADS").copied().unwrap_or(1);
        let reach = self.constant("LANES") * loads;
        let tile = reach;
        assert!(!self.flag("WHOLE") || to > begin && (to - begin).is_multiple_of(tile) && quads);
        assert!(!self.flag("SINGLE") || to - begin <= reach, "{} units in {reach}", to - begin);
        let mut made: Vec<_> = (begin..to).collect();
        made = made.into_iter().flat_map(|unit| unit * units..(unit + 1) * units).collect();
        if self.flag("ALIGNED") {
            assert!(first % units == 0 && end % units == 0);
        } else if part == 0 {
            made.extend((first..begin_unit * units).chain(end_unit * units..end));
        }
        made.into_iter().map(|index| self.element(index)).collect()
    }

    /// What is left of each item: the row, or column, the part, and what it is made of.
    fn items(&self, memory: &Memory) -> Vec<(u32, u32, Made)> {
        let (length, stride) = (self.parameter(1), self.parameter(2));
        let (rows, parts, share) = (self.parameter(3), self.parameter(4), self.parameter(5));
        let items = (0..rows).flat_map(|row| (0..parts).map(move |part| (row, part)));
        match self.kernel {
            AxisKernel::Rows => items.map(|(row, part)| (row, part, self.row(row, part))).collect(),
            AxisKernel::Packed => {
                assert!(
                    self.parameter(0).is_multiple_of(4)
                        && rows == 4 * self.parameter(12)
                        && parts == 1
                );
                assert!(length == self.constant("LENGTH") && self.stores_quads);
                let of = |row| {
                    (0..length).map(move |k| self.element(self.parameter(0) + row * length + k))
                };
                items.map(|(row, part)| (row, part, of(row).collect())).collect()
            }
            AxisKernel::Parts => {
                let place = self.binding(binding::SOURCE).0;
                let of = |row| (0..length).map(move |i| u64::from(row) + u64::from(i * stride));
                let take = |row| of(row).flat_map(|slot| memory[&(place, slot)].clone()).collect();
                items.map(|(row, part)| (row, part, take(row))).collect()
            }
            AxisKernel::Columns => items
                .flat_map(|(block, part)| {
                    let (units, tiles) = (self.parameter(12), self.parameter(13));
                    let wide = self.flag("WIDE");
                    let columns = [1, if matches!(self.per_quad, 4 | 16) { 4 } else { 2 }];
                    let columns = columns[usize::from(wide)];
                    let width = self.constant("SPREAD");
                    let begin = (block % tiles) * width;
                    let of_block = (begin..units.min(begin + width)).flat_map(move |unit| {
                        let first = columns * ((block / tiles) * units + unit);
                        first..first + columns
                    });
                    let range = part * share..length.min((part + 1) * share);
                    of_block.map(move |column| {
                        let at = |r: u32| self.first(column).wrapping_add(r.wrapping_mul(stride));
                        (column, part, range.clone().map(|r| self.element(at(r))).collect())
                    })
                })
                .collect(),
        }
    }

    /// Whether all items get their turn, and lanes and widths make up workgroups.
    fn check_grid(&self) {
        let size = self.constant("WORKGROUP_SIZE");
        let width = self.constants.get("SPREAD").copied().unwrap_or(1);
        if self.kernel == AxisKernel::Packed {
            let [x, y, _] = self.dispatch.grid;
            let groups = u64::from(x * y) * u64::from(self.parameter(7));
            let reached = groups * u64::from(size * 4 / self.constant("LENGTH"));
            return assert!(reached >= u64::from(self.parameter(12)));
        }
        let per_group =
            size / (self.constant("LANES") * width) * self.constants.get("ROWS").unwrap_or(&1);
        let [x, y, _] = self.dispatch.grid;
        assert_eq!(self.parameter(6), x * y);
        let reached = u64::from(per_group) * u64::from(x * y) * u64::from(self.parameter(7));
        assert!(reached >= u64::from(self.parameter(3)) * u64::from(self.parameter(4)));
        assert!(per_group > 0);
    }

    fn run(&self, memory: &mut Memory) {
        self.check_grid();
        let (place, bytes) = self.binding(binding::TARGET);
        let size = if self.finishes { self.result_bytes } else { self.accumulator_bytes };
        let bytes = bytes.unwrap();
        let (first_slot, part_slots) = (self.parameter(8), self.parameter(9));
        if self.stores_quads {
            assert!(
                self.finishes
                    && first_slot.is_multiple_of(4)
                    && (bytes.end - bytes.start).is_multiple_of(16)
            );
        }
        for (row, part, made) in self.items(memory) {
            let slot = if self.finishes {
                first_slot + self.offsets(row)[1]
            } else {
                first_slot + part * part_slots + row
            };
            let at = bytes.start + u64::from(slot) * size;
            assert!(at + size <= bytes.end, "slot {slot} lies beyond {bytes:?}");
            let before = memory.insert((place, at / size), made);
            assert!(before.is_none(), "{place:?} {slot} is written twice");
        }
    }
}

fn run<'a>(
    plan: &AxisPlan,
    input: &'a [Part],
    pass: &RecordedPass,
    dispatch: &'a RecordedDispatch,
) -> Run<'a> {
    let Shader::Axis(shader) = &pass.shader else { panic!("{:?}", pass.shader) };
    let over = plan.operation.over(plan.element).unwrap();
    Run {
        constants: pass.constants.iter().copied().collect(),
        dispatch,
        input,
        kernel: shader.kernel,
        finishes: shader.finishes,
        stores_quads: shader.stores_quads,
        per_quad: u32::try_from(plan.element.per_quad()).unwrap(),
        element_bytes: plan.element.size_bytes(),
        result_bytes: over.output_bytes,
        accumulator_bytes: over.accumulator.size_bytes(),
    }
}

/// What the results are made of, in order.
fn follow(request: &AxisRequest) -> Vec<Made> {
    let plan = AxisPlan::new(request).unwrap_or_else(|error| panic!("{request:?}: {error}"));
    assert_within(&plan.recording, &request.caps);
    let mut memory = Memory::new();
    for pass in &plan.recording.passes {
        for dispatch in &pass.dispatches {
            let run = run(&plan, &request.input, pass, dispatch);
            run.run(&mut memory);
            if run.kernel == AxisKernel::Parts {
                // Scratch is there for the next strip.
                memory.retain(|&(place, _), _| place == Place::Output);
            }
        }
    }
    let result_bytes = plan.operation.over(plan.element).unwrap().output_bytes;
    let first = request.output_offset_bytes / result_bytes;
    let mut result = |slot| memory.remove(&(Place::Output, first + slot)).unwrap_or_default();
    let results = (0..plan.outputs).map(&mut result).collect();
    assert_eq!(memory, HashMap::new(), "{plan}");
    results
}

/// What they are to be made of.
fn expected(request: &AxisRequest) -> Vec<Made> {
    let (view, axis) = (request.view, request.axis);
    let others = view.without(axis).unwrap();
    let before = view.offset();
    let of = |mut number: u64| {
        let mut at = i64::try_from(before).unwrap();
        for dimension in (0..view.shape().len()).rev().filter(|&d| d != axis) {
            at += i64::try_from(number % view.shape()[dimension]).unwrap()
                * view.strides()[dimension];
            number /= view.shape()[dimension];
        }
        let along = 0..i64::try_from(view.shape()[axis]).unwrap();
        let mut made: Made =
            along.map(|r| u64::try_from(at + r * view.strides()[axis]).unwrap()).collect();
        made.sort_unstable();
        made
    };
    (0..others.iter().product()).map(of).collect()
}

fn check(request: &AxisRequest) {
    let mut results = follow(request);
    for made in &mut results {
        made.sort_unstable();
    }
    let plan = AxisPlan::new(request).unwrap();
    assert_eq!(results, expected(request), "{request:?}\n{plan}");
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
    axis: usize,
    caps: Caps,
    operation: usize,
    element: ElementKind,
) -> AxisRequest {
    AxisRequest {
        operation: OpRecord::ALL[operation],
        element,
        view,
        axis,
        input: vec![Part { offset_bytes: 3 * element.size_bytes(), len: 1 << 40 }],
        output_offset_bytes: 0,
        in_place: false,
        tuning: AxisTuning::for_caps(&caps),
        caps,
    }
}

const ELEMENTS: [ElementKind; 4] =
    [ElementKind::F32, ElementKind::U8, ElementKind::I16, ElementKind::I64];

/// Rows of exact sums may take a turn for each quad, and one for each of its elements, before a device leaves loops.
#[test]
fn exact_sums_leave_no_loop_early() {
    let caps = Caps { max_loop_turns: 65_000, ..Caps::baseline() };
    let exact = OpRecord::ALL.iter().position(|op| op.name() == "sum_exact").unwrap();
    for element in [ElementKind::F32, ElementKind::F16] {
        for (rows, columns) in [(1, 1 << 25), (64, 1_024_000), (3, 5_000_001), (1 << 20, 16)] {
            let view = View::new(&[rows, columns]).unwrap();
            let mut request = request(view, 1, caps, exact, element);
            request.tuning = AxisTuning { max_workgroups: 1, invocations: 1, ..request.tuning };
            let plan = AxisPlan::new(&request).unwrap();
            let pass = &plan.recording.passes[0];
            for dispatch in &pass.dispatches {
                let run = run(&plan, &request.input, pass, dispatch);
                assert_eq!(run.kernel, AxisKernel::Rows);
                let of_unit = if run.flag("QUADS") { 1 + run.per_quad } else { 1 };
                let of_team = run.parameter(5).div_ceil(run.constant("LANES")) * of_unit;
                let turns = u64::from(run.parameter(7)) * u64::from(of_team);
                assert!(turns <= caps.max_loop_turns.into(), "{turns} turns in {plan}");
            }
        }
    }
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
                    request.input[0].offset_bytes = 16 * 4;
                    request.output_offset_bytes = 4 * (rows % 5);
                    check(&request);
                }
                for element in ELEMENTS {
                    let mut request = request(view, (rows % 2) as usize, caps, 0, element);
                    request.input[0].offset_bytes = 0;
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
            request.in_place = true;
            request.output_offset_bytes = 8 * 9;
            check(&request);
            assert_eq!(AxisPlan::new(&request).unwrap().passes() % 2, 0);
        }
    }
}

#[test]
fn rows_without_elements_have_results_all_the_same() {
    for caps in devices() {
        let view = View::new(&[5000, 0]).unwrap();
        let plan = AxisPlan::new(&request(view, 1, caps, 0, ElementKind::F32)).unwrap();
        assert!(plan.passes() > 0);
        check(&request(view, 1, caps, 0, ElementKind::F32));
        let plan = AxisPlan::new(&request(view, 0, caps, 0, ElementKind::F32)).unwrap();
        assert_eq!((plan.passes(), plan.outputs), (0, 0));
        // Of argmin there is none.
        assert!(AxisPlan::new(&request(view, 1, caps, 10, ElementKind::F32)).is_err());
        assert!(AxisPlan::new(&request(view, 0, caps, 10, ElementKind::F32)).is_ok());
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
            let plan = AxisPlan::new(&request).unwrap();
            let (mut reached, mut parts) = (0, 0);
            let passes = plan.recording.passes.iter();
            for (pass, dispatch) in
                passes.flat_map(|pass| pass.dispatches.iter().map(move |dispatch| (pass, dispatch)))
            {
                let run = run(&plan, &request.input, pass, dispatch);
                let number = |parameter| u64::from(run.parameter(parameter));
                if run.kernel == AxisKernel::Parts {
                    assert_eq!(number(1), parts, "{plan}");
                    continue;
                }
                assert_eq!(number(10) | number(11) << 32, reached, "{plan}");
                assert!(number(1) > 0 && number(4) * number(5) >= number(1), "{plan}");
                reached += number(1);
                parts += number(4);
            }
            assert_eq!(reached, shape[axis], "{plan}");
        }
    }
    // So many stretches are no plan.
    let endless = View::strided(&[1 << 62], &[0], 0).unwrap();
    let refused = AxisPlan::new(&request(endless, 0, Caps::baseline(), 0, ElementKind::F32));
    assert!(matches!(refused, Err(Error::InvalidView { .. })), "{refused:?}");
}

/// Of no rows any number of columns is none, and the other way round.
#[test]
fn matrices_without_elements_may_be_of_any_length() {
    for (rows, columns) in [(0, u64::MAX), (u64::MAX, 0)] {
        let view = View::from(Matrix { rows, columns });
        assert_eq!((view.shape(), view.is_empty()), (&[rows, columns][..], true));
        let plan =
            |axis| AxisPlan::new(&request(view, axis, Caps::baseline(), 0, ElementKind::F32));
        let none = plan(usize::from(rows == 0)).unwrap();
        assert_eq!((none.outputs, none.passes()), (0, 0));
        let too_many = plan(usize::from(rows > 0));
        assert!(matches!(too_many, Err(Error::InvalidBuffer { .. })), "{too_many:?}");
    }
    // That is for matrices that have elements.
    let view = View::from(Matrix { rows: 2, columns: u64::MAX });
    let refused = AxisPlan::new(&request(view, 1, Caps::baseline(), 0, ElementKind::F32));
    assert!(matches!(refused, Err(Error::InvalidView { .. })), "{refused:?}");
}

/// Whether one binding of the device holds all results, and one all partials.
fn fits(request: &AxisRequest) -> bool {
    !matches!(AxisPlan::new(request), Err(Error::Unsupported { .. }))
}

/// A view of a buffer, of random shape, with its dimensions in random order, some reversed or repeated.
fn views() -> impl Strategy<Value = (View, usize)> {
    let dimension = (1_u64..7, 0_u64..3, 0..4_u32, any::<prop::sample::Index>());
    let dimensions = proptest::collection::vec(dimension, 1..=MAX_DIMENSIONS);
    (dimensions, 0_u64..40, any::<prop::sample::Index>(), 1_u64..60).prop_map(
        |(dimensions, offset, axis, long)| {
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
            (View::strided(&shape, &strides, first).unwrap(), axis)
        },
    )
}

proptest! {
    // Of many cases many are left out, since they would take long.
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_global_rejects: u32::MAX,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_views_are_covered(
        (view, axis) in views(),
        device in 0..4_usize,
        element in prop::sample::select(&ELEMENTS[..]),
        operation in prop::sample::select(&[0_usize, 10, 14, 15][..]),
    ) {
        prop_assume!(view.len() < 20_000 && OpRecord::ALL[operation].takes(element));
        let request = request(view, axis, devices()[device], operation, element);
        prop_assume!(fits(&request));
        check(&request);
    }

    /// The same of an input that is cut into buffers anywhere.
    #[test]
    fn inputs_of_several_buffers_are_covered(
        (view, axis) in views(),
        device in 0..4_usize,
        element in prop::sample::select(&ELEMENTS[..]),
        cuts in proptest::collection::vec(0_u64..3000, 0..4),
    ) {
        prop_assume!(view.len() < 20_000);
        let mut request = request(view, axis, devices()[device], 0, element);
        let offsets = [0, 3, 16, 1].into_iter().cycle();
        let mut parts: Vec<_> = cuts
            .into_iter()
            .zip(offsets)
            .map(|(len, before)| Part { offset_bytes: before * element.size_bytes(), len })
            .collect();
        parts.append(&mut request.input);
        request.input = parts;
        prop_assume!(fits(&request));
        check(&request);
    }

    /// The same of any device with any tuning, where there is a plan.
    #[test]
    fn views_are_covered_on_any_device(
        (view, axis) in views(),
        caps in any_device(),
        element in prop::sample::select(&ELEMENTS[..]),
        operation in prop::sample::select(&[0_usize, 10, 14, 15][..]),
        (offset, output, in_place) in (anything(&[0, 3, 16]), anything(&[0, 1, 16]), any::<bool>()),
        sizes in (anything(&[1, 64, 256]), anything(&[1, 1 << 10]), anything(&[1, 64])),
        loads in (anything(&[1, 2, 4]), anything(&[1, 2, 4])),
        short in prop::option::of((anything(&[1, 8, 32]), anything(&[64, 256]))),
    ) {
        prop_assume!(view.len() < 20_000);
        let mut request = request(view, axis, caps, operation, element);
        request.input[0].offset_bytes = offset.saturating_mul(element.size_bytes());
        request.output_offset_bytes = output.saturating_mul(8);
        request.in_place = in_place;
        if let Some((short_team, min_unaligned)) = short {
            request.tuning = AxisTuning {
                workgroup_size: low(sizes.0),
                invocations: low(sizes.1),
                max_workgroups: low(sizes.2),
                loads_in_flight: low(loads.0),
                rows_in_flight: low(loads.1),
                short_team: low(short_team),
                min_unaligned: low(min_unaligned),
            };
        }
        if AxisPlan::new(&request).is_ok() {
            check(&request);
        }
    }
}
