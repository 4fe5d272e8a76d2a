//! Chunks that become partials, which stay on the device.

use crate::api::arrival::Arrival;
use crate::api::reducer::GpuReducer;
use crate::api::stream::feed::Consumer;
use crate::api::stream::ring::{Ring, Way};
use crate::device::allowance::Held;
use crate::device::encode::{Ends, record};
use crate::error::{Error, Result};
use crate::plan::planned::Plan;
use crate::plan::shapes::chunks::levels::{Fold, Levels};
use crate::plan::shapes::chunks::plan::StreamPlan;

/// Each chunk leaves a partial in the lowest of several levels; whenever a level is full, its partials become one
/// of the next.
#[derive(Debug)]
pub(crate) struct Folded {
    reducer: GpuReducer,
    plan: StreamPlan,
    levels: Levels,
    /// The partials of each level.
    buffers: Vec<Held>,
}

impl Folded {
    pub(crate) fn new(reducer: &GpuReducer, plan: StreamPlan) -> Result<Self> {
        let levels = Levels::default();
        let mut folded = Self { reducer: reducer.clone(), plan, levels, buffers: Vec::new() };
        folded.make_level(0)?;
        Ok(folded)
    }

    /// What runs over so many elements, or pairs.
    pub(crate) fn plan(&self, len: u64) -> Result<Plan> {
        self.plan.whole(len).map_err(|error| self.reducer.with_adapter(error))
    }

    /// Sees to it that there is a buffer of a level.
    fn make_level(&mut self, level: usize) -> Result<()> {
        while self.buffers.len() <= level {
            let context = &self.reducer.context;
            self.buffers.push(context.scratch.take(context, self.plan.level_bytes())?);
        }
        Ok(())
    }

    fn level(&self, level: usize) -> Result<&wgpu::Buffer> {
        let buffer = self.buffers.get(level).map(|held| &held.buffer);
        buffer.ok_or_else(|| Error::Internal { message: format!("there is no level {level}") })
    }

    fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        plan: &Plan,
        inputs: &[&wgpu::Buffer],
        output: &wgpu::Buffer,
    ) -> Result<()> {
        let GpuReducer { context, pipelines, .. } = &self.reducer;
        record(context, pipelines, &plan.recording, Ends { inputs, output }, encoder, None)
    }

    fn record_fold(&self, encoder: &mut wgpu::CommandEncoder, len: u64, fold: Fold) -> Result<()> {
        let (from, to) = (self.level(fold.level)?, self.level(fold.level + 1)?);
        self.record(encoder, &self.plan.fold(len, fold)?, &[from], to)
    }

    /// Starts what leaves the result of all chunks, of `len` elements.
    pub(crate) fn finish(mut self, len: u64) -> Result<Arrival> {
        let mut folds = std::mem::take(&mut self.levels).finish();
        let last = folds.pop().ok_or_else(|| Error::Internal { message: "no last fold".into() })?;
        let plan = self.plan.fold(len, last).map_err(|error| self.reducer.with_adapter(error))?;
        self.make_level(last.level)?;
        let context = &self.reducer.context;
        context.check_alive()?;
        if !folds.is_empty() {
            context.scoped(0, || {
                let mut encoder = context
                    .device
                    .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                for fold in folds {
                    self.record_fold(&mut encoder, len, fold)?;
                }
                context.submit(Some(encoder.finish()))
            })?;
        }
        let bytes = self.plan.output_bytes();
        let level = self.level(last.level)?;
        let arrival = self.reducer.submit_bytes(&plan.recording, &[level], bytes, None)?;
        // The queue runs what uses them in order.
        for buffer in std::mem::take(&mut self.buffers) {
            self.reducer.context.scratch.give(buffer);
        }
        Ok(arrival)
    }
}

impl Consumer for Folded {
    fn submit(&mut self, ring: &mut Ring, first_index: u64, len: u64) -> Result<()> {
        let (slot, folds) = self.levels.push();
        if let Some(highest) = folds.last() {
            self.make_level(highest.level + 1)?;
        }
        let plan = self.plan.chunk(len, first_index, slot);
        let plan = plan.map_err(|error| self.reducer.with_adapter(error))?;
        let inputs = self.plan.inputs();
        ring.submit(&mut |encoder, chunk| {
            self.record(encoder, &plan, &vec![chunk; inputs], self.level(0)?)?;
            for &fold in &folds {
                self.record_fold(encoder, first_index + len, fold)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    async fn settle(&mut self, _: Way) -> Result<()> {
        Ok(())
    }
}
