//! Many whole inputs in one submission.

use crate::error::{Error, Result};
use crate::op::element::ElementKind;
use crate::op::{OpRecord, Over};
use crate::plan::caps::Caps;
use crate::plan::cut::few::Few;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::cut::window::{Run, WORD_BYTES};
use crate::plan::geometry::SHARED_BYTES;
use crate::plan::limits::check_dispatches;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, Constants, InputParameters, InputsParameters, Parameters, Place, PlannedPass,
    RecordedDispatch, Recording, binding,
};
use crate::plan::shapes::whole::{self, Ending};
use crate::plan::tuning::Tuning;
use crate::shader::Shader;
use crate::shader::variant::{Collective, Kernel, Sink, Variant};
use std::ops::Range;

/// An input, or two whose elements are paired, each in its parts.
pub(crate) type Inputs = Few<Few<Part>>;

/// Plans a reduction of each of several inputs, as the problem says of its own; `tuning` is that for an input of so many elements.
///
/// Up to seven small inputs (32 KiB at most, in one part) that follow each other share a dispatch; the
/// others have passes of their own. A single input always has its own.
///
/// # Errors
///
/// As of whole inputs, for the first that has one; [`Error::WrongInputs`] if one has not as many inputs as the operation takes; [`Error::Unsupported`] if one binding does
/// not hold all results, or one dispatch so many inputs, or there would be more than 2^17 dispatches.
pub(crate) fn lower(
    (operation, element): (&'static OpRecord, ElementKind),
    inputs: &[&Inputs],
    tuning: impl Fn(u64) -> Tuning,
    caps: &Caps,
) -> Result<Plan> {
    let over = operation.over(element)?;
    caps.check()?;
    let of_shared = tuning(SHARED_BYTES / element.size_bytes());
    let builder = Builder { operation, element, over, count: inputs.len(), tuning, caps };
    let mut recording = Recording::new();
    let (mut next, mut buffers, mut dispatches) = (0, 0, 0);
    while let Some(rest) = inputs.get(next..).filter(|rest| !rest.is_empty()) {
        let small = builder.first_small(rest);
        let count = small.len().max(1);
        rest.iter().take(count).try_for_each(|input| builder.check(input))?;
        let passes = match (small.as_slice(), rest) {
            ([], [input, ..]) => builder.alone(input, next)?,
            (small, _) => builder.shared(small, next)?,
        };
        dispatches += passes.passes.iter().map(|pass| pass.dispatches.len()).sum::<usize>();
        check_dispatches(dispatches)?;
        recording.append(passes, buffers);
        let parts = rest.iter().take(count).flat_map(|input| input.iter());
        buffers += parts.map(|parts| parts.len()).sum::<usize>();
        next += count;
    }
    let len = inputs.iter().fold(0, |len: u64, input| len.saturating_add(len_of(first(input))));
    let of_input = u64::from(over.lifting.inputs());
    Ok(Plan {
        operation: operation.name(),
        element,
        inputs: inputs.len(),
        len,
        results: inputs.len() as u64,
        // Each input has its own.
        roundings: if over.accumulator.rounds() { u64::MAX } else { 0 },
        tuning: of_shared.into(),
        input_bytes: len.saturating_mul(of_input).saturating_mul(element.size_bytes()),
        result_bytes: over.output_bytes,
        loads_in_flight: 0,
        outputs: Outputs::Batch,
        recording: recording.within(caps)?,
    })
}

/// The parts of the first of a pair, or of the only one.
fn first(input: &Inputs) -> &[Part] {
    input.first().map_or(&[], |parts| parts)
}

struct Builder<'a, F> {
    operation: &'static OpRecord,
    element: ElementKind,
    over: Over,
    /// Inputs in all.
    count: usize,
    tuning: F,
    caps: &'a Caps,
}

impl<F: Fn(u64) -> Tuning> Builder<'_, F> {
    /// Those at the start of `inputs` that share a dispatch. Whether one does is its own affair, but for a
    /// single input in all: equal inputs are reduced alike.
    fn first_small(&self, inputs: &[&Inputs]) -> Vec<Part> {
        let most = SHARED_BYTES / self.element.size_bytes();
        // The target is one more.
        let has_room = self.caps.max_storage_buffers > binding::INPUTS;
        let places = if self.count > 1 && has_room { binding::INPUTS as usize } else { 0 };
        let small = inputs.iter().take(places).map_while(|input| match &***input {
            [parts] => match **parts {
                [part] if part.len <= most => Some(part),
                _ => None,
            },
            _ => None,
        });
        small.collect()
    }

    fn check(&self, input: &Inputs) -> Result<()> {
        let &Self { operation, over, .. } = self;
        if input.len() != over.lifting.inputs() as usize {
            let inputs = u32::try_from(input.len()).unwrap_or(u32::MAX);
            return Err(Error::WrongInputs { operation: operation.name(), inputs });
        }
        operation.check_len(len_of(first(input)))
    }

    /// The passes of an input of its own.
    fn alone(&self, input: &Inputs, number: usize) -> Result<Recording> {
        let result = number as u64 * self.over.output_bytes;
        let problem = Problem {
            inputs: input.clone(),
            tuning: Some((self.tuning)(len_of(first(input))).into()),
            ..Problem::by(self.operation, self.element, 0).left(Some([result, 0, 0]), false)
        };
        Ok(whole::lower(&problem, self.operation, Ending::Result, self.caps)?.recording)
    }

    /// One dispatch of `kernels/inputs.wgsl`, with a workgroup for each of several small inputs.
    fn shared(&self, parts: &[Part], first_input: usize) -> Result<Recording> {
        let &Self { operation, element, over, caps, .. } = self;
        let collective = Collective::for_caps(caps);
        let accumulator_bytes = over.accumulator.size_bytes();
        let tuning = (self.tuning)(SHARED_BYTES / element.size_bytes());
        let tuning = tuning.fitted(caps, accumulator_bytes);
        tuning.validate(caps, accumulator_bytes)?;
        let (kernel, sink, native) = (Kernel::Inputs, Sink::Result, over.is_native_on(caps));
        let variant = Variant { kernel, collective, operation, element, sink, native, over };
        let inputs =
            parts.iter().map(|part| self.shared_input(part)).collect::<Result<Vec<_>>>()?;
        let results = Some(0..self.count as u64 * over.output_bytes);
        let mut bindings =
            vec![Bound { binding: binding::TARGET, place: Place::Output, bytes: results }];
        let workgroups = to_u32(inputs.len() as u64);
        let first_slot = to_u32(first_input as u64);
        let mut parameters = InputsParameters { workgroups, first_slot, ..Default::default() };
        for (number, told) in parameters.inputs.iter_mut().enumerate() {
            let (bytes, of_input) = inputs.get(number).cloned().unwrap_or_default();
            let binding = binding::FIRST_INPUT + to_u32(number as u64);
            bindings.push(Bound { binding, place: Place::Input(number), bytes });
            *told = of_input;
        }
        let mut constants: Constants = vec![("WORKGROUP_SIZE", tuning.workgroup_size)];
        constants.extend(collective.constants(caps));
        let [x, y] = caps.grid(workgroups);
        let parameters = parameters.words();
        let dispatches = vec![RecordedDispatch { bindings, parameters, grid: [x, y, 1] }];
        let passes =
            vec![PlannedPass { shader: Shader::Reduction(variant), constants, dispatches }];
        Ok(Recording { passes, ..Recording::new() })
    }

    /// What is bound of an input, if there is anything to read, and what its workgroup is told.
    fn shared_input(&self, part: &Part) -> Result<(Option<Range<u64>>, InputParameters)> {
        let element_bytes = self.element.size_bytes();
        let run = Run { offset_bytes: part.offset_bytes, len: part.len, element_bytes };
        let (bytes, first) = run.bound(self.caps)?;
        self.caps.check_buffer(bytes.end)?;
        let end = bytes.end.next_multiple_of(WORD_BYTES);
        let bytes = (part.len > 0).then_some(bytes.start..end);
        Ok((bytes, InputParameters { first, count: to_u32(part.len) }))
    }
}

/// Lengths of small inputs, their number, and offsets below an alignment: they fit.
fn to_u32(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
