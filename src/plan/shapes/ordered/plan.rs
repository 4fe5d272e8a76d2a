//! What a custom operator runs, decided before anything touches a device.

use crate::error::{Error, Result};
use crate::op::operator::Operator;
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::cut::source::{Reading, readings};
use crate::plan::cut::window::{QUAD_BYTES, Run, WORD_BYTES, Window};
use crate::plan::geometry;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, Contents, CustomParameters, Parameters, Place, PlannedPass, RecordedDispatch, Recording,
    Scratch, binding, low_word,
};
use crate::plan::tuning::{Combining, Tuning};
use crate::shader::Shader;
use crate::shader::custom::shader::{CustomShader, Kernel, Leaves, Reads};
use std::ops::Range;
use std::sync::Arc;

/// Plans the passes of a problem of a whole input that an operator folds in order.
pub(crate) fn lower(
    problem: &Problem<'_>,
    (operator, identity): (&Arc<Operator>, [u32; 4]),
    caps: &Caps,
) -> Result<Plan> {
    let longest = len_of(problem.first()).max(problem.second().map_or(0, len_of));
    let element = operator.input.element;
    let bytes = longest.saturating_mul(element.size_bytes());
    let shape = geometry::ordered(caps.class, bytes);
    let tuning = problem.tuning(|| Tuning::of(caps, shape, Combining::Passes))?;
    caps.check()?;
    let tuning = fitted(tuning, operator, caps)?;
    let recording = Recording::new();
    let mut builder = Builder { problem, operator, identity, tuning, caps, recording };
    let len = builder.fold_elements()?;
    let inputs = 1 + usize::from(operator.input.paired);
    Ok(Plan {
        operation: "custom operator",
        element,
        inputs,
        len,
        results: 1,
        // Nobody knows the roundings of an operator.
        roundings: u64::MAX,
        tuning: tuning.into(),
        input_bytes: len.saturating_mul(inputs as u64).saturating_mul(element.size_bytes()),
        result_bytes: operator.result_bytes(),
        loads_in_flight: 0,
        outputs: Outputs::Whole,
        recording: builder.recording.within(caps)?,
    })
}

/// The tuning with tiles that fit into a workgroup's memory.
fn fitted(mut tuning: Tuning, operator: &Operator, caps: &Caps) -> Result<Tuning> {
    tuning.combining = Combining::Passes;
    let stride_bytes = operator.accumulator.stride_bytes();
    let room = u64::from(caps.workgroup_storage_bytes);
    let fits = |tuning: &Tuning| tuning.tile_quads().saturating_mul(stride_bytes) <= room;
    while !fits(&tuning) && tuning.loads_in_flight > 1 {
        tuning.loads_in_flight /= 2;
    }
    while !fits(&tuning) && tuning.workgroup_size > 1 {
        tuning.workgroup_size /= 2;
    }
    tuning.validate(caps, stride_bytes * u64::from(tuning.loads_in_flight))?;
    Ok(tuning)
}

/// So many have indices of 32 bits.
const MAX_ELEMENTS: u64 = 1 << 32;

/// Where loops are ended early, those of the user's text share a device's turns with the kernel's: an
/// invocation gets no more elements than leave this many for each.
const TURNS_PER_ELEMENT: u32 = 60;

struct Builder<'a> {
    problem: &'a Problem<'a>,
    operator: &'a Arc<Operator>,
    identity: [u32; 4],
    tuning: Tuning,
    caps: &'a Caps,
    recording: Recording,
}

/// How units are shared.
#[derive(Debug, Clone, Copy)]
struct Shares {
    workgroups: u32,
    /// Units of each workgroup but the last.
    units: u32,
}

impl Builder<'_> {
    /// All passes. Returns how many elements there are.
    fn fold_elements(&mut self) -> Result<u64> {
        let (problem, operator, caps) = (self.problem, self.operator, self.caps);
        let per_quad = operator.input.element.per_quad();
        let most_tiles = u64::from(self.most_tiles(per_quad));
        let tile_bytes = self.tuning.tile_quads() * QUAD_BYTES;
        let max_bytes =
            u64::from(caps.max_grid()).saturating_mul(most_tiles).saturating_mul(tile_bytes);
        let second = operator.input.paired.then(|| problem.second().unwrap_or_default());
        let size = operator.input.element.size_bytes();
        let readings = readings(problem.first(), second.into(), size, caps, max_bytes)?;
        let len = readings.iter().map(|reading| reading.window.len()).sum();
        if len > MAX_ELEMENTS {
            let what = format!("{len} elements are more than indices of 32 bits count");
            return Err(Error::InvalidBuffer { what });
        }
        let room = caps.max_binding_bytes / self.stride_bytes() / readings.len().max(1) as u64;
        let of_each = |it: &Reading| self.shares(it.window.body_quads(), per_quad, room);
        let shares: Vec<_> = readings.iter().map(of_each).collect();
        let partials = shares.iter().map(|shares| u64::from(shares.workgroups)).sum::<u64>();
        let mut count = u32::try_from(partials).map_err(|_| too_many_partials())?;
        if count > 0 {
            let last = count == 1 && !self.problem.ends.in_place;
            let (leaves, target, mut slot) = self.target(last, count)?;
            let mut dispatches = Vec::with_capacity(readings.len());
            for (reading, shares) in readings.iter().zip(shares) {
                dispatches.push(self.dispatch(reading, shares, &target, slot));
                slot += shares.workgroups;
            }
            self.push(Reads::Elements, leaves, dispatches);
            if last {
                count = 0;
            }
        }
        while count > 0 || self.recording.passes.is_empty() {
            count = self.fold_partials(count)?;
        }
        Ok(len)
    }

    /// A later pass over `count` partials. Returns how many are left; none, if it leaves the result.
    fn fold_partials(&mut self, count: u32) -> Result<u32> {
        let source = self.recording.scratch.len().checked_sub(1);
        let bytes = u64::from(count) * self.stride_bytes();
        let bound = Bound {
            binding: binding::SOURCE,
            place: source.map_or(Place::Input(0), Place::Scratch),
            bytes: (count > 0).then_some(0..bytes),
        };
        let window = Window { bytes: 0..bytes, head: 0..0, body: 0..count, tail: 0..0 };
        let reading = Reading { bindings: vec![bound], window, base: 0, delta: 0 };
        let wanted = count.div_ceil(self.tuning.max_partials_per_workgroup);
        let shares = self.shares_among(count, wanted, 1);
        if shares.workgroups > self.caps.max_grid() || shares.workgroups >= count.max(2) {
            return Err(too_many_partials());
        }
        let last = shares.workgroups == 1;
        let (leaves, target, slot) = self.target(last, shares.workgroups)?;
        let dispatch = self.dispatch(&reading, shares, &target, slot);
        self.push(Reads::Partials, leaves, vec![dispatch]);
        Ok(if last { 0 } else { shares.workgroups })
    }

    fn push(&mut self, reads: Reads, leaves: Leaves, dispatches: Vec<RecordedDispatch>) {
        let operator = Arc::clone(self.operator);
        self.recording.passes.push(PlannedPass {
            shader: Shader::Custom(CustomShader::new(operator, Kernel::Whole(reads, leaves))),
            constants: vec![
                ("FOLD_WORKGROUP_SIZE", self.tuning.workgroup_size),
                ("FOLD_LOADS", self.tuning.loads_in_flight),
            ],
            dispatches,
        });
    }

    /// What a pass of so many workgroups leaves, where, and from which slot or word on.
    fn target(&mut self, last: bool, workgroups: u32) -> Result<(Leaves, Bound, u32)> {
        let bound = |place, bytes| Bound { binding: binding::TARGET, place, bytes: Some(bytes) };
        if last {
            let (bytes, word) = self.result()?;
            return Ok((Leaves::Result, bound(Place::Output, bytes), word));
        }
        let bytes = u64::from(workgroups) * self.stride_bytes();
        if bytes > self.caps.max_binding_bytes {
            return Err(too_many_partials());
        }
        let place = Place::Scratch(self.recording.scratch.len());
        self.recording.scratch.push(Scratch { bytes, contents: Contents::Anything });
        Ok((Leaves::Partials, bound(place, 0..bytes), 0))
    }

    /// What is bound of the output: the result, and what lies before it back to an offset that a
    /// binding can have. With how many words that is.
    fn result(&self) -> Result<(Range<u64>, u32)> {
        let offset_bytes = self.problem.output_offset_bytes();
        let len = self.operator.result.size_bytes() / WORD_BYTES;
        Run { offset_bytes, len, element_bytes: WORD_BYTES }.bound(self.caps)
    }

    fn dispatch(
        &self,
        reading: &Reading,
        shares: Shares,
        target: &Bound,
        target_first: u32,
    ) -> RecordedDispatch {
        let Reading { bindings, window, base, delta } = reading;
        let mut bindings = bindings.clone();
        bindings.push(target.clone());
        let parameters = CustomParameters {
            window: window.parameters(),
            workgroups: shares.workgroups,
            share: shares.units,
            base: low_word(*base),
            delta: *delta,
            target_first,
            identity: self.identity,
        };
        let parameters = parameters.words();
        let [x, y] = self.caps.grid(shares.workgroups);
        RecordedDispatch { bindings, parameters, grid: [x, y, 1] }
    }

    /// The shares of units with so many elements each: every workgroup has a whole number of tiles, but
    /// for the last, which has what is left. No more than there is room for what they leave.
    fn shares(&self, units: u32, unit_elements: u64, room: u64) -> Shares {
        let most = room.min(self.tuning.max_workgroups.into());
        let wanted = u64::from(units).div_ceil(self.tuning.share_quads()).min(most);
        self.shares_among(units, u32::try_from(wanted).unwrap_or(u32::MAX), unit_elements)
    }

    /// The shares of about `wanted` workgroups; more, if they have to be.
    fn shares_among(&self, units: u32, wanted: u32, unit_elements: u64) -> Shares {
        let tile = self.tuning.workgroup_size * self.tuning.loads_in_flight;
        let tiles = units.div_ceil(tile);
        let wanted = wanted.clamp(1, self.caps.max_grid());
        let per_workgroup = tiles.div_ceil(wanted).min(self.most_tiles(unit_elements)).max(1);
        let workgroups = tiles.div_ceil(per_workgroup).max(1);
        Shares { workgroups, units: per_workgroup.saturating_mul(tile) }
    }

    /// Tiles that a workgroup may take before its loops have taken all the turns they may.
    fn most_tiles(&self, unit_elements: u64) -> u32 {
        let elements = u64::from(self.caps.max_loop_turns / TURNS_PER_ELEMENT);
        let tiles = elements / (u64::from(self.tuning.loads_in_flight) * unit_elements);
        u32::try_from(tiles.max(1)).unwrap_or(u32::MAX)
    }

    fn stride_bytes(&self) -> u64 {
        self.operator.accumulator.stride_bytes()
    }
}

fn too_many_partials() -> Error {
    Error::InvalidTuning {
        what: "so many workgroups leave more partials than one binding holds".into(),
    }
}
