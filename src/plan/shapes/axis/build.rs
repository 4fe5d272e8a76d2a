//! The passes of a reduction along an axis, whatever folds it.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::cut::source::Beside;
use crate::plan::cut::window::{QUAD_BYTES, Run, WORD_BYTES};
use crate::plan::folding::Folding;
use crate::plan::limits::{check_dispatches, end_of, unsupported};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    AxisParameters, Bound, Contents, Parameters, Place, PlannedPass, RecordedDispatch, Recording,
    Scratch, binding, low_word,
};
use crate::plan::shapes::axis::axes::AxisSet;
use crate::plan::shapes::axis::cut::{Block, Cutter, Piece, Seen, Strip, Window};
use crate::plan::shapes::axis::form::{Form, Spreader};
use crate::plan::shapes::axis::grid::Grids;
use crate::plan::shapes::axis::in_order::InOrder;
use crate::plan::shapes::axis::shader::{AxisKernel, Leaves};
use crate::plan::shapes::axis::tuning::AxisTuning;
use crate::plan::shapes::axis::view::{Along, Dimension, View};
use crate::plan::shapes::axis::walk::{Order, Walk};
use std::ops::Range;

/// Where a pass reads and writes.
struct Ends {
    source: Bound,
    target: Bound,
    /// A second input or a mask, and from an index behind the source to one there.
    beside: Option<(Bound, u32)>,
    first: u32,
    first_slot: u32,
    part_slots: u64,
    len: u64,
    /// Where on the axis the stretch begins, as kernels are to count.
    axis: u64,
    /// What is added to indices when partials of several axes are left.
    place: u64,
}

/// What a block reads: its window, and that beside it.
struct Windows {
    input: Window,
    beside: Option<Window>,
}

/// A block with its windows, and how it is spread.
struct Spread<'a> {
    block: &'a Block,
    windows: Windows,
    form: Form,
    /// Shares of a row at one position before the block's own, of those that follow each other.
    shares_before: u64,
    /// How many follow each other there.
    shares: u64,
    /// Partials of a row before those.
    before: u64,
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

/// Plans the passes of a problem along axes of a view.
pub(crate) fn lower(
    problem: &Problem<'_>,
    (view, axes): (View, AxisSet),
    caps: &Caps,
) -> Result<Plan> {
    let (element, output_offset_bytes) = (problem.element, problem.output_offset_bytes());
    let folding = Folding::of(problem.fold, element)?;
    let accumulator_bytes = folding.accumulator_bytes();
    let tuning = problem.tuning(|| AxisTuning::for_accumulators(caps, accumulator_bytes))?;
    let element_bytes = element.size_bytes();
    let along =
        view.along(axes, Walk { order: order(&folding), element_bytes, accumulator_bytes })?;
    if along.results > 0 {
        folding.check_len(element, along.elements())?;
    }
    caps.check()?;
    check_offsets(problem, folding.output_bytes())?;
    check_lengths(problem, view)?;
    end_of(output_offset_bytes, [along.results, folding.output_bytes()])?;
    let tuning = tuning.fitted(caps, accumulator_bytes);
    tuning.validate(caps)?;
    let (along, recording) = (&along, Recording::new());
    Builder { problem, folding, caps, along, tuning, recording, dispatches: 0, roundings: 0 }
        .build()
}

/// Fails unless the view lies in the input, and what is beside it has as many elements.
fn check_lengths(problem: &Problem<'_>, view: View) -> Result<()> {
    let left = len_of(problem.first());
    if let Beside::Partners(parts) | Beside::Mask(parts) = problem.beside() {
        let right = len_of(parts);
        if left != right {
            return Err(Error::LengthMismatch { left, right });
        }
    }
    view.check_len(left)
}

/// In what order elements of several axes may be taken.
fn order(folding: &Folding<'_>) -> Order {
    match folding {
        Folding::Operation { over, .. } if over.lifting.finds_indices() => Order::Indexed,
        Folding::Operation { .. } => Order::Any,
        Folding::Custom { .. } => Order::OfView,
    }
}

/// Fails unless elements, and results of so many bytes, lie where they can.
pub(crate) fn check_offsets(problem: &Problem<'_>, result_bytes: u64) -> Result<()> {
    let outputs = [(problem.output_offset_bytes(), result_bytes)];
    let bytes = problem.element.size_bytes();
    let parts = problem.inputs.iter().flat_map(|parts| parts.iter());
    let inputs = parts.map(|part| (part.offset_bytes, bytes));
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
                pieces.extend(piece.halves().ok_or_else(too_long)??.into_iter().rev());
            }
            check_dispatches(self.dispatches)?;
        }
        let (folding, element, caps) = (self.folding, self.problem.element, self.caps);
        let (results, len) = (self.along.results, self.along.elements());
        Ok(Plan {
            operation: folding.name(),
            element,
            inputs: self.problem.inputs.len(),
            len,
            results,
            roundings: if folding.rounds() { self.roundings } else { 0 },
            tuning: self.tuning.into(),
            input_bytes: results.saturating_mul(len).saturating_mul(self.bytes_of_element()),
            result_bytes: folding.output_bytes(),
            loads_in_flight: folding.loads_in_flight(caps, element, len),
            outputs: Outputs::Axis,
            recording: self.recording.within(caps)?,
        })
    }

    /// Bytes that are read for an element.
    fn bytes_of_element(&self) -> u64 {
        let beside = self.beside().map_or(0, |beside| beside.element_bytes);
        self.problem.element.size_bytes() + beside
    }

    /// A second input, or a mask.
    fn beside(&self) -> Option<Seen<'_>> {
        let (parts, element_bytes) = match self.problem.beside() {
            Beside::Nothing => return None,
            Beside::Partners(parts) => (parts, self.problem.element.size_bytes()),
            Beside::Mask(parts) => (parts, 1),
        };
        Some(Seen { parts, element_bytes })
    }

    /// The kernel of elements, if something is beside them.
    fn kernel_beside(&self) -> Option<AxisKernel> {
        match self.problem.beside() {
            Beside::Nothing => None,
            Beside::Partners(_) => Some(AxisKernel::Pairs),
            Beside::Mask(_) => Some(AxisKernel::Masked),
        }
    }

    fn cutter(&self) -> Cutter<'_> {
        let element_bytes = self.problem.element.size_bytes();
        Cutter {
            along: self.along,
            input: Seen { parts: self.problem.first(), element_bytes },
            beside: self.beside(),
            output_bytes: self.folding.output_bytes(),
            caps: self.caps,
        }
    }

    /// How a stretch behind a window is spread, of rows as `strip` has them, which may have so many shares.
    fn spread(
        &self,
        strip: &Strip,
        (window, most_shares): (&Window, u64),
        len: u64,
        leaves_quads: bool,
    ) -> Option<Form> {
        match self.spreader(most_shares) {
            Ok(spreader) => spreader.spread(strip, window, len, leaves_quads),
            Err(in_order) => {
                let kernel = self.kernel_beside().unwrap_or(AxisKernel::Columns);
                in_order.spread(kernel, strip, len)
            }
        }
    }

    /// Every block of a piece with its form, if all have one.
    fn spreads<'p>(
        &self,
        Piece { strip, blocks }: &'p Piece,
        leaves_quads: bool,
    ) -> Result<Option<Vec<Spread<'p>>>> {
        let cutter = self.cutter();
        let positions = blocks.iter().map(|block| block.strip.positions()).sum::<u64>();
        // Several rows can be cut into fewer, one cannot.
        let room = self.caps.max_binding_bytes / self.folding.accumulator_bytes().max(1);
        let of_one = (room / positions.max(1)).max(1);
        let most_shares = if strip.rows() > 1 { u64::MAX } else { of_one };
        let mut spreads: Vec<Spread<'p>> = Vec::with_capacity(blocks.len());
        let mut before = 0;
        for of_positions in blocks.chunk_by(|one, next| one.strip == next.strip) {
            let first = spreads.len();
            let mut shares = 0;
            for block in of_positions {
                let windows =
                    Windows { input: cutter.window(block)?, beside: cutter.window_beside(block)? };
                let rows = self.rows_of(block, 1);
                let rows = rows.as_ref().unwrap_or(strip);
                let len = block.stretch.end - block.stretch.start;
                let form = self.spread(rows, (&windows.input, most_shares), len, leaves_quads);
                let Some(form) = form else { return Ok(None) };
                let shares_before = shares;
                shares += form.parts;
                spreads.push(Spread { block, windows, form, shares_before, shares: 0, before });
            }
            for spread in spreads.iter_mut().skip(first) {
                spread.shares = shares;
            }
            before += shares * of_positions.first().map_or(0, |block| block.strip.positions());
        }
        Ok(Some(spreads))
    }

    /// The rows of a block where several axes leave partials of them, so many shares of each at a position.
    fn rows_of(&self, block: &Block, shares: u64) -> Option<Strip> {
        let is_in_order = self.along.is_in_order;
        let each = if is_in_order { shares } else { 1 };
        self.has_outer().then(|| block.strip.of_partials(each, is_in_order))
    }

    /// Whether there are reduced dimensions besides the one that kernels walk.
    fn has_outer(&self) -> bool {
        !self.along.outer.is_empty()
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
                let beside = self.kernel_beside();
                Ok(Spreader { along, element, over, tuning, caps, most_parts, beside })
            }
            Folding::Custom { .. } => {
                Err(InOrder { grids: Grids { tuning, caps }, stride: along.stride })
            }
        }
    }

    fn pieces(&self) -> Result<Vec<Piece>> {
        let Along { results, len, .. } = *self.along;
        if results == 0 {
            return Ok(Vec::new());
        }
        let mut strip = Strip::of(self.along);
        if len > 0 {
            return self.cutter().pieces(strip);
        }
        // Nothing is read, and results lie side by side.
        strip.kept = vec![Dimension { extent: results, stride: 0, slots: 1, places: 0 }];
        let along = Along { len: 1, stride: 0, ..self.along.clone() };
        let input = Seen { parts: &[], ..self.cutter().input };
        let mut pieces =
            Cutter { along: &along, input, beside: None, ..self.cutter() }.pieces(strip)?;
        for piece in &mut pieces {
            piece.blocks.clear();
        }
        Ok(pieces)
    }

    /// Folds the rows of a piece, unless they are more than a device can fold at once.
    fn fold(&mut self, piece: &Piece) -> Result<bool> {
        let Piece { strip, blocks } = piece;
        let is_alone = blocks.len() == 1 && !self.problem.ends.in_place && !self.has_outer();
        let leaves_quads = is_alone && self.result(strip)?.1.is_multiple_of(4);
        let Some(spreads) = self.spreads(piece, leaves_quads)? else { return Ok(false) };
        let parts: u64 =
            spreads.iter().map(|one| one.form.parts * one.block.strip.positions()).sum();
        let mut roundings = spreads.iter().map(|one| one.form.roundings).max().unwrap_or(0);
        if parts == 1 && !self.problem.ends.in_place && !self.has_outer() {
            for Spread { block, windows, form, .. } in spreads {
                let (target, first_slot) = self.result(strip)?;
                let stores_quads = form.stores_quads && leaves_quads;
                let form = Form { stores_quads, ..form };
                self.push_gather(block, windows, &form, target, (first_slot, 0))?;
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
        if bytes > self.caps.max_binding_bytes && self.has_outer() {
            return Err(unsupported(format!("{parts} partials of one result in one binding")));
        }
        roundings += fold.roundings;
        self.roundings = self.roundings.max(roundings);
        let place = self.scratch(bytes);
        let partials = |binding| Bound { binding, place, bytes: (bytes > 0).then_some(0..bytes) };
        for spread in spreads {
            self.push_shares(spread, rows, partials(binding::TARGET))?;
        }
        let (target, first_slot) = self.result(strip)?;
        let (source, beside) = (partials(binding::SOURCE), None);
        let (first, part_slots, len, axis, place) = (0, rows, parts, 0, 0);
        self.push(
            strip,
            &fold,
            true,
            Ends { source, target, beside, first, first_slot, part_slots, len, axis, place },
        )?;
        Ok(true)
    }

    /// Leaves partials of a block, for so many rows of its piece.
    fn push_shares(&mut self, spread: Spread<'_>, rows: u64, target: Bound) -> Result<()> {
        let Spread { block, windows, form, shares_before, shares, before } = spread;
        // Those of other positions lie between, or behind.
        let at_once = if self.along.is_in_order { 1 } else { block.strip.positions() };
        let first_slot = to_u32((before + shares_before * at_once) * rows)?;
        let with_shares = self.rows_of(block, shares);
        let slots = (first_slot, at_once * rows);
        match with_shares {
            Some(strip) => {
                let block = Block { strip, stretch: block.stretch.clone() };
                self.push_gather(&block, windows, &form, target, slots)
            }
            None => self.push_gather(block, windows, &form, target, slots),
        }
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
        Block { strip, stretch }: &Block,
        windows: Windows,
        form: &Form,
        target: Bound,
        (first_slot, part_slots): (u32, u64),
    ) -> Result<()> {
        let Window { part, bytes, first } = windows.input;
        let beside = windows.beside.map(|window| self.bound_beside(window, first));
        let place = Place::Input(part);
        let source = Bound { binding: binding::SOURCE, place, bytes: Some(bytes) };
        let len = stretch.end - stretch.start;
        // Of several axes the place of a row says where the stretch begins, too.
        let (axis, place) =
            if self.has_outer() { (0, strip.place + stretch.start) } else { (stretch.start, 0) };
        let ends = Ends { source, target, beside, first, first_slot, part_slots, len, axis, place };
        self.push(strip, form, part_slots == 0, ends)
    }

    /// What is bound beside a window whose first row begins there, and how far its index is from that. Buffers follow
    /// those of the input.
    fn bound_beside(&self, beside: Window, first: u32) -> (Bound, u32) {
        let place = Place::Input(self.problem.first().len() + beside.part);
        let bound = Bound { binding: binding::PARTNER_WORDS, place, bytes: Some(beside.bytes) };
        (bound, beside.first.wrapping_sub(first))
    }

    fn push(&mut self, strip: &Strip, form: &Form, finishes: bool, ends: Ends) -> Result<()> {
        let (folding, element, caps) = (self.folding, self.problem.element, self.caps);
        let leaves = match (finishes, self.has_outer()) {
            (true, _) => Leaves::Results,
            (false, false) => Leaves::Partials,
            (false, true) => Leaves::PartialsOfAxes,
        };
        let shader = form.shader(&folding, leaves, element, caps);
        let mut constants = form.constants.clone();
        constants.extend(form.device_constants(caps));
        let constants = folding.names(constants);
        self.dispatches += 1;
        let parameters = self.parameters(strip, form, &ends)?;
        let reads_quads = match form.kernel {
            AxisKernel::Rows | AxisKernel::Packed | AxisKernel::Columns => true,
            AxisKernel::Pairs | AxisKernel::Masked | AxisKernel::Parts => false,
        };
        let mut bindings = vec![ends.source, ends.target];
        bindings.extend(ends.beside.map(|(beside, _)| beside));
        if let (true, [source, ..]) = (reads_quads, &bindings[..]) {
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
            _ => wrapped(self.along.stride),
        };
        let dimensions = dimensions(strip.kept.iter().rev())?;
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
            place_low: low_word(ends.place),
            place_high: low_word(ends.place >> 32),
            dimensions,
            identity_bits: self.folding.identity(),
            delta: ends.beside.as_ref().map_or(0, |&(_, delta)| delta),
        };
        Ok(parameters.words())
    }
}

/// The last is first.
fn dimensions<'a>(of: impl Iterator<Item = &'a Dimension>) -> Result<[[u32; 4]; 5]> {
    let mut dimensions = [[0; 4]; 5];
    for (words, dimension) in dimensions.iter_mut().zip(of) {
        let Dimension { extent, stride, slots, places } = *dimension;
        *words = [to_u32(extent)?, wrapped(stride), to_u32(slots)?, to_u32(places)?];
    }
    Ok(dimensions)
}

/// Where rows lie of which each is one workgroup's, and where their results go.
pub(crate) struct Spot {
    pub(crate) first: u32,
    pub(crate) first_slot: u32,
    pub(crate) grid: [u32; 2],
    pub(crate) turns: u32,
}

/// The dimensions of such rows: of one row at several outer positions there are none, since a shader has no room for more.
pub(crate) fn of_rows(strip: &Strip) -> &[Dimension] {
    let is_one = strip.rows() == 1 && !strip.outer.is_empty();
    if is_one { &[] } else { &strip.kept }
}

/// What a kernel is told of such rows: of several axes, the outer dimensions behind those of the rows.
pub(crate) fn row_parameters(along: &Along, strip: &Strip, spot: &Spot) -> Result<Vec<u32>> {
    let Spot { first, first_slot, grid: [x, y], turns } = *spot;
    let outer = &strip.outer;
    let parameters = AxisParameters {
        first,
        length: to_u32(along.elements())?,
        stride: wrapped(along.stride),
        rows: to_u32(strip.rows())?,
        parts: 1,
        share: if outer.is_empty() { 0 } else { to_u32(along.len)? },
        workgroups: x * y,
        turns,
        first_slot,
        dimensions: dimensions(of_rows(strip).iter().rev().chain(outer.iter().rev()))?,
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
