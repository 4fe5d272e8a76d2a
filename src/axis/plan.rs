//! What will run along an axis, decided before anything touches a device.

use super::cut::{Cutter, Piece, Strip, Window, stretches};
use super::form::{Form, Spreader};
use super::shader::{AxisKernel, AxisShader};
use super::tuning::AxisTuning;
use super::view::{Along, Dimension, View};
use crate::caps::Caps;
use crate::element::ElementKind;
use crate::error::{Error, Result};
use crate::op::{OpRecord, Over};
use crate::plan::Plan;
use crate::recording::{
    Bound, Contents, Place, RecordedDispatch, RecordedPass, Recording, Scratch, binding,
};
use crate::shader::Shader;
use crate::tuning::Tuning;
use crate::window::{QUAD_BYTES, WORD_BYTES};
use std::fmt;
use std::ops::Range;

/// What is to be planned: a reduction along one axis of a view.
#[derive(Debug, Clone, Copy)]
pub struct AxisRequest {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// Where the elements are.
    pub view: View,
    /// The dimension that is folded, from 0 on.
    pub axis: usize,
    /// Where in its buffer the element with the number 0 starts; a multiple of its size.
    pub offset_bytes: u64,
    /// Where the first result goes in its buffer; a multiple of a result's size.
    pub output_offset_bytes: u64,
    /// Whether input and output are the same buffer.
    pub in_place: bool,
    /// The numbers that make it fast.
    pub tuning: AxisTuning,
    /// The device.
    pub caps: Caps,
}

/// The passes of a reduction along an axis: plain data, to be printed, tested or run.
///
/// ```
/// use wgpu_reduce::{AxisPlan, AxisRequest, AxisTuning, Caps, ElementKind, Matrix, OpRecord};
///
/// let caps = Caps::baseline();
/// let plan = AxisPlan::new(&AxisRequest {
///     operation: OpRecord::ALL[0],
///     element: ElementKind::F32,
///     view: Matrix { rows: 1000, columns: 200 }.into(),
///     axis: 1,
///     offset_bytes: 0,
///     output_offset_bytes: 0,
///     in_place: false,
///     tuning: AxisTuning::for_caps(&caps),
///     caps,
/// })?;
/// assert_eq!((plan.outputs, plan.len, plan.passes()), (1000, 200, 1));
/// println!("{plan}");
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AxisPlan {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// How many results there are.
    pub outputs: u64,
    /// Elements along the axis, of which each result is made.
    pub len: u64,
    /// The tuning that shaped it.
    pub tuning: AxisTuning,
    /// Upper bound of the roundings between any one element and its result.
    pub roundings: u64,
    pub(super) recording: Recording,
    caps: Caps,
    /// A line for each dispatch.
    lines: Vec<String>,
}

impl AxisPlan {
    /// Plans a reduction along an axis. No device is needed, and none is touched.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`] if the view has no such axis or is cut into too many bindings,
    /// [`Error::NotDefined`], [`Error::Empty`] if there are results to be made of no elements and the
    /// operation has none, [`Error::Unsupported`], [`Error::InvalidTuning`], [`Error::InvalidBuffer`] for
    /// offsets that are no multiples.
    pub fn new(request: &AxisRequest) -> Result<Self> {
        let &AxisRequest { operation, element, caps, .. } = request;
        let over = operation.over(element)?;
        if over.lifting.inputs() != 1 {
            return Err(Error::WrongInputs { operation: operation.name(), inputs: 1 });
        }
        let along = request.view.along(request.axis)?;
        if along.outputs > 0 {
            operation.check_len(along.len)?;
        }
        operation.check_caps(element, &caps)?;
        let tuning = request.tuning.fitted(&caps, over.accumulator.size_bytes());
        tuning.validate(&caps)?;
        for (offset, bytes) in [
            (request.offset_bytes, element.size_bytes()),
            (request.output_offset_bytes, over.output_bytes),
        ] {
            if !offset.is_multiple_of(bytes) {
                let what = format!("offset {offset} is not a multiple of {bytes} bytes");
                return Err(Error::InvalidBuffer { what });
            }
        }
        let builder = Builder {
            request,
            along: &along,
            over,
            tuning,
            recording: Recording::new(),
            lines: Vec::new(),
            roundings: 0,
        };
        builder.build()
    }

    /// What happens to one row as a plan of its own, for [`Operation::tolerance`] and
    /// [`Plan::error_bound`]: its length and roundings, without passes.
    ///
    /// [`Operation::tolerance`]: crate::Operation::tolerance
    #[must_use]
    pub fn of_one(&self) -> Plan {
        Plan {
            operation: self.operation,
            element: self.element,
            inputs: 1,
            len: self.len,
            passes: Vec::new(),
            scratch: Vec::new(),
            tuning: Tuning::for_operation(&self.caps, self.operation, self.element, self.len),
            roundings: self.roundings,
        }
    }

    /// How many passes it takes.
    #[must_use]
    pub const fn passes(&self) -> usize {
        self.recording.passes.len()
    }

    /// Bytes that are read of the input and written of the output, at least.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let result = self.operation.over(self.element).map_or(0, |over| over.output_bytes);
        let read = self.outputs.saturating_mul(self.len).saturating_mul(self.element.size_bytes());
        read.saturating_add(self.outputs.saturating_mul(result))
    }
}

impl fmt::Display for AxisPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, element, outputs, len, .. } = self;
        writeln!(f, "{} of {outputs} x {len} {element} elements", operation.name())?;
        for line in &self.lines {
            writeln!(f, "  {line}")?;
        }
        if self.roundings > 0 {
            writeln!(f, "  at most {} roundings per element", self.roundings)?;
        }
        Ok(())
    }
}

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
    request: &'a AxisRequest,
    along: &'a Along,
    over: Over,
    tuning: AxisTuning,
    recording: Recording,
    lines: Vec<String>,
    roundings: u64,
}

impl Builder<'_> {
    fn build(mut self) -> Result<AxisPlan> {
        let &AxisRequest { operation, element, caps, .. } = self.request;
        let mut pieces = self.pieces()?;
        pieces.reverse();
        while let Some(piece) = pieces.pop() {
            if !self.fold(&piece)? {
                let halves = piece.strip.halves().ok_or_else(too_long)?.into_iter().rev();
                let stretch = piece.stretch;
                pieces.extend(halves.map(|strip| Piece { strip, stretch }));
            }
        }
        let rounds = self.over.accumulator.rounds();
        Ok(AxisPlan {
            operation,
            element,
            outputs: self.along.outputs,
            len: self.along.len,
            tuning: self.tuning,
            roundings: if rounds { self.roundings } else { 0 },
            recording: self.recording,
            caps,
            lines: self.lines,
        })
    }

    fn cutter(&self) -> Cutter<'_> {
        Cutter {
            along: self.along,
            element_bytes: self.request.element.size_bytes(),
            output_bytes: self.over.output_bytes,
            caps: &self.request.caps,
        }
    }

    fn spreader(&self) -> Spreader<'_> {
        Spreader {
            along: self.along,
            element: self.request.element,
            over: self.over,
            tuning: self.tuning,
            caps: &self.request.caps,
        }
    }

    fn pieces(&self) -> Result<Vec<Piece>> {
        let Along { outputs, len, ref kept, offset, .. } = *self.along;
        if outputs == 0 {
            return Ok(Vec::new());
        }
        let first = self.request.offset_bytes / self.request.element.size_bytes();
        let mut strip = Strip {
            kept: kept.clone(),
            first: i128::from(first) + i128::from(offset),
            first_slot: 0,
        };
        if len > 0 {
            return self.cutter().pieces(strip);
        }
        // Nothing is read, and results lie side by side.
        strip.kept = vec![Dimension { extent: outputs, stride: 0, slots: 1 }];
        let along = Along { len: 1, stride: 0, ..self.along.clone() };
        Cutter { along: &along, ..self.cutter() }.pieces(strip)
    }

    /// Folds the rows of a piece, unless they are more than a device can fold at once.
    fn fold(&mut self, piece: &Piece) -> Result<bool> {
        let Piece { strip, stretch } = piece;
        let mut forms = Vec::new();
        let is_alone = *stretch >= self.along.len && !self.request.in_place;
        let leaves_quads = is_alone && self.result(strip).1.is_multiple_of(4);
        for stretch in stretches(self.along.len, *stretch) {
            let window = self.cutter().window(strip, &stretch)?;
            let len = stretch.end - stretch.start;
            match self.spreader().spread(strip, &window, len, leaves_quads) {
                Some(form) => forms.push((stretch, window, form)),
                None => return Ok(false),
            }
        }
        let parts = forms.iter().map(|(_, _, form)| form.parts).sum::<u64>();
        let mut roundings = forms.iter().map(|(_, _, form)| form.roundings).max().unwrap_or(0);
        if parts == 1 && !self.request.in_place {
            for (stretch, window, form) in forms {
                let (target, first_slot) = self.result(strip);
                let stores_quads = form.stores_quads && leaves_quads;
                let form = Form { stores_quads, ..form };
                self.push_gather(strip, stretch, window, &form, target, (first_slot, 0));
            }
            self.roundings = self.roundings.max(roundings);
            return Ok(true);
        }
        let rows = strip.rows();
        let bytes = parts.saturating_mul(rows).saturating_mul(self.over.accumulator.size_bytes());
        let Some(fold) = self.spreader().parts(strip, parts) else { return Ok(false) };
        if bytes > self.request.caps.max_binding_bytes.min(MOST_SCRATCH_BYTES) && rows > 1 {
            return Ok(false);
        }
        roundings += fold.roundings;
        self.roundings = self.roundings.max(roundings);
        let place = self.scratch(bytes);
        let partials = |binding| Bound { binding, place, bytes: (bytes > 0).then_some(0..bytes) };
        let mut part = 0;
        for (stretch, window, form) in forms {
            let first_slot = to_u32(part * rows);
            part += form.parts;
            let target = partials(binding::TARGET);
            self.push_gather(strip, stretch, window, &form, target, (first_slot, rows));
        }
        let (target, first_slot) = self.result(strip);
        let source = partials(binding::SOURCE);
        let (first, part_slots, len, axis) = (0, rows, parts, 0);
        self.push(
            strip,
            &fold,
            true,
            Ends { source, target, first, first_slot, part_slots, len, axis },
        );
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
    fn result(&self, strip: &Strip) -> (Bound, u32) {
        let bytes = self.over.output_bytes;
        let offset = self.request.output_offset_bytes + strip.first_slot * bytes;
        let start = offset - offset % self.request.caps.storage_alignment_bytes.max(1);
        let range = start..offset + strip.slots() * bytes;
        let target = Bound { binding: binding::TARGET, place: Place::Output, bytes: Some(range) };
        (target, to_u32((offset - start) / bytes))
    }

    fn push_gather(
        &mut self,
        strip: &Strip,
        stretch: Range<u64>,
        window: Window,
        form: &Form,
        target: Bound,
        (first_slot, part_slots): (u32, u64),
    ) {
        let Window { bytes, first } = window;
        let source = Bound { binding: binding::SOURCE, place: Place::Input(0), bytes: Some(bytes) };
        let (len, axis) = (stretch.end - stretch.start, stretch.start);
        let ends = Ends { source, target, first, first_slot, part_slots, len, axis };
        self.push(strip, form, part_slots == 0, ends);
    }

    fn push(&mut self, strip: &Strip, form: &Form, finishes: bool, ends: Ends) {
        let &AxisRequest { operation, element, ref caps, .. } = self.request;
        let shader = AxisShader {
            kernel: form.kernel,
            collective: form.collective,
            operation,
            element,
            finishes,
            stores_quads: finishes && form.stores_quads,
            native_u64: self.over.is_native_on(caps),
            over: self.over,
        };
        let mut constants = form.constants.clone();
        constants.extend(shader.device_constants(caps));
        self.lines.push(line(form, &ends, finishes));
        let parameters = self.parameters(strip, form, &ends);
        let mut bindings = vec![ends.source, ends.target];
        if let (true, [source, ..]) = (form.kernel != AxisKernel::Parts, &bindings[..]) {
            let bytes = source.bytes.clone().map(|bytes| whole_quads(&bytes));
            let bytes = bytes.filter(|bytes| !bytes.is_empty());
            bindings.push(Bound { binding: binding::VECTORS, place: source.place, bytes });
        }
        let [x, y] = form.grid;
        let dispatch = RecordedDispatch { bindings, parameters, grid: [x, y, 1] };
        let shader = Shader::Axis(shader);
        match self.recording.passes.last_mut() {
            Some(pass) if pass.shader == shader && pass.constants == constants => {
                pass.dispatches.push(dispatch);
            }
            _ => {
                let dispatches = vec![dispatch];
                self.recording.passes.push(RecordedPass { shader, constants, dispatches });
            }
        }
    }

    /// The struct `Parameters` of `shaders/axis/view.wgsl`.
    fn parameters(&self, strip: &Strip, form: &Form, ends: &Ends) -> Vec<u32> {
        let [x, y] = form.grid;
        let stride = match form.kernel {
            AxisKernel::Parts => to_u32(ends.part_slots),
            AxisKernel::Rows | AxisKernel::Packed | AxisKernel::Columns => {
                wrapped(self.along.stride)
            }
        };
        let mut parameters = vec![
            ends.first,
            to_u32(ends.len),
            stride,
            to_u32(form.rows),
            to_u32(form.parts),
            to_u32(form.share),
            x * y,
            form.turns,
            ends.first_slot,
            to_u32(ends.part_slots),
            low_word(ends.axis),
            low_word(ends.axis >> 32),
            to_u32(form.units),
            to_u32(form.tiles),
            0,
            0,
        ];
        for dimension in strip.kept.iter().rev() {
            let Dimension { extent, stride, slots } = *dimension;
            parameters.extend([to_u32(extent), wrapped(stride), to_u32(slots), 0]);
        }
        parameters.resize(PARAMETER_WORDS, 0);
        parameters
    }
}

/// Sixteen, and four for each of five dimensions.
const PARAMETER_WORDS: usize = 36;

/// No more partials than that are between two passes; more rows are folded in turn.
const MOST_SCRATCH_BYTES: u64 = 256 << 20;

fn line(form: &Form, ends: &Ends, finishes: bool) -> String {
    let [x, y] = form.grid;
    let Form { kernel, collective, lanes, parts, turns, .. } = form;
    let shared = if *parts > 1 { format!(", {parts} to a row") } else { String::new() };
    let leaves = if finishes { "results" } else { "partials" };
    let read = ends.source.bytes.clone().unwrap_or(0..0);
    format!(
        "{kernel:?} by {collective:?}, teams of {lanes}{shared} -> {leaves}; {x} x {y} workgroups, \
         {turns} turns, over bytes {}..{} of {:?}",
        read.start, read.end, ends.source.place
    )
}

fn whole_quads(bytes: &Range<u64>) -> Range<u64> {
    let len = bytes.end - bytes.start;
    bytes.start..bytes.start + (len - len % QUAD_BYTES)
}

fn too_long() -> Error {
    let what = "one row takes more turns than the device allows with this tuning".into();
    Error::InvalidTuning { what }
}

/// What cutting has made fit.
fn to_u32(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "what is asked for")]
const fn low_word(value: u64) -> u32 {
    value as u32
}

/// A stride modulo 2^32, as indices are.
const fn wrapped(stride: i64) -> u32 {
    low_word(stride.cast_unsigned())
}
