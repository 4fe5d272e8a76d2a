//! Which offset is wrong, once a reduction has told that one is.

use crate::api::buffer::GpuSlice;
use crate::api::pending::{Finish, Pending};
use crate::api::reducer::GpuReducer;
use crate::error::{Error, Result, WrongOffset};
use crate::op::decode;
use crate::plan::cut::part::Part;
use crate::plan::shapes::segments::first_wrong::{TOLD_BYTES, first_wrong};

/// What is asked for it.
#[derive(Debug)]
pub(crate) struct Judge {
    reducer: GpuReducer,
    buffer: wgpu::Buffer,
    offsets: Part,
    len: u64,
}

impl Judge {
    pub(crate) fn new(reducer: &GpuReducer, offsets: GpuSlice<'_, u32>, len: u64) -> Self {
        let buffer = offsets.buffer.clone();
        Self { reducer: reducer.clone(), buffer, offsets: offsets.plan_part(), len }
    }

    /// Looks for the first offset that is wrong: what comes is the error.
    pub(crate) fn ask<R>(&self) -> Result<Pending<R>> {
        let Self { reducer, buffer, offsets, len } = self;
        let (offsets, len) = (*offsets, *len);
        let recording = first_wrong(offsets, len, &reducer.caps());
        let recording = recording.map_err(|error| reducer.with_adapter(error))?;
        let finish: Finish<R> = Box::new(move |told| {
            let [index, value, before]: [u32; 3] = decode::value(told)?;
            // Whoever has written the offsets may have written them again.
            let is_there = u64::from(index) < offsets.len;
            let first_wrong = is_there.then(|| WrongOffset { index: index.into(), value, before });
            Err(Error::InvalidOffsets { len, first_wrong })
        });
        reducer.submit(&recording, &[buffer], TOLD_BYTES, None, finish)
    }
}
