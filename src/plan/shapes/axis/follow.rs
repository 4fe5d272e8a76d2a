//! Plans followed on the CPU: every result is made of the elements along its axes, each once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::cut::source::Beside;
use crate::plan::folding::Folding;
use crate::plan::followed::assert_within;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{
    AxisParameters, Place, PlannedPass, RecordedDispatch, Recording, binding,
};
use crate::plan::shapes::axis::AxisKernel;
use crate::plan::shapes::axis::masked::counting;
use crate::plan::shapes::order::OrderShader;
use crate::shader::Shader;
use std::collections::HashMap;

/// The numbers of the elements that something is made of.
type Made = Vec<u64>;

/// What has been left where.
type Memory = HashMap<(Place, u64), Made>;

/// One dispatch, as its shader reads its parameters and constants.
pub(crate) struct Run<'a> {
    pub(crate) constants: HashMap<&'static str, u32>,
    dispatch: &'a RecordedDispatch,
    input: &'a [Part],
    beside: Beside<'a>,
    pub(crate) kernel: AxisKernel,
    pub(crate) finishes: bool,
    of_axes: bool,
    stores_quads: bool,
    pub(crate) per_quad: u32,
    element_bytes: u64,
    result_bytes: u64,
    accumulator_bytes: u64,
}

impl Run<'_> {
    pub(crate) fn constant(&self, name: &str) -> u32 {
        self.constants[name]
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.constants.get(name).is_some_and(|&flag| flag == 1)
    }

    pub(crate) fn told(&self) -> AxisParameters {
        self.dispatch.told()
    }

    pub(crate) fn binding(&self, number: u32) -> (Place, Option<std::ops::Range<u64>>) {
        let bound = self.dispatch.bindings.iter().find(|bound| bound.binding == number).unwrap();
        (bound.place, bound.bytes.clone())
    }

    /// `offsets_of` in axis/view.wgsl.
    fn offsets(&self, row: u32) -> [u32; 2] {
        let (mut rest, mut offsets) = (row, [0_u32; 2]);
        for k in 0..self.constant("DIMENSIONS") as usize {
            let dimension = self.told().dimensions[k];
            let index = if self.constant("DIMENSIONS") == 1 { rest } else { rest % dimension[0] };
            for (offset, by) in offsets.iter_mut().zip(&dimension[1..]) {
                *offset = offset.wrapping_add(index.wrapping_mul(*by));
            }
            rest /= dimension[0].max(1);
        }
        offsets
    }

    pub(crate) fn first(&self, row: u32) -> u32 {
        self.told().first.wrapping_add(self.offsets(row)[0])
    }

    /// `element_of_row` in `order/one_axis.wgsl` and `order/several_axes.wgsl`.
    fn element_of_row(&self, k: u32, has_outer: bool) -> u32 {
        let AxisParameters { stride, share, dimensions, .. } = self.told();
        if !has_outer {
            return k.wrapping_mul(stride);
        }
        let (mut rest, mut far) = (k / share, (k % share).wrapping_mul(stride));
        let first = self.constant("DIMENSIONS") as usize;
        for dimension in &dimensions[first..first + self.constant("OUTER") as usize] {
            far = far.wrapping_add((rest % dimension[0]).wrapping_mul(dimension[1]));
            rest /= dimension[0];
        }
        far
    }

    /// The number of an element behind the binding.
    fn element(&self, index: u32) -> u64 {
        self.numbered(binding::SOURCE, (self.input, self.element_bytes), index)
    }

    /// Its number, which what is beside it has, too.
    fn element_with_beside(&self, index: u32) -> u64 {
        let element = self.element(index);
        let (parts, bytes) = match self.beside {
            Beside::Nothing => panic!("nothing is beside it"),
            Beside::Partners(parts) => (parts, self.element_bytes),
            Beside::Mask(parts) => (parts, 1),
        };
        let index = index.wrapping_add(self.told().delta);
        assert_eq!(self.numbered(binding::PARTNER_WORDS, (parts, bytes), index), element);
        element
    }

    /// The number of an element of these parts behind a binding, where buffers of others may come first.
    fn numbered(&self, binding: u32, (parts, bytes): (&[Part], u64), index: u32) -> u64 {
        let (Place::Input(number), Some(bound)) = self.binding(binding) else {
            panic!("not of the input")
        };
        let before = if binding == binding::SOURCE { 0 } else { self.input.len() };
        let number = number.checked_sub(before).unwrap();
        let at = bound.start + u64::from(index) * bytes;
        assert!(at + bytes <= bound.end, "element {index} lies beyond {bound:?}");
        let part = parts[number];
        let in_part = at.checked_sub(part.offset_bytes).unwrap() / bytes;
        assert!(in_part < part.len, "element {in_part} of {part:?}");
        parts[..number].iter().map(|part| part.len).sum::<u64>() + in_part
    }

    /// What an item's team gathers in axis/rows.wgsl.
    fn row(&self, row: u32, part: u32) -> Made {
        let (first, length, share) = (self.first(row), self.told().length, self.told().share);
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
        let (length, stride) = (self.told().length, self.told().stride);
        let (rows, parts, share) = (self.told().rows, self.told().parts, self.told().share);
        let items = (0..rows).flat_map(|row| (0..parts).map(move |part| (row, part)));
        match self.kernel {
            AxisKernel::Rows => items.map(|(row, part)| (row, part, self.row(row, part))).collect(),
            AxisKernel::Packed => {
                assert!(
                    self.told().first.is_multiple_of(4)
                        && rows == 4 * self.told().units
                        && parts == 1
                );
                assert!(length == self.constant("LENGTH") && self.stores_quads);
                let of = |row| {
                    (0..length).map(move |k| self.element(self.told().first + row * length + k))
                };
                items.map(|(row, part)| (row, part, of(row).collect())).collect()
            }
            AxisKernel::Parts => {
                let place = self.binding(binding::SOURCE).0;
                let of = |row| (0..length).map(move |i| u64::from(row) + u64::from(i * stride));
                let take = |row| of(row).flat_map(|slot| memory[&(place, slot)].clone()).collect();
                items.map(|(row, part)| (row, part, take(row))).collect()
            }
            AxisKernel::Columns | AxisKernel::Pairs | AxisKernel::Masked => items
                .flat_map(|(block, part)| {
                    let (units, tiles) = (self.told().units, self.told().tiles);
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
                        let element = |r| match self.kernel {
                            AxisKernel::Columns => self.element(at(r)),
                            _ => self.element_with_beside(at(r)),
                        };
                        (column, part, range.clone().map(element).collect())
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
            let groups = u64::from(x * y) * u64::from(self.told().turns);
            let reached = groups * u64::from(size * 4 / self.constant("LENGTH"));
            return assert!(reached >= u64::from(self.told().units));
        }
        let per_group =
            size / (self.constant("LANES") * width) * self.constants.get("ROWS").unwrap_or(&1);
        let [x, y, _] = self.dispatch.grid;
        assert_eq!(self.told().workgroups, x * y);
        let reached = u64::from(per_group) * u64::from(x * y) * u64::from(self.told().turns);
        assert!(reached >= u64::from(self.told().rows) * u64::from(self.told().parts));
        assert!(per_group > 0);
    }

    fn run(&self, memory: &mut Memory) {
        self.check_grid();
        let (place, bytes) = self.binding(binding::TARGET);
        let size = if self.finishes { self.result_bytes } else { self.accumulator_bytes };
        let bytes = bytes.unwrap();
        let (first_slot, part_slots) = (self.told().first_slot, self.told().part_slots);
        if self.stores_quads {
            assert!(
                self.finishes
                    && first_slot.is_multiple_of(4)
                    && (bytes.end - bytes.start).is_multiple_of(16)
            );
        }
        for (row, part, made) in self.items(memory) {
            let slot = match (self.finishes, self.of_axes) {
                (true, _) => first_slot + self.offsets(row)[1],
                (false, false) => first_slot + part * part_slots + row,
                (false, true) => first_slot + part * part_slots + self.offsets(row)[1],
            };
            let at = bytes.start + u64::from(slot) * size;
            assert!(at + size <= bytes.end, "slot {slot} lies beyond {bytes:?}");
            let before = memory.insert((place, at / size), made);
            assert!(before.is_none(), "{place:?} {slot} is written twice");
        }
    }
}

/// A dispatch of a pass of a plan.
pub(crate) fn run<'a>(
    problem: &'a Problem<'_>,
    pass: &PlannedPass,
    dispatch: &'a RecordedDispatch,
) -> Run<'a> {
    let Shader::Axis(shader) = &pass.shader else { panic!("{:?}", pass.shader) };
    let folding = Folding::of(problem.fold, problem.element).unwrap();
    Run {
        constants: pass.constants.iter().copied().collect(),
        dispatch,
        input: problem.first(),
        beside: problem.beside(),
        kernel: shader.kernel,
        finishes: shader.finishes,
        of_axes: shader.of_axes,
        stores_quads: shader.stores_quads,
        per_quad: u32::try_from(problem.element.per_quad()).unwrap(),
        element_bytes: problem.element.size_bytes(),
        result_bytes: folding.output_bytes(),
        accumulator_bytes: folding.accumulator_bytes(),
    }
}

/// What the results are made of, in order.
fn follow(problem: &Problem<'_>, plan: &Plan, caps: &Caps) -> Vec<Made> {
    assert_within(&plan.recording, caps);
    let mut memory = Memory::new();
    for pass in &plan.recording.passes {
        for dispatch in &pass.dispatches {
            let run = run(problem, pass, dispatch);
            run.run(&mut memory);
            if run.kernel == AxisKernel::Parts {
                // Scratch is there for the next strip.
                memory.retain(|&(place, _), _| place == Place::Output);
            }
        }
    }
    left(memory, problem, plan)
}

/// What the results in a memory are made of, in order.
fn left(mut memory: Memory, problem: &Problem<'_>, plan: &Plan) -> Vec<Made> {
    let result_bytes = plan.result_bytes;
    let first = problem.output_offset_bytes() / result_bytes;
    let mut result = |slot| memory.remove(&(Place::Output, first + slot)).unwrap_or_default();
    let results = (0..plan.results).map(&mut result).collect();
    assert_eq!(memory, HashMap::new(), "{plan}");
    results
}

/// What they are to be made of.
fn expected(problem: &Problem<'_>) -> Vec<Made> {
    let Shape::Axis(view, axes) = problem.shape else { panic!("{problem:?}") };
    let others = view.shape_without(axes).unwrap();
    let reduced = (0..view.shape().len()).filter(|&d| axes.has(d));
    let elements = reduced.map(|d| view.shape()[d]).product();
    // Where there are no elements the offset is any number.
    let strides: Vec<_> = view.strides().iter().copied().map(i128::from).collect();
    // How far a position is from the first, on the axes or on the others.
    let far = |mut number: u64, is_reduced: bool| {
        let mut at = 0;
        for dimension in (0..view.shape().len()).rev().filter(|&d| axes.has(d) == is_reduced) {
            at += i128::from(number % view.shape()[dimension]) * strides[dimension];
            number /= view.shape()[dimension];
        }
        at
    };
    let of = |row: u64| {
        let first = i128::from(view.offset()) + far(row, false);
        let mut made: Made =
            (0..elements).map(|r| u64::try_from(first + far(r, true)).unwrap()).collect();
        made.sort_unstable();
        made
    };
    (0..others.iter().product()).map(of).collect()
}

/// Panics unless order statistics are made of the elements along their axes, each row by a workgroup.
pub(crate) fn check_ranks(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
    assert_within(&plan.recording, caps);
    let mut memory = Memory::new();
    for pass in &plan.recording.passes {
        let has_outer = matches!(pass.shader, Shader::Order(OrderShader::RowsOfAxes(..)));
        let is_of_rows = matches!(pass.shader, Shader::Order(OrderShader::Rows(..)));
        assert!(has_outer || is_of_rows, "{plan}");
        for dispatch in &pass.dispatches {
            let run = Run {
                constants: pass.constants.iter().copied().collect(),
                dispatch,
                input: problem.first(),
                beside: Beside::Nothing,
                kernel: AxisKernel::Rows,
                finishes: true,
                of_axes: false,
                stores_quads: false,
                per_quad: 1,
                element_bytes: problem.element.size_bytes(),
                result_bytes: plan.result_bytes,
                accumulator_bytes: 0,
            };
            let AxisParameters { workgroups, turns, rows, length, .. } = run.told();
            let [x, y, _] = dispatch.grid;
            assert_eq!(workgroups, x * y, "{plan}");
            assert!(u64::from(workgroups) * u64::from(turns) >= rows.into(), "{plan}");
            let (place, bytes) = run.binding(binding::TARGET);
            let bytes = bytes.unwrap();
            for row in 0..rows {
                let at = |k: u32| run.first(row).wrapping_add(run.element_of_row(k, has_outer));
                let made = (0..length).map(|k| run.element(at(k))).collect();
                let slot = u64::from(run.told().first_slot + run.offsets(row)[1]);
                let at = bytes.start + slot * plan.result_bytes;
                assert!(at + plan.result_bytes <= bytes.end, "{plan}");
                let before = memory.insert((place, at / plan.result_bytes), made);
                assert!(before.is_none(), "{slot} is written twice");
            }
        }
    }
    let mut results = left(memory, problem, plan);
    for made in &mut results {
        made.sort_unstable();
    }
    assert_eq!(results, expected(problem), "{problem:?}\n{plan}");
}

/// Panics unless each result of the plan is made of the elements along its axis, each once; and the number of those that a
/// mask leaves of the mask's bytes.
pub(crate) fn check(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
    if let (Outputs::MaskedAxis { counts: Some(first) }, Shape::Axis(view, axes)) =
        (&plan.outputs, problem.shape)
    {
        let counting = counting(problem, (view, axes), *first);
        let counted = counting.plan(caps).unwrap();
        let mut results = plan.clone();
        let behind = results.recording.passes.len() - counted.recording.passes.len();
        let mut alone = Recording::new();
        alone.append(counted.recording.clone(), problem.first().len());
        assert_eq!(results.recording.passes.split_off(behind), alone.passes, "{plan}");
        assert!(*first >= plan.results * plan.result_bytes, "{plan}");
        results.outputs = Outputs::MaskedAxis { counts: None };
        check(&counting, &counted, caps);
        return check(problem, &results, caps);
    }
    let mut results = follow(problem, plan, caps);
    for made in &mut results {
        made.sort_unstable();
    }
    assert_eq!(results, expected(problem), "{problem:?}\n{plan}");
}
