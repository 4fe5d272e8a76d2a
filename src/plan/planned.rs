//! What a request runs, in whatever shape: for people, for tests, and for who records it.

use crate::exact::ExactTerms;
use crate::op::Accuracy;
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::many_plan::ManyPlan;
use crate::plan::recording::{RecordedPass, Recording, Scratch};
use crate::plan::shapes::axis::{self, AxisTuning};
use crate::plan::shapes::bins::{HistogramPlan, HistogramTuning, WeightedHistogramPlan};
use crate::plan::shapes::exact::{ExactPlan, ExactTuning};
use crate::plan::shapes::ordered::CustomPlan;
use crate::plan::shapes::runs;
use crate::plan::shapes::segments::{self, SegmentsTuning};
use crate::plan::shapes::whole::WholePlan;
use crate::plan::tuning::Tuning;
use std::borrow::Cow;
use std::fmt;

/// What a request would run: plain data, to be printed or tested. [`Request::plan`](crate::Request::plan) makes it.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Matrix, Sum};
///
/// let buffer = reducer.upload(&[0.5_f32; 4096])?;
/// let plan = reducer.reduce(Sum, &buffer).plan()?;
/// assert_eq!((plan.len, plan.results, plan.input_bytes()), (4096, 1, 16_384));
/// // The sum of the magnitudes is 2048.
/// assert!(plan.accuracy().error_bound(2048.0) < 0.1);
/// for pass in &plan.passes {
///     println!("{pass} in {:?} workgroups", pass.grids);
/// }
///
/// let matrix = Matrix { rows: 64, columns: 64 };
/// println!("{}", reducer.reduce(Sum, &buffer).rows(matrix).plan()?);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The name of the operation.
    pub operation: &'static str,
    /// The type of the elements.
    pub element: ElementKind,
    /// How many inputs there are: 2 whose elements are paired, or as many as a batch has.
    pub inputs: usize,
    /// Elements of an input; pairs, of two. Along an axis, elements of each result; of a batch, elements of all inputs.
    pub len: u64,
    /// How many results there are; of runs at most.
    pub results: u64,
    /// Upper bound of the roundings between any element and its result; 0 where nothing is rounded, and the largest
    /// number where it is not known: of batches that round, and of operators of the user's.
    pub roundings: u64,
    /// The tuning that shaped it, as the device takes it.
    pub tuning: AnyTuning,
    /// The buffers between passes.
    pub scratch: Vec<Scratch>,
    /// The passes in the order they run; each starts when the one before has ended.
    pub passes: Vec<PlannedPass>,
    planned: Planned,
}

/// A pass of a [`Plan`]: dispatches of one shader that do not depend on each other.
///
/// It is printed as what the shader does. Two passes are equal if they have the same effect: shader, constants, bindings and parameters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PlannedPass {
    /// Workgroups in x, y and z of each dispatch.
    pub grids: Vec<[u32; 3]>,
    recorded: RecordedPass,
}

impl PlannedPass {
    /// The shader's text, as wgpu takes it on native backends.
    #[must_use]
    pub fn wgsl(&self) -> String {
        self.recorded.shader.wgsl()
    }
}

impl fmt::Display for PlannedPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.recorded.shader.fmt(f)
    }
}

/// The numbers that shape a plan, by the shape of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnyTuning {
    /// Of a whole input, and of each input of a batch that has no workgroup alone.
    Whole(Tuning),
    /// Of an exact sum of a whole input.
    Exact(ExactTuning),
    /// Along an axis.
    Axis(AxisTuning),
    /// Of segments and runs.
    Segments(SegmentsTuning),
    /// Of histograms.
    Histogram(HistogramTuning),
}

/// The numbers that shape a reduction of a whole input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WholeTuning {
    /// Of every operation, but for exact sums that come back to the host.
    Reduction(Tuning),
    /// Of exact sums of `f32` that come back to the host.
    Exact(ExactTuning),
}

impl From<WholeTuning> for AnyTuning {
    fn from(tuning: WholeTuning) -> Self {
        match tuning {
            WholeTuning::Reduction(tuning) => Self::Whole(tuning),
            WholeTuning::Exact(tuning) => Self::Exact(tuning),
        }
    }
}

impl From<Tuning> for WholeTuning {
    fn from(tuning: Tuning) -> Self {
        Self::Reduction(tuning)
    }
}

impl From<ExactTuning> for WholeTuning {
    fn from(tuning: ExactTuning) -> Self {
        Self::Exact(tuning)
    }
}

macro_rules! tunings {
    ($($tuning:ident: $variant:ident, $get:ident;)*) => {
        $(
            impl From<$tuning> for AnyTuning {
                fn from(tuning: $tuning) -> Self {
                    Self::$variant(tuning)
                }
            }

            impl TryFrom<AnyTuning> for $tuning {
                type Error = AnyTuning;

                fn try_from(tuning: AnyTuning) -> Result<Self, AnyTuning> {
                    tuning.$get().ok_or(tuning)
                }
            }
        )*

        impl AnyTuning {
            $(
                /// The tuning, if it is of this shape.
                #[must_use]
                pub const fn $get(self) -> Option<$tuning> {
                    match self {
                        Self::$variant(tuning) => Some(tuning),
                        _ => None,
                    }
                }
            )*
        }

        impl fmt::Display for AnyTuning {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(tuning) => tuning.fmt(f),)*
                }
            }
        }
    };
}
tunings! {
    Tuning: Whole, whole;
    ExactTuning: Exact, exact;
    AxisTuning: Axis, axis;
    SegmentsTuning: Segments, segments;
    HistogramTuning: Histogram, histogram;
}

/// A plan of one shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Planned {
    Whole(WholePlan),
    Exact(ExactPlan),
    Custom(CustomPlan),
    Axis(axis::Built),
    Segments(segments::Built),
    Counted(segments::Counted),
    Runs(runs::Built),
    Bins(HistogramPlan),
    Weights(WeightedHistogramPlan),
    Many(ManyPlan),
}

impl Planned {
    /// The commands.
    pub(crate) fn recording(&self, caps: &Caps) -> Cow<'_, Recording> {
        match self {
            Self::Whole(plan) => Cow::Owned(plan.recording(caps)),
            Self::Exact(plan) => Cow::Owned(plan.recording()),
            Self::Custom(plan) => Cow::Borrowed(&plan.recording),
            Self::Axis(built) => Cow::Borrowed(&built.recording),
            Self::Segments(built) => Cow::Borrowed(&built.recording),
            Self::Counted(counted) => Cow::Borrowed(&counted.recording),
            Self::Runs(built) => Cow::Borrowed(&built.runs.recording),
            Self::Bins(plan) => Cow::Borrowed(&plan.recording),
            Self::Weights(plan) => Cow::Borrowed(&plan.recording),
            Self::Many(plan) => Cow::Owned(plan.recording(caps)),
        }
    }

    /// Bytes of what the host gets.
    pub(crate) fn host_bytes(&self) -> u64 {
        match self {
            Self::Whole(plan) => plan.output_bytes(),
            Self::Exact(plan) => plan.records().size_bytes(),
            Self::Custom(plan) => plan.output_bytes,
            Self::Axis(built) => built.host_bytes(),
            Self::Segments(built) => built.host_bytes(),
            Self::Counted(_) => 0,
            Self::Runs(built) => built.host_bytes(),
            Self::Bins(plan) => plan.output_bytes(),
            Self::Weights(plan) => plan.output_bytes(),
            Self::Many(plan) => plan.output_bytes(),
        }
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Whole(plan) => plan.len,
            Self::Exact(plan) => plan.len,
            Self::Custom(plan) => plan.len,
            Self::Axis(built) => built.len,
            Self::Segments(built) => built.len,
            Self::Counted(counted) => counted.most,
            Self::Runs(built) => built.segments.len,
            Self::Bins(plan) => plan.len,
            Self::Weights(plan) => plan.len,
            Self::Many(plan) => plan.len(),
        }
    }

    pub(crate) fn results(&self) -> u64 {
        match self {
            Self::Whole(_) | Self::Exact(_) | Self::Custom(_) | Self::Counted(_) => 1,
            Self::Axis(built) => built.results,
            Self::Segments(built) => built.segments,
            Self::Runs(built) => built.segments.segments,
            Self::Bins(plan) => plan.counts(),
            Self::Weights(plan) => plan.sums(),
            Self::Many(plan) => plan.inputs as u64,
        }
    }

    /// What shaders of histograms compare with, if they do.
    pub(crate) fn table(&self) -> &[u32] {
        match self {
            Self::Bins(plan) => &plan.table,
            Self::Weights(plan) => &plan.table,
            _ => &[],
        }
    }

    fn element(&self) -> ElementKind {
        match self {
            Self::Whole(plan) => plan.element,
            Self::Exact(_) => ElementKind::F32,
            Self::Custom(plan) => plan.element,
            Self::Axis(built) => built.element,
            Self::Segments(built) => built.element,
            Self::Counted(counted) => counted.element,
            Self::Runs(built) => built.segments.element,
            Self::Bins(plan) => plan.element,
            Self::Weights(plan) => plan.element,
            Self::Many(plan) => plan.element,
        }
    }

    fn operation(&self) -> &'static str {
        match self {
            Self::Whole(plan) => plan.operation.name(),
            Self::Exact(plan) if plan.shader.terms == ExactTerms::Products => "dot_exact",
            Self::Exact(_) => "sum_exact",
            Self::Custom(_) => "custom operator",
            Self::Axis(built) => built.name,
            Self::Segments(built) => built.name,
            Self::Counted(counted) => counted.name,
            Self::Runs(built) => built.segments.name,
            Self::Bins(_) => "histogram",
            Self::Weights(_) => "histogram of weights",
            Self::Many(plan) => plan.operation.name(),
        }
    }

    fn inputs(&self) -> usize {
        match self {
            Self::Whole(plan) => plan.inputs as usize,
            Self::Exact(plan) if plan.shader.terms == ExactTerms::Products => 2,
            Self::Custom(plan) => plan.inputs as usize,
            Self::Many(plan) => plan.inputs,
            _ => 1,
        }
    }

    fn roundings(&self) -> u64 {
        match self {
            Self::Whole(plan) => plan.roundings,
            Self::Axis(built) => built.roundings,
            Self::Segments(built) => built.roundings,
            Self::Counted(counted) => counted.roundings,
            Self::Runs(built) => built.segments.roundings,
            Self::Exact(_) | Self::Bins(_) | Self::Weights(_) => 0,
            // Of an operator nobody knows; each input of a batch has its own.
            Self::Custom(_) => u64::MAX,
            Self::Many(plan) => {
                let over = plan.operation.over(plan.element);
                if over.is_ok_and(|over| over.accumulator.rounds()) { u64::MAX } else { 0 }
            }
        }
    }

    fn tuning(&self) -> AnyTuning {
        match self {
            Self::Whole(plan) => plan.tuning.into(),
            Self::Exact(plan) => plan.tuning.into(),
            Self::Custom(plan) => plan.tuning.into(),
            Self::Axis(built) => built.tuning.into(),
            Self::Segments(built) => built.tuning.into(),
            Self::Counted(counted) => counted.tuning.into(),
            Self::Runs(built) => built.segments.tuning.into(),
            Self::Bins(plan) => plan.tuning.into(),
            Self::Weights(plan) => plan.tuning.into(),
            Self::Many(plan) => plan.tuning.into(),
        }
    }
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(plan) => plan.fmt(f),
            Self::Exact(plan) => plan.fmt(f),
            Self::Custom(plan) => plan.fmt(f),
            Self::Axis(built) => built.fmt(f),
            Self::Segments(built) => built.fmt(f),
            Self::Counted(counted) => counted.fmt(f),
            Self::Runs(built) => built.fmt(f),
            Self::Bins(plan) => plan.fmt(f),
            Self::Weights(plan) => plan.fmt(f),
            Self::Many(plan) => plan.fmt(f),
        }
    }
}

impl Plan {
    pub(crate) fn new(planned: Planned, caps: &Caps) -> Self {
        let recording = planned.recording(caps);
        let pass = |pass: &RecordedPass| PlannedPass {
            recorded: pass.clone(),
            grids: pass.dispatches.iter().map(|dispatch| dispatch.grid).collect(),
        };
        let passes = recording.passes.iter().map(pass).collect();
        let scratch = recording.scratch.clone();
        Self {
            operation: planned.operation(),
            element: planned.element(),
            inputs: planned.inputs(),
            len: planned.len(),
            results: planned.results(),
            roundings: planned.roundings(),
            tuning: planned.tuning(),
            scratch,
            passes,
            planned,
        }
    }

    /// What bounds of a result's error are made of: [`Operation::tolerance`](crate::Operation::tolerance) takes it. Of segments and runs
    /// [`accuracy_of`](Self::accuracy_of) tells it for one of some length.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        match &self.planned {
            Planned::Whole(plan) => plan.accuracy(),
            Planned::Axis(built) => built.accuracy(),
            _ => self.accuracy_of(self.len),
        }
    }

    /// What bounds of the error of a result are made of, if it is of so many elements.
    #[must_use]
    pub fn accuracy_of(&self, len: u64) -> Accuracy {
        match &self.planned {
            Planned::Segments(built) => built.accuracy_of(len),
            Planned::Runs(built) => built.segments.accuracy_of(len),
            planned => Accuracy::new(self.element, len, planned.roundings(), 0),
        }
    }

    /// Bytes of the input, or of both, that are read; `u64::MAX` where there are more, as a stream may have.
    #[must_use]
    pub fn input_bytes(&self) -> u64 {
        match &self.planned {
            Planned::Whole(plan) => plan.input_bytes(),
            Planned::Exact(plan) => plan.input_bytes(),
            Planned::Bins(plan) => plan.input_bytes(),
            Planned::Weights(plan) => plan.input_bytes(),
            Planned::Axis(built) => {
                built.results.saturating_mul(built.len).saturating_mul(self.element.size_bytes())
            }
            Planned::Custom(plan) => plan
                .len
                .saturating_mul(plan.inputs.into())
                .saturating_mul(self.element.size_bytes()),
            Planned::Many(plan) => {
                let inputs = if OpRecord::PAIRS.contains(&plan.operation) { 2 } else { 1 };
                self.len.saturating_mul(inputs).saturating_mul(self.element.size_bytes())
            }
            _ => self.len.saturating_mul(self.element.size_bytes()),
        }
    }

    /// Bytes that are read and written at least: of inputs and offsets, each once; and of results along axes, of segments and of runs.
    #[must_use]
    pub fn least_bytes(&self) -> u64 {
        match &self.planned {
            Planned::Axis(built) => built.least_bytes(),
            Planned::Segments(built) => built.least_bytes(),
            Planned::Runs(built) => built.segments.least_bytes(),
            _ => self.input_bytes(),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.planned.fmt(f)
    }
}
