//! Requests as what a device is given, whatever the types of their elements are.

use crate::api::input::Inputs;
use crate::api::reducer::GpuReducer;
use crate::error::{Error, Result};
use crate::exact::ExactTerms;
use crate::op::fold::Folds;
use crate::plan::cut::part::Part;
use crate::plan::folding::Folding;
use crate::plan::many_plan::ManyPlan;
use crate::plan::planned::{Plan, Planned, WholeTuning};
use crate::plan::recording::Recording;
use crate::plan::shapes::axis::{self, AxisTuning, View};
use crate::plan::shapes::bins::{HistogramPlan, WeightedHistogramPlan};
use crate::plan::shapes::exact::{ExactPlan, ExactTuning};
use crate::plan::shapes::ordered;
use crate::plan::shapes::runs::{self, KeyPart};
use crate::plan::shapes::segments::{self, SegmentsTuning};
use crate::plan::shapes::whole::{WholePlan, WholeRequest};
use crate::plan::tuning::Tuning;
use crate::shader::variant::Collective;
use std::borrow::Cow;
use std::ops::Range;

/// Where results go.
#[derive(Debug, Clone, Copy)]
pub enum Ends<'a> {
    Host,
    Buffer(Target<'a>),
}

/// Elements of a buffer for results.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    pub(crate) offset_bytes: u64,
    pub(crate) len: u64,
    pub(crate) element_bytes: u64,
}

impl<'a, R: bytemuck::Pod> From<crate::api::buffer::GpuSlice<'a, R>> for Target<'a> {
    fn from(slice: crate::api::buffer::GpuSlice<'a, R>) -> Self {
        let element_bytes = size_of::<R>() as u64;
        Self {
            buffer: slice.buffer,
            offset_bytes: slice.offset_bytes,
            len: slice.len,
            element_bytes,
        }
    }
}

impl Target<'_> {
    /// Fails where there is not room for so many.
    pub(crate) const fn check_room(&self, results: u64) -> Result<()> {
        if self.len < results {
            return Err(Error::InvalidRange { start: 0, end: results, len: self.len });
        }
        Ok(())
    }

    /// Fails where results would lie in a buffer that is read.
    pub(crate) fn check_apart(&self, inputs: &[&wgpu::Buffer], what: &str) -> Result<()> {
        if inputs.contains(&self.buffer) {
            return Err(Error::InvalidBuffer { what: what.into() });
        }
        Ok(())
    }
}

impl<'a> Ends<'a> {
    pub(crate) const fn offset_bytes(&self) -> Option<u64> {
        match self {
            Self::Host => None,
            Self::Buffer(target) => Some(target.offset_bytes),
        }
    }

    const fn buffer(&self) -> Option<&'a wgpu::Buffer> {
        match self {
            Self::Host => None,
            Self::Buffer(target) => Some(target.buffer),
        }
    }

    fn is_among(&self, inputs: &[&wgpu::Buffer]) -> bool {
        self.buffer().is_some_and(|buffer| inputs.contains(&buffer))
    }
}

/// What a device is given: commands, and the buffers that they read.
#[derive(Debug)]
pub struct Lowered {
    pub(crate) planned: Planned,
    pub(crate) inputs: Vec<wgpu::Buffer>,
    /// Bytes of what comes back; of no use where results stay in a buffer.
    pub(crate) host_bytes: u64,
    /// What comes back first, where more is read once that is there.
    pub(crate) head: Option<Head>,
}

/// The bytes of a buffer that come back first.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) output: wgpu::Buffer,
    pub(crate) bytes: Range<u64>,
}

impl Lowered {
    /// Reductions of many whole inputs by one operation.
    pub(crate) fn of_many(plan: ManyPlan, inputs: Vec<wgpu::Buffer>) -> Self {
        let host_bytes = plan.output_bytes();
        Self { planned: Planned::Many(plan), inputs, host_bytes, head: None }
    }

    pub(crate) fn recording(&self, reducer: &GpuReducer) -> Cow<'_, Recording> {
        self.planned.recording(&reducer.context.caps)
    }

    pub(crate) fn plan(self, reducer: &GpuReducer) -> Plan {
        Plan::new(self.planned, &reducer.context.caps)
    }

    /// Number of elements, or pairs.
    pub(crate) fn len(&self) -> u64 {
        self.planned.len()
    }
}

impl GpuReducer {
    /// A reduction of a whole input.
    pub(crate) fn lower_whole(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        tuning: Option<WholeTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        if let Ends::Buffer(target) = ends {
            target.check_room(1)?;
        }
        let planned = self.plan_whole(fold, inputs, tuning, ends);
        let planned = planned.map_err(|error| self.with_adapter(error))?;
        let host_bytes = planned.host_bytes();
        Ok(Lowered { planned, inputs: inputs.handles([]), host_bytes, head: None })
    }

    fn plan_whole(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        tuning: Option<WholeTuning>,
        ends: Ends<'_>,
    ) -> Result<Planned> {
        let caps = &self.context.caps;
        let in_place = ends.is_among(&inputs.buffers);
        let output_offset_bytes = ends.offset_bytes().unwrap_or(0);
        let is_for_host = matches!(ends, Ends::Host);
        match fold {
            Folds::Exact(terms) => self.plan_exact_sum(terms, inputs, tuning).map(Planned::Exact),
            Folds::Operation(operation)
                if is_for_host && operation.is_exact_sum_of(inputs.element) =>
            {
                self.plan_exact_sum(ExactTerms::Elements, inputs, tuning).map(Planned::Exact)
            }
            Folds::Operation(operation) => {
                let request = WholeRequest {
                    operation,
                    element: inputs.element,
                    input: inputs.first().to_vec(),
                    output_offset_bytes,
                    in_place,
                    collective: Collective::for_caps(caps),
                    tuning: match tuning {
                        Some(tuning) => of_reduction(tuning)?,
                        None => self.tuning(operation, inputs.element, inputs.len()),
                    },
                    caps: *caps,
                };
                let plan = match inputs.second() {
                    Some(second) => WholePlan::of_pairs(&request, second),
                    None => WholePlan::new(&request),
                };
                plan.map(Planned::Whole)
            }
            Folds::Custom(operator, identity) => ordered::Request {
                operator,
                identity,
                input: inputs.parts.clone(),
                output_offset_bytes,
                in_place,
                tuning: match tuning {
                    Some(tuning) => Some(of_reduction(tuning)?),
                    None => self.chosen_tuning(),
                },
                caps,
            }
            .plan()
            .map(Planned::Custom),
        }
    }

    fn plan_exact_sum(
        &self,
        terms: ExactTerms,
        inputs: &Inputs<'_>,
        tuning: Option<WholeTuning>,
    ) -> Result<ExactPlan> {
        let caps = &self.context.caps;
        let (first, len) = (inputs.first(), inputs.len());
        let tuning = match (tuning, terms) {
            (Some(WholeTuning::Exact(tuning)), _) => tuning,
            (Some(WholeTuning::Reduction(_)), _) => {
                let what = "an exact sum that comes back to the host takes an `ExactTuning`";
                return Err(Error::InvalidTuning { what: what.into() });
            }
            (None, ExactTerms::Elements) => ExactTuning::for_len(caps, len),
            (None, ExactTerms::Products) => ExactTuning::for_pairs(caps, len),
        };
        match inputs.second() {
            Some(second) => ExactPlan::of_pairs(first, second, &tuning, caps),
            None => ExactPlan::new(first, &tuning, caps),
        }
    }

    /// A reduction along an axis.
    pub(crate) fn lower_axis(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        (view, axis): (View, usize),
        tuning: Option<AxisTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        let caps = &self.context.caps;
        let plan = || {
            axis::build(&axis::Job {
                folding: Folding::of(fold, inputs.element)?,
                element: inputs.element,
                view,
                axis,
                input: inputs.first(),
                output_offset_bytes: ends.offset_bytes().unwrap_or(0),
                in_place: ends.is_among(&inputs.buffers),
                tuning: tuning.unwrap_or_else(|| AxisTuning::for_caps(caps)),
                caps,
            })
        };
        let built = plan().map_err(|error| self.with_adapter(error))?;
        match ends {
            Ends::Buffer(target) => {
                super::axis_output::check_output(inputs, &view, built.results, &target)?;
            }
            Ends::Host => caps.check_buffer(built.host_bytes())?,
        }
        let host_bytes = built.host_bytes();
        Ok(Lowered {
            planned: Planned::Axis(built),
            inputs: inputs.handles([]),
            host_bytes,
            head: None,
        })
    }

    /// A reduction of segments that offsets in a buffer delimit.
    pub(crate) fn lower_segments(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        (buffer, offsets): (&wgpu::Buffer, Part),
        tuning: Option<SegmentsTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        if let Ends::Buffer(target) = ends {
            target.check_room(offsets.len.saturating_sub(1))?;
            let read = [&inputs.buffers[..], &[buffer]].concat();
            let what = "results of segments cannot lie in the buffer that they are made of";
            target.check_apart(&read, what)?;
        }
        let built = self.plan_segments(fold, inputs, offsets, tuning, ends)?;
        let host_bytes = built.host_bytes();
        let inputs = inputs.handles([buffer]);
        Ok(Lowered { planned: Planned::Segments(built), inputs, host_bytes, head: None })
    }

    fn plan_segments(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        offsets: Part,
        tuning: Option<SegmentsTuning>,
        ends: Ends<'_>,
    ) -> Result<segments::Built> {
        let (caps, element) = (&self.context.caps, inputs.element);
        let plan = || {
            segments::build(&segments::Job {
                folding: Folding::of(fold, element)?,
                element,
                input: inputs.first(),
                offsets,
                count_offset_bytes: None,
                output_offset_bytes: ends.offset_bytes(),
                tuning: tuning.unwrap_or_else(|| SegmentsTuning::for_element(caps, element)),
                caps,
            })
        };
        plan().map_err(|error| self.with_adapter(error))
    }

    /// A reduction of the first elements, as many as a number in a buffer says.
    pub(crate) fn lower_counted(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        (buffer, count): (&wgpu::Buffer, Part),
        tuning: Option<SegmentsTuning>,
        target: Target<'_>,
    ) -> Result<Lowered> {
        target.check_room(1)?;
        if count.len == 0 {
            return Err(Error::InvalidRange { start: 0, end: 1, len: 0 });
        }
        let read = [&inputs.buffers[..], &[buffer]].concat();
        target.check_apart(&read, "the result cannot lie in the buffer that it is made of")?;
        let made = segments::MADE_OFFSETS;
        let built = self.plan_segments(fold, inputs, made, tuning, Ends::Buffer(target))?;
        let (parts, at) = (inputs.first().len(), count.offset_bytes);
        let counted = segments::counted(built, parts, at, &self.context.caps);
        let planned = counted.map(Planned::Counted).map_err(|error| self.with_adapter(error))?;
        Ok(Lowered { planned, inputs: inputs.handles([buffer]), host_bytes: 0, head: None })
    }

    /// A reduction of runs of equal keys. Where runs go to the caller's buffers, those of keys and count are behind the
    /// inputs.
    pub(crate) fn lower_runs(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        keys: &KeyPart,
        tuning: Option<SegmentsTuning>,
        (outputs, offsets): (&[&wgpu::Buffer], Option<[u64; 3]>),
    ) -> Result<Lowered> {
        let (caps, element) = (&self.context.caps, inputs.element);
        let plan = || {
            runs::build(&runs::Job {
                folding: Folding::of(fold, element)?,
                element,
                values: inputs.first(),
                keys: *keys,
                output_offsets_bytes: offsets,
                tuning: tuning.unwrap_or_else(|| SegmentsTuning::for_element(caps, element)),
                caps,
            })
        };
        let built = plan().map_err(|error| self.with_adapter(error))?;
        let host_bytes = built.host_bytes();
        let inputs = inputs.handles(outputs.iter().copied());
        Ok(Lowered { planned: Planned::Runs(built), inputs, host_bytes, head: None })
    }

    /// A histogram, with the buffer of what shaders compare with behind the inputs.
    pub(crate) fn lower_bins(
        &self,
        plan: Result<HistogramPlan>,
        inputs: &[&wgpu::Buffer],
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        let plan = plan.map_err(|error| self.with_adapter(error))?;
        check_bins(ends, plan.counts(), inputs)?;
        let inputs = self.with_table(inputs, &plan.table)?;
        let host_bytes = plan.output_bytes();
        Ok(Lowered { planned: Planned::Bins(plan), inputs, host_bytes, head: None })
    }

    /// A histogram of weights.
    pub(crate) fn lower_weights(
        &self,
        plan: Result<WeightedHistogramPlan>,
        inputs: &[&wgpu::Buffer],
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        let plan = plan.map_err(|error| self.with_adapter(error))?;
        check_bins(ends, plan.sums(), inputs)?;
        let inputs = self.with_table(inputs, &plan.table)?;
        let host_bytes = plan.output_bytes();
        Ok(Lowered { planned: Planned::Weights(plan), inputs, host_bytes, head: None })
    }

    /// The buffer with what shaders compare with, if they do.
    pub(crate) fn histogram_table(&self, table: &[u32]) -> Result<Option<wgpu::Buffer>> {
        if table.is_empty() {
            return Ok(None);
        }
        let bytes = bytemuck::cast_slice(table).to_vec();
        self.context.tables.get(&self.context, bytes).map(Some)
    }

    fn with_table(&self, inputs: &[&wgpu::Buffer], table: &[u32]) -> Result<Vec<wgpu::Buffer>> {
        let table = self.histogram_table(table)?;
        Ok(inputs.iter().copied().chain(&table).cloned().collect())
    }
}

/// The tuning of what no kernel with bins reduces.
fn of_reduction(tuning: WholeTuning) -> Result<Tuning> {
    match tuning {
        WholeTuning::Reduction(tuning) => Ok(tuning),
        WholeTuning::Exact(_) => {
            let what = "an `ExactTuning` is for exact sums that come back to the host";
            Err(Error::InvalidTuning { what: what.into() })
        }
    }
}

/// Fails where so many results do not fit, or would lie in what they are made of.
fn check_bins(ends: Ends<'_>, results: u64, inputs: &[&wgpu::Buffer]) -> Result<()> {
    let Ends::Buffer(target) = ends else { return Ok(()) };
    target.check_room(results)?;
    target.check_apart(inputs, "a histogram cannot lie in a buffer that it is made of")
}
