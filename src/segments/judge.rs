//! Which offset is wrong, once a reduction has told that one is.

use super::SegmentsShader;
use crate::buffer::GpuSlice;
use crate::decode;
use crate::error::{Error, Result, WrongOffset};
use crate::part::Part;
use crate::pending::{Finish, Pending};
use crate::recording::{
    Bound, Place, RecordedDispatch, RecordedPass, Recording, binding, low_word,
};
use crate::reducer::GpuReducer;
use crate::shader::Shader;
use crate::window::{WORD_BYTES, binding_start};

/// What is asked for it.
#[derive(Debug)]
pub(super) struct Judge {
    reducer: GpuReducer,
    buffer: wgpu::Buffer,
    offsets: Part,
    len: u64,
}

impl Judge {
    pub(super) fn new(reducer: &GpuReducer, offsets: GpuSlice<'_, u32>, len: u64) -> Self {
        let buffer = offsets.buffer.clone();
        Self { reducer: reducer.clone(), buffer, offsets: offsets.plan_part(), len }
    }

    /// Looks for the first offset that is wrong: what comes is the error.
    pub(super) fn ask<R>(self) -> Result<Pending<R>> {
        let Self { reducer, buffer, offsets, len } = self;
        let recording = recording(offsets, len, &reducer);
        let finish: Finish<R> = Box::new(move |told| {
            let [index, value, before]: [u32; 3] = decode::value(told)?;
            // Whoever has written the offsets may have written them again.
            let is_there = u64::from(index) < offsets.len;
            let first_wrong = is_there.then(|| WrongOffset { index: index.into(), value, before });
            Err(Error::InvalidOffsets { len, first_wrong })
        });
        reducer.submit(&recording, &[&buffer], TOLD_BYTES, None, finish)
    }
}

/// Index, value, and that before.
const TOLD_BYTES: u64 = 3 * WORD_BYTES;

/// More lanes than that are of no use for what happens once.
const WORKGROUP: u32 = 256;

fn recording(offsets: Part, len: u64, reducer: &GpuReducer) -> Recording {
    let caps = reducer.caps();
    let Part { offset_bytes, len: count } = offsets;
    let start = binding_start(offset_bytes, WORD_BYTES, caps.storage_alignment_bytes);
    let bound = |binding, place, bytes| Bound { binding, place, bytes: Some(bytes) };
    let bindings = vec![
        bound(binding::TARGET, Place::Output, 0..TOLD_BYTES),
        bound(binding::PARTNER_WORDS, Place::Input(0), start..offset_bytes + count * WORD_BYTES),
    ];
    let first_offset = low_word((offset_bytes - start) / WORD_BYTES);
    let parameters = vec![first_offset, low_word(count), low_word(len), 0];
    let pass = RecordedPass {
        shader: Shader::Segments(SegmentsShader::Judge),
        constants: vec![("WORKGROUP_SIZE", WORKGROUP.min(caps.workgroup_size()))],
        dispatches: vec![RecordedDispatch { bindings, parameters, grid: [1, 1, 1] }],
    };
    Recording { passes: vec![pass], ..Recording::new() }
}
