//! From an input to the GPU, piece by piece.

use crate::failure::Failure;
use crate::input::{Input, Room};
use crate::sample::Sample;
use wgpu_reduce::{Error, GpuBuffer, GpuReducer};

/// Copies the input to the GPU, and shows every piece to `see`.
pub(crate) fn upload<T: Sample>(
    reducer: &GpuReducer,
    input: Input,
    mut see: impl FnMut(&[T]),
) -> Result<GpuBuffer<T>, Failure> {
    let mut target = Growing::with_room_for(input.elements().unwrap_or_default(), reducer)?;
    let room = Room { bytes: reducer.caps().max_buffer_bytes, adapter: reducer.adapter_label() };
    input.for_each_chunk(&room, |chunk| {
        see(chunk);
        Ok(target.push(chunk)?)
    })?;
    Ok(target.finish()?)
}

/// Elements that are moved at a time when a buffer has become too small.
const STEP: u64 = 4 << 20;

/// As many elements of any type are whole words.
const PER_WORD: usize = 4;

/// A buffer that makes room for what is added to it.
struct Growing<'a, T> {
    reducer: &'a GpuReducer,
    buffer: GpuBuffer<T>,
    /// How many of the buffer's elements there are already.
    len: u64,
}

impl<'a, T: Sample> Growing<'a, T> {
    fn with_room_for(elements: u64, reducer: &'a GpuReducer) -> wgpu_reduce::Result<Self> {
        Ok(Self { reducer, buffer: reducer.alloc(elements)?, len: 0 })
    }

    /// Only the last time elements may be other than whole words.
    fn push(&mut self, elements: &[T]) -> wgpu_reduce::Result<()> {
        let end = self.len + elements.len() as u64;
        if end > self.buffer.len() {
            self.grow(end)?;
        }
        let (words, rest) = elements.split_at(elements.len() - elements.len() % PER_WORD);
        self.reducer.write(self.buffer.slice(self.len..)?, words)?;
        self.len += words.len() as u64;
        // What is written ends with a word, or with the buffer.
        let mut padded = [T::zeroed(); PER_WORD];
        padded.iter_mut().zip(rest).for_each(|(element, &rest)| *element = rest);
        let last = self.buffer.slice(self.len..)?;
        let room = usize::try_from(last.len()).map_or(PER_WORD, |room| room.min(PER_WORD));
        let count = if rest.is_empty() { 0 } else { room };
        self.reducer.write(last, padded.get(..count).unwrap_or_default())?;
        self.len = end;
        Ok(())
    }

    /// To twice the room, or to as much as a buffer may have or there is memory for, and to `least` in
    /// any case.
    fn grow(&mut self, least: u64) -> wgpu_reduce::Result<()> {
        let most = self.reducer.caps().max_buffer_bytes / T::KIND.size_bytes();
        let mut room = self.buffer.len().saturating_mul(2).min(most).max(least);
        let larger = loop {
            match self.reducer.alloc(room) {
                Err(Error::OutOfMemory { .. }) if room > least => room = least + (room - least) / 4,
                outcome => break outcome?,
            }
        };
        let mut start = 0;
        while start < self.len {
            let end = self.len.min(start + STEP);
            let elements = self.reducer.read(self.buffer.slice(start..end)?)?.wait()?;
            self.reducer.write(larger.slice(start..)?, &elements)?;
            start = end;
        }
        self.buffer = larger;
        Ok(())
    }

    /// The elements without the room behind them.
    fn finish(self) -> wgpu_reduce::Result<GpuBuffer<T>> {
        GpuBuffer::from_wgpu(self.buffer.as_wgpu().clone(), 0, self.len)
    }
}
