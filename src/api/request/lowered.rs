//! Requests as what a device is given, whatever the types of their elements are.

use super::axis_output::check_output;
use crate::api::input::Inputs;
use crate::api::reducer::GpuReducer;
use crate::device::allowance::Held;
use crate::error::{Error, Result};
use crate::op::fold::Folds;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::planned::{AnyTuning, Plan, WholeTuning};
use crate::plan::problem::{self, Problem, Shape};
use crate::plan::shapes::axis::{AxisSet, AxisTuning, View};
use crate::plan::shapes::bins::HistogramTuning;
use crate::plan::shapes::groups::Grouped;
use crate::plan::shapes::runs::KeyPart;
use crate::plan::shapes::segments::SegmentsTuning;
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
    pub(crate) plan: Plan,
    pub(crate) inputs: Vec<Held>,
    /// Bytes of what comes back; of no use where results stay in a buffer.
    pub(crate) host_bytes: u64,
    /// What comes back first, where more is read once that is there.
    pub(crate) head: Option<Head>,
}

/// The bytes of a buffer that come back first.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) output: Held,
    pub(crate) bytes: Range<u64>,
}

impl Lowered {
    pub(crate) fn new(plan: Plan, inputs: Vec<Held>) -> Self {
        Self { host_bytes: plan.host_bytes(), plan, inputs, head: None }
    }
}

impl GpuReducer {
    /// Plans a problem; errors name the adapter.
    fn lower(&self, problem: &Problem<'_>, inputs: Vec<Held>) -> Result<Lowered> {
        let plan = problem.lower(&self.context.caps).map_err(|error| self.with_adapter(error))?;
        let mut lowered = Lowered::new(plan, inputs);
        lowered.inputs.extend(self.table(lowered.plan.table())?);
        Ok(lowered)
    }

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
        let problem = inputs.problem(fold, Shape::Whole, ends);
        self.lower(&self.tuned(problem, tuning), inputs.handles([]))
    }

    /// A reduction of what a mask leaves of a whole input.
    pub(crate) fn lower_masked(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        mask: &Inputs<'_>,
        tuning: Option<WholeTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        if let Ends::Buffer(target) = ends {
            target.check_room(1)?;
        }
        let mut problem = inputs.problem(fold, Shape::Whole, ends);
        problem.ends.in_place |= ends.is_among(&mask.buffers);
        problem.mask = Some(mask.first().to_vec().into());
        self.lower(&self.tuned(problem, tuning), inputs.handles(mask.buffers.iter().copied()))
    }

    /// A problem with a tuning for all elements.
    fn tuned<'a>(&self, mut problem: Problem<'a>, tuning: Option<WholeTuning>) -> Problem<'a> {
        problem.tuning = match (tuning, problem.fold) {
            (Some(tuning), _) => Some(tuning.into()),
            _ if problem.exact_terms().is_some()
                || problem.is_masked_row()
                || matches!(problem.fold, Folds::Ranks(_)) =>
            {
                None
            }
            (None, Folds::Operation(operation)) => {
                Some(self.tuning(operation, problem.element, len_of(problem.first())).into())
            }
            (None, _) => self.chosen_tuning().map(AnyTuning::from),
        };
        problem
    }

    /// A reduction along axes.
    pub(crate) fn lower_axis(
        &self,
        fold: Folds<'_>,
        (inputs, mask): (&Inputs<'_>, Option<&Inputs<'_>>),
        (view, axes): (View, AxisSet),
        tuning: Option<AxisTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        let mut problem = inputs.problem(fold, Shape::Axis(view, axes), ends);
        problem.tuning = tuning.map(AnyTuning::from);
        if let Some(mask) = mask {
            problem.ends.in_place |= ends.is_among(&mask.buffers);
            problem.mask = Some(mask.first().to_vec().into());
        }
        let masks = mask.iter().flat_map(|mask| mask.buffers.iter().copied());
        let lowered = self.lower(&problem, inputs.handles(masks))?;
        match ends {
            Ends::Buffer(target) => {
                for read in [inputs].into_iter().chain(mask) {
                    check_output(read, &view, lowered.plan.results, &target)?;
                }
            }
            Ends::Host => self.context.caps.check_buffer(lowered.host_bytes)?,
        }
        Ok(lowered)
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
        let problem = inputs.problem(fold, Shape::Segments(offsets, None), ends);
        let problem = Problem { tuning: tuning.map(AnyTuning::from), ..problem };
        self.lower(&problem, inputs.handles([buffer]))
    }

    /// A reduction of the first elements, as many as a number in a buffer says.
    pub(crate) fn lower_counted(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        (buffer, count): (&wgpu::Buffer, Part),
        tuning: Option<WholeTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        if count.len == 0 {
            return Err(Error::InvalidRange { start: 0, end: 1, len: 0 });
        }
        if let Ends::Buffer(target) = ends {
            target.check_room(1)?;
            let read = [&inputs.buffers[..], &[buffer]].concat();
            target.check_apart(&read, "the result cannot lie in the buffer that it is made of")?;
        }
        let mut problem = inputs.problem(fold, Shape::Counted(count.offset_bytes), ends);
        // It never comes back by itself: a plan for nobody is that for a buffer.
        problem.ends.output_offsets_bytes.get_or_insert([0; 3]);
        self.lower(&self.tuned(problem, tuning), inputs.handles([buffer]))
    }

    /// A reduction of runs of equal keys. Where runs go to the caller's buffers, those of keys and count are behind the
    /// inputs.
    pub(crate) fn lower_runs(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        keys: &KeyPart,
        tuning: Option<SegmentsTuning>,
        (others, output_offsets_bytes): (&[&wgpu::Buffer], Option<[u64; 3]>),
    ) -> Result<Lowered> {
        let mut problem = inputs.problem(fold, Shape::Runs(*keys), Ends::Host);
        problem.ends.output_offsets_bytes = output_offsets_bytes;
        problem.tuning = tuning.map(AnyTuning::from);
        self.lower(&problem, inputs.handles(others.iter().copied()))
    }

    /// A reduction of groups, whose keys lie in buffers of their own.
    pub(crate) fn lower_groups(
        &self,
        fold: Folds<'_>,
        inputs: &Inputs<'_>,
        (grouped, keys): (Grouped<'_>, &[&wgpu::Buffer]),
        tuning: Option<HistogramTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        if let Ends::Buffer(target) = ends {
            target.check_room(grouped.groups.into())?;
            let read = [&inputs.buffers[..], keys].concat();
            target.check_apart(
                &read,
                "results of groups cannot lie in a buffer of what they are made of",
            )?;
        }
        let problem = inputs.problem(fold, Shape::Groups(grouped), ends);
        let problem = Problem { tuning: tuning.map(AnyTuning::from), ..problem };
        self.lower(&problem, inputs.handles(keys.iter().copied()))
    }

    /// A histogram of counts or weights.
    pub(crate) fn lower_bins(
        &self,
        inputs: &Inputs<'_>,
        (shape, weights): (Shape<'_>, &[&wgpu::Buffer]),
        tuning: Option<HistogramTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        let read = [&inputs.buffers[..], weights].concat();
        let of_bins = Problem::in_bins(inputs.element, shape);
        let problem = inputs.problem(of_bins.fold, shape, ends);
        let problem = Problem { tuning: tuning.map(AnyTuning::from), ..problem };
        let lowered = self.lower(&problem, inputs.handles(weights.iter().copied()))?;
        if let Ends::Buffer(target) = ends {
            target.check_room(lowered.plan.results)?;
            target.check_apart(&read, "a histogram cannot lie in a buffer that it is made of")?;
        }
        Ok(lowered)
    }

    /// The buffer with what shaders read behind the inputs, if they do.
    pub(crate) fn table(&self, table: &[u32]) -> Result<Option<Held>> {
        if table.is_empty() {
            return Ok(None);
        }
        let bytes = bytemuck::cast_slice(table).to_vec();
        self.context.tables.get(&self.context, bytes).map(Some)
    }
}

impl Inputs<'_> {
    /// A problem of these inputs.
    fn problem<'p>(&'p self, fold: Folds<'p>, shape: Shape<'p>, ends: Ends<'_>) -> Problem<'p> {
        let offset = ends.offset_bytes();
        let ends = problem::Ends {
            output_offsets_bytes: offset.map(|results| [results, 0, 0]),
            in_place: ends.is_among(&self.buffers),
        };
        let inputs = self.parts.clone();
        Problem { fold, element: self.element, inputs, mask: None, shape, ends, tuning: None }
    }
}
