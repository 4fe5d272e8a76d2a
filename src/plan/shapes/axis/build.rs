//! The passes of a reduction along an axis, whatever folds it.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::cut::window::{QUAD_BYTES, Run, WORD_BYTES};
use crate::plan::folding::Folding;
use crate::plan::limits::{check_dispatches, end_of};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    AxisParameters, Bound, Contents, Parameters, Place, PlannedPass, RecordedDispatch, Recording,
    Scratch, binding, low_word,
};
use crate::plan::shapes::axis::cut::{Cutter, Piece, Strip, Window};
use crate::plan::shapes::axis::form::{Form, Spreader};
use crate::plan::shapes::axis::grid::Grids;
use crate::plan::shapes::axis::in_order::InOrder;
use crate::plan::shapes::axis::shader::AxisKernel;
use crate::plan::shapes::axis::tuning::AxisTuning;
use crate::plan::shapes::axis::view::{Along, Dimension, View};
use std::ops::Range;

/// Where a pass reads and writes.
struct Ends {
    source: Bound,
    target: Bound,
    first: u32,
    first_slot: u32,
    part_slots: u64,
    len: u64,
    /// Where on the axis the stretch begins.
    axis: u64,
}

struct Builder<'a> {
    problem: &'a Problem<'a>,
    folding: Folding<'a>,
    caps: &'a Caps,
    along: &'a Along,
    tuning: AxisTuning,
    recording: Recording,
    dispatches: usize,
    roundings: u64,
}

/// Plans the passes of a problem along an axis of a view.
pub(crate) fn lower(
    problem: &Problem<'_>,
    (view, axis): (View, usize),
    caps: &Caps,
) -> Result<Plan> {
    let (element, output_offset_bytes) = (problem.element, problem.output_offset_bytes());
    let folding = Folding::of(problem.fold, element)?;
    let accumulator_bytes = folding.accumulator_bytes();
    let tuning = problem.tuning(|| AxisTuning::for_accumulators(caps, accumulator_bytes))?;
    if view.without(axis)?.iter().product::<u64>() > 0 {
        folding.check_len(element, view.extent(axis))?;
    }
    caps.check()?;
    check_offsets(problem, folding.output_bytes())?;
    view.check_len(len_of(problem.first()))?;
    let along = view.along(axis)?;
    end_of(output_offset_bytes, [along.results, folding.output_bytes()])?;
    let tuning = tuning.fitted(caps, accumulator_bytes);
    tuning.validate(caps)?;
    let (along, recording) = (&along, Recording::new());
    Builder { problem, folding, caps, along, tuning, recording, dispatches: 0, roundings: 0 }
        .build()
}

/// Fails unless elements, and results of so many bytes, lie where they can.
pub(crate) fn check_offsets(problem: &Problem<'_>, result_bytes: u64) -> Result<()> {
    let outputs = [(problem.output_offset_bytes(), result_bytes)];
    let bytes = problem.element.size_bytes();
    let inputs = problem.first().iter().map(|part| (part.offset_bytes, bytes));
    for (offset, bytes) in inputs.chain(outputs) {
        if !offset.is_multiple_of(bytes) {
            let what = format!("offset {offset} is not a multiple of {bytes} bytes");
            return Err(Error::InvalidBuffer { what });
        }
    }
    Ok(())
}

impl Builder<'_> {
    fn build(mut self) -> Result<Plan> {
        let mut pieces = self.pieces()?;
        pieces.reverse();
        while let Some(piece) = pieces.pop() {
            if !self.fold(&piece)? {
                let halves = piece.strip.halves().ok_or_else(too_long)??.into_iter().rev();
                let stretches = piece.stretches;
                pieces.extend(halves.map(|strip| Piece { strip, stretches: stretches.clone() }));
            }
            check_dispatches(self.dispatches)?;
        }
        let (folding, element, caps) = (self.folding, self.problem.element, self.caps);
        let Along { results, len, .. } = *self.along;
        Ok(Plan {
            operation: folding.name(),
            element,
            inputs: 1,
            len,
            results,
            roundings: if folding.rounds() { self.roundings } else { 0 },
            tuning: self.tuning.into(),
            input_bytes: results.saturating_mul(len).saturating_mul(element.size_bytes()),
            result_bytes: folding.output_bytes(),
            loads_in_flight: folding.loads_in_flight(caps, element, len),
            outputs: Outputs::Axis,
            recording: self.recording.within(caps)?,
        })
    }

    fn cutter(&self) -> Cutter<'_> {
        Cutter {
            along: self.along,
            input: self.problem.first(),
            element_bytes: self.problem.element.size_bytes(),
            output_bytes: self.folding.output_bytes(),
            caps: self.caps,
        }
    }

    /// How a stretch of a strip is spread, one of so many.
    fn spread(
        &self,
        strip: &Strip,
        (window, stretches): (&Window, usize),
        len: u64,
        leaves_quads: bool,
    ) -> Option<Form> {
        // Several rows can be cut into fewer, one cannot.
        let room = self.caps.max_binding_bytes / self.folding.accumulator_bytes().max(1);
        let of_stretch = (room / stretches.max(1) as u64).max(1);
        match self.spreader(if strip.rows() > 1 { u64::MAX } else { of_stretch }) {
            Ok(spreader) => spreader.spread(strip, window, len, leaves_quads),
            Err(in_order) => in_order.spread(AxisKernel::Columns, strip, len),
        }
    }

    /// How the pass that folds so many partials of each row is spread.
    fn spread_parts(&self, strip: &Strip, count: u64) -> Option<Form> {
        match self.spreader(u64::MAX) {
            Ok(spreader) => spreader.parts(strip, count),
            // All of them are one part.
            Err(in_order) => in_order.spread(AxisKernel::Parts, strip, count),
        }
        .filter(|form| form.parts == 1)
    }

    fn spreader(&self, most_parts: u64) -> std::result::Result<Spreader<'_>, InOrder<'_>> {
        let (folding, element, caps) = (self.folding, self.problem.element, self.caps);
        let (along, tuning) = (self.along, self.tuning);
        match folding {
            Folding::Operation { over, .. } => {
                Ok(Spreader { along, element, over, tuning, caps, most_parts })
            }
            Folding::Custom { .. } => {
                Err(InOrder { grids: Grids { tuning, caps }, stride: along.stride })
            }
        }
    }

    fn pieces(&self) -> Result<Vec<Piece>> {
        let Along { results, len, ref kept, offset, .. } = *self.along;
        if results == 0 {
            return Ok(Vec::new());
        }
        let mut strip = Strip { kept: kept.clone(), first: offset.into(), first_slot: 0 };
        if len > 0 {
            return self.cutter().pieces(strip);
        }
        // Nothing is read, and results lie side by side.
        strip.kept = vec![Dimension { extent: results, stride: 0, slots: 1 }];
        let along = Along { len: 1, stride: 0, ..self.along.clone() };
        let mut pieces = Cutter { along: &along, input: &[], ..self.cutter() }.pieces(strip)?;
        for piece in &mut pieces {
            piece.stretches.clear();
        }
        Ok(pieces)
    }

    /// Folds the rows of a piece, unless they are more than a device can fold at once.
    fn fold(&mut self, piece: &Piece) -> Result<bool> {
        let Piece { strip, stretches } = piece;
        let mut forms = Vec::new();
        let is_alone = stretches.len() == 1 && !self.problem.ends.in_place;
        let leaves_quads = is_alone && self.result(strip)?.1.is_multiple_of(4);
        for stretch in stretches {
            let window = self.cutter().window(strip, stretch)?;
            let len = stretch.end - stretch.start;
            match self.spread(strip, (&window, stretches.len()), len, leaves_quads) {
                Some(form) => forms.push((stretch.clone(), window, form)),
                None => return Ok(false),
            }
        }
        let parts = forms.iter().map(|(_, _, form)| form.parts).sum::<u64>();
        let mut roundings = forms.iter().map(|(_, _, form)| form.roundings).max().unwrap_or(0);
        if parts == 1 && !self.problem.ends.in_place {
            for (stretch, window, form) in forms {
                let (target, first_slot) = self.result(strip)?;
                let stores_quads = form.stores_quads && leaves_quads;
                let form = Form { stores_quads, ..form };
                self.push_gather(strip, stretch, window, &form, target, (first_slot, 0))?;
            }
            self.roundings = self.roundings.max(roundings);
            return Ok(true);
        }
        let rows = strip.rows();
        let bytes = parts.saturating_mul(rows).saturating_mul(self.folding.accumulator_bytes());
        let Some(fold) = self.spread_parts(strip, parts) else { return Ok(false) };
        if bytes > self.caps.max_binding_bytes.min(self.tuning.max_partial_bytes) && rows > 1 {
            return Ok(false);
        }
        roundings += fold.roundings;
        self.roundings = self.roundings.max(roundings);
        let place = self.scratch(bytes);
        let partials = |binding| Bound { binding, place, bytes: (bytes > 0).then_some(0..bytes) };
        let mut part = 0;
        for (stretch, window, form) in forms {
            let first_slot = to_u32(part * rows)?;
            part += form.parts;
            let target = partials(binding::TARGET);
            self.push_gather(strip, stretch, window, &form, target, (first_slot, rows))?;
        }
        let (target, first_slot) = self.result(strip)?;
        let source = partials(binding::SOURCE);
        let (first, part_slots, len, axis) = (0, rows, parts, 0);
        self.push(
            strip,
            &fold,
            true,
            Ends { source, target, first, first_slot, part_slots, len, axis },
        )?;
        Ok(true)
    }

    /// Strips follow each other, so they share one scratch buffer.
    fn scratch(&mut self, bytes: u64) -> Place {
        let wanted = Scratch { bytes: bytes.max(WORD_BYTES), contents: Contents::Anything };
        match self.recording.scratch.first_mut() {
            Some(there) => there.bytes = there.bytes.max(wanted.bytes),
            None => self.recording.scratch.push(wanted),
        }
        Place::Scratch(0)
    }

    /// What is bound of the output for a strip, and where in it the first result goes.
    fn result(&self, strip: &Strip) -> Result<(Bound, u32)> {
        let bytes = self.folding.output_bytes();
        let offset_bytes = self.problem.output_offset_bytes() + strip.first_slot * bytes;
        let results = Run { offset_bytes, len: strip.slots(), element_bytes: bytes };
        let (bytes, first) = results.bound(self.caps)?;
        let target = Bound { binding: binding::TARGET, place: Place::Output, bytes: Some(bytes) };
        Ok((target, first))
    }

    fn push_gather(
        &mut self,
        strip: &Strip,
        stretch: Range<u64>,
        window: Window,
        form: &Form,
        target: Bound,
        (first_slot, part_slots): (u32, u64),
    ) -> Result<()> {
        let Window { part, bytes, first } = window;
        let place = Place::Input(part);
        let source = Bound { binding: binding::SOURCE, place, bytes: Some(bytes) };
        let (len, axis) = (stretch.end - stretch.start, stretch.start);
        let ends = Ends { source, target, first, first_slot, part_slots, len, axis };
        self.push(strip, form, part_slots == 0, ends)
    }

    fn push(&mut self, strip: &Strip, form: &Form, finishes: bool, ends: Ends) -> Result<()> {
        let (folding, element, caps) = (self.folding, self.problem.element, self.caps);
        let shader = form.shader(&folding, finishes, element, caps);
        let mut constants = form.constants.clone();
        constants.extend(form.device_constants(caps));
        let constants = folding.names(constants);
        self.dispatches += 1;
        let parameters = self.parameters(strip, form, &ends)?;
        let mut bindings = vec![ends.source, ends.target];
        if let (true, [source, ..]) = (form.kernel != AxisKernel::Parts, &bindings[..]) {
            let bytes = source.bytes.clone().map(|bytes| whole_quads(&bytes));
            let bytes = bytes.filter(|bytes| !bytes.is_empty());
            bindings.push(Bound { binding: binding::VECTORS, place: source.place, bytes });
        }
        let [x, y] = form.grid;
        let dispatch = RecordedDispatch { bindings, parameters, grid: [x, y, 1] };
        match self.recording.passes.last_mut() {
            Some(pass) if pass.shader == shader && pass.constants == constants => {
                pass.dispatches.push(dispatch);
            }
            _ => {
                let dispatches = vec![dispatch];
                self.recording.passes.push(PlannedPass { shader, constants, dispatches });
            }
        }
        Ok(())
    }

    fn parameters(&self, strip: &Strip, form: &Form, ends: &Ends) -> Result<Vec<u32>> {
        let [x, y] = form.grid;
        let stride = match form.kernel {
            AxisKernel::Parts => to_u32(ends.part_slots)?,
            AxisKernel::Rows | AxisKernel::Packed | AxisKernel::Columns => {
                wrapped(self.along.stride)
            }
        };
        let dimensions = dimensions(strip)?;
        let parameters = AxisParameters {
            first: ends.first,
            length: to_u32(ends.len)?,
            stride,
            rows: to_u32(form.rows)?,
            parts: to_u32(form.parts)?,
            share: to_u32(form.share)?,
            workgroups: x * y,
            turns: form.turns,
            first_slot: ends.first_slot,
            part_slots: to_u32(ends.part_slots)?,
            axis_low: low_word(ends.axis),
            axis_high: low_word(ends.axis >> 32),
            units: to_u32(form.units)?,
            tiles: to_u32(form.tiles)?,
            dimensions,
            identity_bits: self.folding.identity(),
        };
        Ok(parameters.words())
    }
}

fn dimensions(strip: &Strip) -> Result<[[u32; 4]; 5]> {
    let mut dimensions = [[0; 4]; 5];
    for (words, dimension) in dimensions.iter_mut().zip(strip.kept.iter().rev()) {
        let Dimension { extent, stride, slots } = *dimension;
        *words = [to_u32(extent)?, wrapped(stride), to_u32(slots)?, 0];
    }
    Ok(dimensions)
}

/// Where rows lie of which each is one workgroup's, and where their results go.
pub(crate) struct Spot {
    pub(crate) first: u32,
    pub(crate) first_slot: u32,
    pub(crate) len: u64,
    pub(crate) grid: [u32; 2],
    pub(crate) turns: u32,
}

/// What a kernel is told of such rows.
pub(crate) fn row_parameters(along: &Along, strip: &Strip, spot: &Spot) -> Result<Vec<u32>> {
    let Spot { first, first_slot, len, grid: [x, y], turns } = *spot;
    let parameters = AxisParameters {
        first,
        length: to_u32(len)?,
        stride: wrapped(along.stride),
        rows: to_u32(strip.rows())?,
        parts: 1,
        workgroups: x * y,
        turns,
        first_slot,
        dimensions: dimensions(strip)?,
        ..AxisParameters::default()
    };
    Ok(parameters.words())
}

fn whole_quads(bytes: &Range<u64>) -> Range<u64> {
    let len = bytes.end - bytes.start;
    bytes.start..bytes.start + (len - len % QUAD_BYTES)
}

fn too_long() -> Error {
    let what = "one row takes more turns than the device allows with this tuning".into();
    Error::InvalidTuning { what }
}

/// What cutting has made fit; a shader with another number would have another result.
fn to_u32(value: u64) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::InvalidView {
        what: format!("a shader would have to count to {value}, which is beyond 32 bits"),
    })
}

/// A stride modulo 2^32, as indices are.
const fn wrapped(stride: i64) -> u32 {
    low_word(stride.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::to_u32;
    use crate::error::Error;

    #[test]
    fn numbers_beyond_a_word_are_refused() {
        assert_eq!(to_u32(u32::MAX.into()), Ok(u32::MAX));
        assert!(matches!(to_u32(1 << 32), Err(Error::InvalidView { .. })));
    }
}
