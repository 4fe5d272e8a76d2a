//! A result for each group of equal keys.

use crate::api::input::Inputs;
use crate::api::pending::{Finish, Next};
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{HostWork, OneBuffer, Reader, Work};
use crate::api::transfer::read_ranges;
use crate::error::{Error, Result};
use crate::op::decode;
use crate::op::{DeviceFold, ElementKind, ShapedFold};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::shapes::bins::HistogramTuning;
use crate::plan::shapes::groups::{Grouped, key_of};
use std::sync::Arc;

/// A reduction of groups: what [`Request::groups`](crate::Request::groups) makes.
#[derive(Debug, Clone)]
pub struct Groups<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) keys: Inputs<'a>,
    pub(crate) count: u32,
    pub(crate) tuning: Option<HistogramTuning>,
}

impl<F: ShapedFold<I>, I> Groups<'_, F, I> {
    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let Self { whole, keys, count, tuning } = self;
        let key_bytes = keys.element.size_bytes();
        let grouped = Grouped { keys: keys.first(), key_bytes, groups: *count };
        let by = (grouped, &keys.buffers[..]);
        reducer.lower_groups(whole.fold.folds(), &whole.inputs, by, *tuning, ends)
    }
}

impl<F: ShapedFold<I>, I> Work for Groups<'_, F, I> {
    type Tuning = HistogramTuning;

    fn tune(&mut self, tuning: HistogramTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, Ends::Host)?.plan)
    }
}

impl<F: ShapedFold<I>, I> HostWork for Groups<'_, F, I> {
    type Output = Vec<F::Output>;

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<Vec<F::Output>>)> {
        let lowered = self.lower(reducer, Ends::Host)?;
        let Outputs::Groups(layout) = lowered.plan.outputs else {
            return Err(Error::Internal { message: "groups are planned as something else".into() });
        };
        let of = self.whole.many()?;
        let finisher = self.whole.fold.finisher();
        let keys = Keys::new(reducer, &self.keys, self.count);
        let reader: Reader<Vec<F::Output>> =
            Arc::new(move |bytes, _| match layout.first_wrong(bytes)? {
                Some(index) => keys.ask(index),
                None => layout.results(of, &*finisher, bytes).map(Next::Value),
            });
        Ok((lowered, reader))
    }
}

impl<F: DeviceFold<I>, I> OneBuffer for Groups<'_, F, I> {
    type Raw = F::Raw;

    fn results(&self) -> Result<u64> {
        Ok(self.count.into())
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        Self::lower(self, reducer, ends)
    }
}

/// What is asked for a key that is none of a group's.
#[derive(Debug)]
struct Keys {
    reducer: GpuReducer,
    element: ElementKind,
    parts: Vec<(wgpu::Buffer, Part)>,
    groups: u32,
}

impl Keys {
    fn new(reducer: &GpuReducer, keys: &Inputs<'_>, groups: u32) -> Self {
        let buffers = keys.buffers.iter().copied().cloned();
        let parts = buffers.zip(keys.first().iter().copied()).collect();
        Self { reducer: reducer.clone(), element: keys.element, parts, groups }
    }

    /// Where the key of an index lies.
    fn place(&self, index: u64) -> Option<(&wgpu::Buffer, u64)> {
        let mut before = 0;
        self.parts.iter().find_map(|(buffer, part)| {
            let place = index.checked_sub(before).filter(|&place| place < part.len);
            before += part.len;
            place.map(|place| (buffer, part.offset_bytes + place * self.element.size_bytes()))
        })
    }

    /// Looks for a key, to tell of it: what comes is the error.
    fn ask<R: 'static>(&self, index: u64) -> Result<Next<R>> {
        let groups = self.groups;
        let unknown = Error::InvalidKey { index, key: None, groups };
        let Some((buffer, offset)) = self.place(index) else { return Err(unknown) };
        if !buffer.usage().contains(wgpu::BufferUsages::COPY_SRC) {
            return Err(unknown);
        }
        let size = self.element.size_bytes();
        let is_signed = matches!(self.element, ElementKind::I32 | ElementKind::I64);
        let start = offset - offset % WORD_BYTES;
        let words = start..(offset + size).next_multiple_of(WORD_BYTES);
        let finish: Finish<R> = Box::new(move |bytes| {
            let from = decode::from(bytes, offset - start);
            let bytes = usize::try_from(size).ok().and_then(|size| from.get(..size));
            let key = key_of(bytes.unwrap_or_default(), is_signed)?;
            // Whoever has written the keys may have written them again.
            let is_wrong = !(0..i128::from(groups)).contains(&key);
            Err(Error::InvalidKey { index, key: is_wrong.then_some(key), groups })
        });
        read_ranges(&self.reducer.context, buffer, &[words], finish).map(Next::from)
    }
}
