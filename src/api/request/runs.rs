//! A result for each run of equal keys.

use super::read_runs::{read_at_once, read_counted};
use super::run_buffers::{GpuRuns, RunBuffers, Runs};
use crate::api::buffer::GpuSlice;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Head, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{DeviceWork, HostWork, Reader, Work};
use crate::error::{Error, Result};
use crate::op::{DeviceFold, ShapedFold};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::shapes::runs::{AT_ONCE_BYTES, Key, KeyPart};
use crate::plan::shapes::segments::SegmentsTuning;

/// A reduction of runs of equal keys: what [`Request::runs`](crate::Request::runs) makes.
#[derive(Debug, Clone)]
pub struct ByRuns<'a, F, I, K> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) keys: GpuSlice<'a, K>,
    pub(crate) tuning: Option<SegmentsTuning>,
}

impl<F: ShapedFold<I>, I, K: Key> ByRuns<'_, F, I, K> {
    fn lower(
        &self,
        reducer: &GpuReducer,
        outputs: &[&wgpu::Buffer],
        offsets: Option<[u64; 3]>,
    ) -> Result<Lowered> {
        let Self { whole, keys, tuning } = self;
        let place = keys.plan_part();
        let part = KeyPart { place, bytes: size_of::<K>() as u64, are_floats: K::IS_FLOAT };
        let others = [&[keys.buffer], outputs].concat();
        let ends = (&others[..], offsets);
        reducer.lower_runs(whole.fold.folds(), &whole.inputs, &part, *tuning, ends)
    }
}

impl<F: ShapedFold<I>, I, K: Key> Work for ByRuns<'_, F, I, K> {
    type Tuning = SegmentsTuning;

    fn tune(&mut self, tuning: SegmentsTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, &[], None)?.plan)
    }
}

impl<F: ShapedFold<I>, I, K: Key> HostWork for ByRuns<'_, F, I, K> {
    type Output = Runs<K, F::Output>;

    fn to_host(
        &self,
        reducer: &GpuReducer,
        at_once: bool,
    ) -> Result<(Lowered, Reader<Self::Output>)> {
        let mut lowered = self.lower(reducer, &[], None)?;
        let Outputs::Runs { room, .. } = lowered.plan.outputs else {
            return Err(Error::Internal { message: "runs are planned as something else".into() });
        };
        let of = self.whole.many()?;
        let finisher = self.whole.fold.finisher();
        if at_once || lowered.host_bytes <= AT_ONCE_BYTES {
            return Ok((lowered, read_at_once(room, of, finisher)));
        }
        let context = &reducer.context;
        let output = context.results.take(context, lowered.host_bytes)?;
        let head = Head { output, bytes: room.count_first..lowered.host_bytes };
        let reader = read_counted(context, (room, of), &head, finisher);
        lowered.head = Some(head);
        Ok((lowered, reader))
    }
}

impl<F: DeviceFold<I>, I, K: Key> DeviceWork for ByRuns<'_, F, I, K> {
    type Buffer = GpuRuns<K, F::Raw>;
    type Target<'t> = RunBuffers<'t, K, F::Raw>;

    fn buffer(&self, reducer: &GpuReducer) -> Result<GpuRuns<K, F::Raw>> {
        let len = self.whole.inputs.len();
        let (keys, results) = (reducer.alloc(len)?, reducer.alloc(len)?);
        Ok(GpuRuns { keys, results, count: reducer.alloc(1)? })
    }

    fn target(buffer: &GpuRuns<K, F::Raw>) -> RunBuffers<'_, K, F::Raw> {
        buffer.buffers()
    }

    fn to_device(
        &self,
        reducer: &GpuReducer,
        target: &RunBuffers<'_, K, F::Raw>,
    ) -> Result<(Lowered, wgpu::Buffer)> {
        let read = [&self.whole.inputs.buffers[..], &[self.keys.buffer]].concat();
        let offsets = target.checked(&read, self.whole.inputs.len())?;
        let outputs = [target.keys.buffer, target.count.buffer];
        Ok((self.lower(reducer, &outputs, Some(offsets))?, target.results.buffer.clone()))
    }
}
