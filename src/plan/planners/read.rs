//! Plans as tests look at them: what is bound and told, by names.

use crate::error::{Error, Result};
use crate::op::{DotExact, ElementKind, OpRecord, SumExact};
use crate::plan::caps::Caps;
use crate::plan::cut::few::Few;
use crate::plan::cut::part::Part;
use crate::plan::planned::Plan;
use crate::plan::problem::Problem;
use crate::plan::recording::{
    InputsParameters, Parameters as _, Place, PlannedPass, RecordedDispatch, Scratch, binding,
};
use crate::plan::shapes::batch;
use crate::plan::shapes::exact::{ExactShader, ExactTuning};
use crate::plan::tuning::Tuning;
use crate::shader::Shader;
use crate::shader::variant::{Kernel, Variant};
use std::fmt;
use std::ops::{Deref, Range};

/// A pipeline-overridable constant.
#[must_use]
pub fn constant(pass: &PlannedPass, name: &str) -> Option<u32> {
    pass.constants.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
}

/// Bytes of one result, as the device leaves it.
#[must_use]
pub const fn result_bytes(plan: &Plan) -> u64 {
    plan.result_bytes
}

/// One dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// Workgroups that have work, where a window of elements or partials is read.
    pub workgroups: u32,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// What is read.
    pub source: Place,
    /// Bytes of it that are bound.
    pub source_bytes: Option<Range<u64>>,
    /// Those that are bound as quads.
    pub quad_bytes: Option<Range<u64>>,
    /// What is read of a second input.
    pub partner: Option<Partner>,
    /// What it is told; zeros follow.
    pub parameters: [u32; 12],
}

/// What is bound of a second input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partner {
    /// Its buffer.
    pub source: Place,
    /// Bytes that are bound.
    pub source_bytes: Range<u64>,
    /// Those that are bound as quads.
    pub quad_bytes: Option<Range<u64>>,
}

impl Dispatch {
    /// Returns the dispatches of a pass. The parameter of a number tells their workgroups.
    #[must_use]
    pub fn all(pass: &PlannedPass, number: usize) -> Vec<Self> {
        pass.dispatches.iter().map(|dispatch| Self::new(dispatch, number)).collect()
    }

    fn new(dispatch: &RecordedDispatch, number: usize) -> Self {
        let bytes = |binding| dispatch.bound(binding).and_then(|bound| bound.bytes.clone());
        let place = |binding| dispatch.bound(binding).map(|bound| bound.place);
        let mut parameters = [0; 12];
        for (told, word) in parameters.iter_mut().zip(&dispatch.parameters) {
            *told = *word;
        }
        let [x, y, _] = dispatch.grid;
        Self {
            workgroups: parameters.get(number).copied().unwrap_or(0),
            grid: [x, y],
            source: place(binding::SOURCE).unwrap_or(Place::Output),
            source_bytes: bytes(binding::SOURCE),
            quad_bytes: bytes(binding::VECTORS),
            partner: bytes(binding::PARTNER_WORDS).map(|source_bytes| Partner {
                source: place(binding::PARTNER_WORDS).unwrap_or(Place::Output),
                source_bytes,
                quad_bytes: bytes(binding::PARTNER_QUADS),
            }),
            parameters,
        }
    }
}

/// A pass over whole inputs or partials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholePass {
    /// The shader.
    pub variant: Variant,
    /// What is written.
    pub target: Place,
    /// Bytes of it that are bound.
    pub target_bytes: Range<u64>,
    /// How partials reach the last workgroup, where it folds them.
    pub handover: Option<Handover>,
    /// One for each window.
    pub dispatches: Vec<Dispatch>,
}

/// The counter of workgroups, and behind it their partials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// Where they are.
    pub place: Place,
    /// Their size.
    pub bytes: u64,
}

impl WholePass {
    fn new(pass: &PlannedPass) -> Option<Self> {
        let Shader::Reduction(variant) = pass.shader else { return None };
        let number = match variant.kernel {
            Kernel::Elements | Kernel::Pairs | Kernel::Masked => 6,
            Kernel::Inputs => 0,
            Kernel::Partials => 1,
        };
        let first = pass.dispatches.first()?;
        let target = first.bound(binding::TARGET)?;
        let handover = first.bound(binding::PARTIALS).map(|bound| Handover {
            place: bound.place,
            bytes: bound.bytes.as_ref().map_or(0, |bytes| bytes.end),
        });
        Some(Self {
            variant,
            target: target.place,
            target_bytes: target.bytes.clone().unwrap_or(0..0),
            handover,
            dispatches: Dispatch::all(pass, number),
        })
    }

    /// The passes of a plan that are of whole inputs or partials.
    #[must_use]
    pub fn all(plan: &Plan) -> Vec<Self> {
        plan.passes().iter().filter_map(Self::new).collect()
    }
}

/// A reduction of a whole input, with what tests change.
#[derive(Debug, Clone)]
pub struct WholeRequest {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// Where the elements lie.
    pub input: Vec<Part>,
    /// Where the result goes.
    pub output_offset_bytes: u64,
    /// Whether that is a buffer of the input.
    pub in_place: bool,
    /// The numbers that make it fast.
    pub tuning: Tuning,
    /// The device.
    pub caps: Caps,
}

impl WholeRequest {
    /// As a problem.
    #[must_use]
    pub fn problem(&self, second: Option<&[Part]>) -> Problem<'static> {
        let inputs = [Some(&self.input[..]), second].into_iter().flatten();
        Problem::by(self.operation, self.element, 0)
            .parts(inputs.map(<[Part]>::to_vec).collect())
            .left(Some([self.output_offset_bytes, 0, 0]), self.in_place)
            .tuned(self.tuning)
    }
}

/// A plan of a whole input, or of pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct WholePlan {
    plan: Plan,
    /// The operation.
    pub operation: &'static OpRecord,
    /// The tuning, as the device takes it.
    pub tuning: Tuning,
    /// The buffers between passes.
    pub scratch: Vec<Scratch>,
    /// The passes.
    pub passes: Vec<WholePass>,
}

impl WholePlan {
    /// Plans a reduction of one input.
    ///
    /// # Errors
    ///
    /// As [`Problem::plan`].
    pub fn new(request: &WholeRequest) -> Result<Self> {
        Ok(Self::of(request, request.problem(None).plan(&request.caps)?))
    }

    /// Plans a reduction of pairs with a second input.
    ///
    /// # Errors
    ///
    /// As [`Problem::plan`].
    pub fn of_pairs(request: &WholeRequest, second: &[Part]) -> Result<Self> {
        Ok(Self::of(request, request.problem(Some(second)).plan(&request.caps)?))
    }

    fn of(request: &WholeRequest, plan: Plan) -> Self {
        Self {
            operation: request.operation,
            tuning: plan.tuning.whole().unwrap_or(request.tuning),
            scratch: plan.scratch().to_vec(),
            passes: WholePass::all(&plan),
            plan,
        }
    }
}

/// A plan of an exact sum.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactPlan {
    plan: Plan,
    /// The shader.
    pub shader: ExactShader,
    /// The tuning.
    pub tuning: ExactTuning,
    /// In the order of what they leave.
    pub dispatches: Vec<Dispatch>,
}

impl ExactPlan {
    /// Plans the exact sum of an input's elements, `f32` or `f64`.
    ///
    /// # Errors
    ///
    /// As a [`Problem`](crate::Problem) of it.
    pub fn of(
        element: ElementKind,
        input: &[Part],
        tuning: &ExactTuning,
        caps: &Caps,
    ) -> Result<Self> {
        let problem = Problem::new::<f32, _>(&SumExact, element, 0);
        Self::read(problem.parts(vec![input.to_vec()]), tuning, caps)
    }

    /// Plans the exact sum of the products of two inputs, of `f32` or `f64`.
    ///
    /// # Errors
    ///
    /// As a [`Problem`](crate::Problem) of them.
    pub fn of_pairs(
        element: ElementKind,
        [left, right]: [&[Part]; 2],
        tuning: &ExactTuning,
        caps: &Caps,
    ) -> Result<Self> {
        let problem = match element {
            ElementKind::F64 => Problem::new::<(f64, f64), _>(&DotExact, element, 0),
            _ => Problem::new::<(f32, f32), _>(&DotExact, element, 0),
        };
        Self::read(problem.parts(vec![left.to_vec(), right.to_vec()]), tuning, caps)
    }

    fn read(problem: Problem<'_>, tuning: &ExactTuning, caps: &Caps) -> Result<Self> {
        let plan = problem.tuned(*tuning).plan(caps)?;
        let passes = plan.passes().iter();
        let shader = passes.clone().find_map(|pass| match pass.shader {
            Shader::Exact(shader) => Some(shader),
            _ => None,
        });
        let none = || Error::Internal { message: "an exact sum has no pass".into() };
        let shader = shader.ok_or_else(none)?;
        let mut dispatches: Vec<_> = passes.flat_map(|pass| Dispatch::all(pass, 6)).collect();
        dispatches.sort_by_key(|dispatch| dispatch.parameters[7]);
        Ok(Self { plan, shader, tuning: *tuning, dispatches })
    }
}

macro_rules! plans {
    ($($name:ident),*) => {$(
        impl Deref for $name {
            type Target = Plan;

            fn deref(&self) -> &Plan {
                &self.plan
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.plan.fmt(f)
            }
        }
    )*};
}
plans!(WholePlan, ExactPlan);

/// An input that shares a dispatch with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedInput {
    /// Its buffer.
    pub source: Place,
    /// Bytes of it that are bound; none where there is nothing to read.
    pub bytes: Option<Range<u64>>,
    /// Index of its first element, counted from the start of the binding.
    pub first: u32,
    /// Elements.
    pub len: u32,
}

/// The inputs that a pass of a batch shares, and the number of the first result; nothing if it is of one input.
#[must_use]
pub fn shared(pass: &PlannedPass) -> Option<(u32, Vec<SharedInput>)> {
    let Shader::Reduction(Variant { kernel: Kernel::Inputs, .. }) = pass.shader else {
        return None;
    };
    let dispatch = pass.dispatches.first()?;
    let told = InputsParameters::of(&dispatch.parameters);
    let count = usize::try_from(told.workgroups).ok()?;
    let inputs =
        (binding::FIRST_INPUT..).zip(&told.inputs).take(count).filter_map(|(at, input)| {
            let bound = dispatch.bound(at)?;
            let (source, bytes) = (bound.place, bound.bytes.clone());
            Some(SharedInput { source, bytes, first: input.first, len: input.count })
        });
    Some((told.first_slot, inputs.collect()))
}

/// Several inputs that an operation reduces in one submission.
#[derive(Debug, Clone)]
pub struct BatchRequest {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// The inputs, each in its parts.
    pub inputs: Vec<Vec<Part>>,
    /// The device.
    pub caps: Caps,
}

impl BatchRequest {
    /// Plans it, with the tuning for an input of so many elements.
    ///
    /// # Errors
    ///
    /// As [`Problem::plan_batch`].
    pub fn plan(&self, tuning: impl Fn(u64) -> Tuning) -> Result<Plan> {
        let inputs = self.inputs.iter().map(|parts| Few::One(parts.clone().into()));
        let inputs: Vec<batch::Inputs> = inputs.collect();
        let inputs: Vec<_> = inputs.iter().collect();
        batch::lower((self.operation, self.element), &inputs, tuning, &self.caps)
    }
}
