//! What will run for many inputs in one submission, decided before anything touches a device.

use crate::error::Result;
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::cut::window::{Run, WORD_BYTES};
use crate::plan::recording::{
    Bound, Constants, InputParameters, InputsParameters, Parameters, Place, RecordedDispatch,
    RecordedPass, Recording, binding,
};
use crate::plan::shapes::whole::{WholePlan, WholeRequest};
use crate::plan::tuning::Tuning;
use crate::shader::Shader;
use crate::shader::variant::{Collective, Kernel, Sink, Variant};
use std::fmt;
use std::ops::Range;

/// Inputs of no more than so many bytes share dispatches, a workgroup for each. A larger one is
/// better off with several workgroups of its own.
const SMALL_BYTES: u64 = 32 << 10;

/// What is to be planned: a reduction of each of several inputs. [`ManyPlan`] has an example.
#[derive(Debug, Clone)]
pub struct ManyRequest {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// The inputs, each in its parts; each part is in a buffer of its own.
    pub inputs: Vec<Vec<Part>>,
    /// The second input of each, where elements are paired; as many.
    pub partners: Option<Vec<Vec<Part>>>,
    /// How a workgroup becomes one value.
    pub collective: Collective,
    /// The device.
    pub caps: Caps,
}

/// The steps that reduce many inputs in one submission: plain data, to be printed, tested or run.
///
/// ```
/// use wgpu_reduce::planners::{Collective, ManyPlan, ManyRequest, ManyStep};
/// use wgpu_reduce::{Caps, ElementKind, Operation, Part, Sum, Tuning};
///
/// let caps = Caps::baseline();
/// let lengths = [100, 1 << 20, 3, 50];
/// let request = ManyRequest {
///     operation: Operation::<f32>::record(&Sum),
///     element: ElementKind::F32,
///     inputs: lengths.map(|len| vec![Part { offset_bytes: 0, len }]).to_vec(),
///     partners: None,
///     collective: Collective::Workgroup,
///     caps,
/// };
/// let plan = ManyPlan::new(&request, |len| Tuning::for_len(&caps, ElementKind::F32, len))?;
/// let [ManyStep::Shared(_), ManyStep::Alone(_), ManyStep::Shared(last)] = &plan.steps[..] else {
///     panic!("{plan}");
/// };
/// assert_eq!((last.first_input, last.inputs.len()), (2, 2));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManyPlan {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// How many inputs there are, and results, which lie side by side in the same order.
    pub inputs: usize,
    /// In the order they run; together they have every input once, in order.
    pub steps: Vec<ManyStep>,
    /// Elements of all inputs.
    len: u64,
    /// Of inputs that share dispatches.
    pub(crate) tuning: Tuning,
    /// Of one result.
    result_bytes: u64,
}

/// One step of a [`ManyPlan`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManyStep {
    /// Some small inputs.
    Shared(SharedDispatch),
    /// An input on its own.
    Alone(AlonePlan),
}

/// One dispatch for several small inputs, a workgroup for each. [`ManyPlan`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedDispatch {
    /// The shader.
    pub variant: Variant,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
    /// The number of the first of them, and of its result.
    pub first_input: usize,
    /// The number of its buffer among those of all inputs.
    pub first_buffer: usize,
    /// The inputs.
    pub inputs: Vec<SharedInput>,
}

/// A small input behind a binding. [`ManyPlan`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedInput {
    /// Bytes of its buffer that are bound; none where there is nothing to read.
    pub bytes: Option<Range<u64>>,
    /// Index of its first element, counted from the start of the binding.
    pub first: u32,
    /// Elements.
    pub len: u32,
}

/// The plan of one input among many. [`ManyPlan`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlonePlan {
    /// Its number, and that of its result.
    pub input: usize,
    /// The number of its first buffer among those of all inputs.
    pub first_buffer: usize,
    /// What reduces it.
    pub plan: WholePlan,
}

impl ManyRequest {
    /// The parts that are paired with those of an input.
    fn partner(&self, number: usize) -> &[Part] {
        let partners = self.partners.as_deref().unwrap_or_default();
        partners.get(number).map_or(&[], Vec::as_slice)
    }
}

impl ManyPlan {
    /// Plans reductions of several inputs; `tuning` is that for an input of so many elements. No device is
    /// needed, and none is touched.
    ///
    /// Up to seven small inputs (32 KiB at most, in one part) that follow each other share a dispatch; the
    /// others have a [`WholePlan`] each. A single input always has its own.
    ///
    /// # Errors
    ///
    /// As [`WholePlan::new`], for the first input that has one; [`Error::Unsupported`](crate::Error::Unsupported) if one binding does
    /// not hold all results, or one dispatch so many inputs, or there would be more than 2^17 dispatches.
    pub fn new(request: &ManyRequest, tuning: impl Fn(u64) -> Tuning) -> Result<Self> {
        let ManyRequest { operation, element, inputs, .. } = request;
        let result_bytes = operation.over(*element)?.output_bytes;
        request.caps.check()?;
        for input in inputs {
            operation.check_len(len_of(input))?;
            operation.check_caps(*element, &request.caps)?;
        }
        let of_shared = tuning(SMALL_BYTES / element.size_bytes());
        let builder = Builder { request, tuning, result_bytes };
        let (mut steps, mut next, mut buffers) = (Vec::new(), 0, 0);
        while let Some(rest) = inputs.get(next..).filter(|rest| !rest.is_empty()) {
            let small = builder.first_small(rest);
            let (step, count) = match (small.as_slice(), rest) {
                ([], [input, ..]) => (builder.alone(input, next, buffers)?, 1),
                (small, _) => (builder.shared(small, next, buffers)?, small.len()),
            };
            buffers += rest.iter().take(count).map(Vec::len).sum::<usize>();
            buffers +=
                (next..next + count).map(|number| request.partner(number).len()).sum::<usize>();
            next += count;
            steps.push(step);
        }
        let (operation, element) = (*operation, *element);
        let len = inputs.iter().fold(0, |len: u64, input| len.saturating_add(len_of(input)));
        let (inputs, tuning) = (inputs.len(), of_shared);
        let plan = Self { operation, element, inputs, steps, len, tuning, result_bytes };
        plan.recording(&request.caps).within(&request.caps)?;
        Ok(plan)
    }

    /// Bytes of a result.
    pub(crate) const fn result_bytes(&self) -> u64 {
        self.result_bytes
    }

    /// Bytes of all results; of one, where there is none.
    pub(crate) fn output_bytes(&self) -> u64 {
        (self.inputs.max(1) as u64).saturating_mul(self.result_bytes)
    }

    /// Elements of all inputs.
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    /// Every shader that it runs.
    pub fn shaders(&self) -> impl Iterator<Item = Variant> {
        self.steps.iter().flat_map(|step| match step {
            ManyStep::Shared(shared) => vec![shared.variant],
            ManyStep::Alone(alone) => alone.plan.passes.iter().map(|pass| pass.variant).collect(),
        })
    }

    /// The commands that run it on a device. Its inputs are the parts of all inputs, in order.
    pub(crate) fn recording(&self, caps: &Caps) -> Recording {
        let mut recording = Recording::new();
        let results_bytes = self.inputs as u64 * self.result_bytes;
        for step in &self.steps {
            match step {
                ManyStep::Shared(shared) => {
                    let passes = vec![shared.record(results_bytes, caps)];
                    recording.append(Recording { passes, ..Recording::new() }, shared.first_buffer);
                }
                ManyStep::Alone(AlonePlan { first_buffer, plan, .. }) => {
                    recording.append(plan.recording(caps), *first_buffer);
                }
            }
        }
        recording
    }
}

struct Builder<'a, F> {
    request: &'a ManyRequest,
    tuning: F,
    result_bytes: u64,
}

impl<F: Fn(u64) -> Tuning> Builder<'_, F> {
    /// Those at the start of `inputs` that share a dispatch. Whether one does is its own affair, but for a
    /// single input in all: equal inputs are reduced alike.
    fn first_small(&self, inputs: &[Vec<Part>]) -> Vec<Part> {
        let most = SMALL_BYTES / self.request.element.size_bytes();
        // The target is one more.
        let has_room = self.request.caps.max_storage_buffers > binding::INPUTS;
        let is_of_one = self.request.partners.is_none();
        let shares = self.request.inputs.len() > 1 && has_room && is_of_one;
        let places = if shares { binding::INPUTS as usize } else { 0 };
        let small = inputs.iter().take(places).map_while(|input| match input.as_slice() {
            &[part] if part.len <= most => Some(part),
            _ => None,
        });
        small.collect()
    }

    fn alone(&self, parts: &[Part], input: usize, first_buffer: usize) -> Result<ManyStep> {
        let &ManyRequest { operation, element, collective, caps, .. } = self.request;
        let request = WholeRequest {
            operation,
            element,
            input: parts.to_vec(),
            output_offset_bytes: input as u64 * self.result_bytes,
            in_place: false,
            collective,
            tuning: (self.tuning)(len_of(parts)),
            caps,
        };
        let plan = match &self.request.partners {
            Some(_) => WholePlan::of_pairs(&request, self.request.partner(input))?,
            None => WholePlan::new(&request)?,
        };
        Ok(ManyStep::Alone(AlonePlan { input, first_buffer, plan }))
    }

    fn shared(&self, parts: &[Part], first_input: usize, first_buffer: usize) -> Result<ManyStep> {
        let &ManyRequest { operation, element, collective, caps, .. } = self.request;
        let over = operation.over(element)?;
        let accumulator_bytes = over.accumulator.size_bytes();
        let tuning = (self.tuning)(SMALL_BYTES / element.size_bytes());
        let tuning = tuning.fitted(&caps, accumulator_bytes);
        tuning.validate(&caps, accumulator_bytes)?;
        let (kernel, sink, native_u64) = (Kernel::Inputs, Sink::Result, over.is_native_on(&caps));
        let inputs = parts.iter().map(|part| self.shared_input(part)).collect::<Result<_>>()?;
        Ok(ManyStep::Shared(SharedDispatch {
            variant: Variant { kernel, collective, operation, element, sink, native_u64, over },
            workgroup_size: tuning.workgroup_size,
            first_input,
            first_buffer,
            inputs,
        }))
    }

    fn shared_input(&self, part: &Part) -> Result<SharedInput> {
        let element_bytes = self.request.element.size_bytes();
        let run = Run { offset_bytes: part.offset_bytes, len: part.len, element_bytes };
        let (bytes, first) = run.bound(&self.request.caps)?;
        self.request.caps.check_buffer(bytes.end)?;
        let end = bytes.end.next_multiple_of(WORD_BYTES);
        let bytes = (part.len > 0).then_some(bytes.start..end);
        Ok(SharedInput { bytes, first, len: to_u32(part.len) })
    }
}

impl SharedDispatch {
    /// One dispatch of `kernels/inputs.wgsl`.
    fn record(&self, results_bytes: u64, caps: &Caps) -> RecordedPass {
        let mut constants: Constants = vec![("WORKGROUP_SIZE", self.workgroup_size)];
        constants.extend(self.variant.collective.constants(caps));
        let results = Some(0..results_bytes);
        let target = Bound { binding: binding::TARGET, place: Place::Output, bytes: results };
        let mut bindings = vec![target];
        let workgroups = to_u32(self.inputs.len() as u64);
        let first_slot = to_u32(self.first_input as u64);
        let mut parameters = InputsParameters { workgroups, first_slot, ..Default::default() };
        for (number, told) in parameters.inputs.iter_mut().enumerate() {
            let input = self.inputs.get(number);
            let bytes = input.and_then(|input| input.bytes.clone());
            let binding = binding::FIRST_INPUT + to_u32(number as u64);
            bindings.push(Bound { binding, place: Place::Input(number), bytes });
            if let Some(&SharedInput { first, len: count, .. }) = input {
                *told = InputParameters { first, count };
            }
        }
        let [x, y] = caps.grid(workgroups);
        let dispatch =
            RecordedDispatch { bindings, parameters: parameters.words(), grid: [x, y, 1] };
        let dispatches = vec![dispatch];
        RecordedPass { shader: Shader::Reduction(self.variant), constants, dispatches }
    }
}

/// Lengths of small inputs, their number, and offsets below an alignment: they fit.
fn to_u32(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

impl fmt::Display for ManyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, element, inputs, .. } = self;
        writeln!(f, "{} of each of {inputs} inputs of {element} elements", operation.name())?;
        for step in &self.steps {
            match step {
                ManyStep::Shared(SharedDispatch {
                    first_input, inputs, workgroup_size, ..
                }) => {
                    let last = first_input + inputs.len().saturating_sub(1);
                    write!(f, "inputs {first_input} to {last}: one dispatch, a workgroup of ")?;
                    writeln!(f, "{workgroup_size} for each")?;
                }
                ManyStep::Alone(AlonePlan { input, plan, .. }) => {
                    write!(f, "input {input}: {plan}")?;
                }
            }
        }
        Ok(())
    }
}
