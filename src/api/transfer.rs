//! Between the host's memory and the GPU's.

use crate::api::arrival::Arrival;
use crate::api::buffer::{GpuBuffer, GpuSlice};
use crate::api::pending::{Finish, Pending};
use crate::api::reducer::GpuReducer;
use crate::device::context::Context;
use crate::device::copying::write_buffer;
use crate::device::readback::Readback;
use crate::error::{Error, Result};
use crate::op::shares::copied;
use crate::plan::cut::window::WORD_BYTES;
use std::ops::Range;
use std::sync::Arc;
#[cfg(not(target_family = "wasm"))]
use std::time::Duration;

/// Bytes that one step of a write stages on the host.
const WRITE_STEP_BYTES: usize = 32 << 20;

/// Copies to the host of no more bytes than this are over before a thread could be woken.
#[cfg(not(target_family = "wasm"))]
const SPUN_FOR_BYTES: u64 = 256 << 10;

impl GpuReducer {
    /// Room for `len` elements, all zero.
    /// A length of 0 gives a buffer without elements, which is as good an input as others.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.alloc::<u32>(1000)?;
    /// assert_eq!((buffer.len(), reducer.sum(&buffer)?), (1000, 0));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooLarge`] or [`Error::OutOfMemory`], of which browsers tell by a [`Pending`] result;
    /// [`Error::InvalidBuffer`] for a type of other than 1, 2 or a multiple of 4 bytes.
    pub fn alloc<T: bytemuck::Pod>(&self, len: u64) -> Result<GpuBuffer<T>> {
        let context = &self.context;
        let max_bytes = context.caps.max_buffer_bytes;
        let bytes = len
            .checked_mul(size_of::<T>() as u64)
            .and_then(|bytes| bytes.checked_next_multiple_of(WORD_BYTES))
            .ok_or(Error::BufferTooLarge { bytes: u64::MAX, max_bytes })?;
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        let buffer =
            context.create_buffer("wgpu-reduce elements", bytes.max(WORD_BYTES), usage, false)?;
        GpuBuffer::of_held(buffer, 0, len)
    }

    /// Copies `elements` to a new buffer on the GPU.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[3.0_f32, 4.0])?;
    /// assert_eq!(buffer.len(), 2);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`alloc`](Self::alloc).
    pub fn upload<T: bytemuck::Pod>(&self, elements: &[T]) -> Result<GpuBuffer<T>> {
        let buffer = self.alloc(elements.len() as u64)?;
        self.write(&buffer, elements)?;
        Ok(buffer)
    }

    /// Copies `elements` over the first of `target`, which must have room for them.
    ///
    /// What has been submitted before still sees the old elements; what is submitted after sees the
    /// new ones.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_u32, 2, 3])?;
    /// let before = reducer.reduce(wgpu_reduce::Sum, &buffer).start()?;
    /// reducer.write(&buffer, &[10_u32, 20])?;
    /// assert_eq!((before.wait()?, reducer.sum(&buffer)?), (6, 33));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`] if there are fewer elements in `target`, [`Error::InvalidBuffer`] if
    /// its usage lacks `COPY_DST`, [`Error::OutOfMemory`]. Queues write whole words: elements of fewer
    /// than 4 bytes must begin with a word and end with one, or in the last word of the whole buffer,
    /// the rest of which becomes zero; else it is [`Error::InvalidBuffer`], and nothing is written.
    pub fn write<'a, T: bytemuck::Pod>(
        &self,
        target: impl Into<GpuSlice<'a, T>>,
        elements: &[T],
    ) -> Result<()> {
        let (context, target) = (&self.context, target.into());
        let end = elements.len() as u64;
        if end > target.len {
            return Err(Error::InvalidRange { start: 0, end, len: target.len });
        }
        require(target.buffer, wgpu::BufferUsages::COPY_DST, "COPY_DST")?;
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let mut offset_bytes = target.offset_bytes;
        let padding = padding_of(target.buffer, offset_bytes, bytes.len() as u64)?;
        let (bytes, last_word) = bytes.split_at(bytes.len() - bytes.len() % size_of::<u32>());
        let last_word = [last_word, &vec![0; padding]].concat();
        for step in bytes.chunks(WRITE_STEP_BYTES).chain(last_word.chunks(WRITE_STEP_BYTES)) {
            context.check_alive()?;
            let _staged = context.charge(step.len() as u64)?;
            context.scoped(step.len() as u64, || {
                #[cfg(test)]
                context.meet(crate::tests::faults::Fault::Allocation)?;
                write_buffer(&context.queue, target.buffer, offset_bytes, step);
                // Lets the staging memory go with this step instead of piling up.
                context.submit(None)?;
                Ok(())
            })?;
            offset_bytes += step.len() as u64;
        }
        context.check_alive()
    }

    /// Starts a copy of elements to the host and returns at once.
    /// [`GpuBuffer::download`] waits for it.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_u32, 2, 3])?;
    /// let tail = reducer.read(buffer.slice(1..)?)?;
    /// assert_eq!(tail.wait()?, [2, 3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBuffer`] if the usage of the buffer lacks `COPY_SRC`,
    /// [`Error::BufferTooLarge`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn read<'a, T: bytemuck::Pod + Send>(
        &self,
        source: impl Into<GpuSlice<'a, T>>,
    ) -> Result<Pending<Vec<T>>> {
        let (context, source) = (&self.context, source.into());
        require(source.buffer, wgpu::BufferUsages::COPY_SRC, "COPY_SRC")?;
        let end = source.offset_bytes + source.len * size_of::<T>() as u64;
        // Queues copy whole words.
        let before = source.offset_bytes % WORD_BYTES;
        let start = source.offset_bytes - before;
        let bytes = if source.is_empty() { 0 } else { end.next_multiple_of(WORD_BYTES) - start };
        let finish: Finish<Vec<T>> = Box::new(move |mapped| {
            let used = usize::try_from(before).ok().zip(usize::try_from(end - start).ok());
            let used = used.and_then(|(before, end)| mapped.get(before..end));
            let used = used.ok_or_else(|| Error::Internal {
                message: format!("{} bytes came back instead of {bytes}", mapped.len()),
            })?;
            Ok(copied(used))
        });
        let range = start..start + bytes;
        let arrival = read_bytes(context, source.buffer, std::slice::from_ref(&range))?;
        #[cfg(not(target_family = "wasm"))]
        let arrival = {
            let patience = self.patience();
            let spin = if bytes <= SPUN_FOR_BYTES { patience.spin } else { Duration::ZERO };
            arrival.with_patience(crate::device::waiter::Patience { spin, ..patience })
        };
        Ok(Pending::new(arrival, finish))
    }
}

/// Starts a copy of whole words of a buffer to the host, where the ranges lie side by side.
pub(crate) fn read_ranges<R>(
    context: &Arc<Context>,
    buffer: &wgpu::Buffer,
    ranges: &[Range<u64>],
    finish: Finish<R>,
) -> Result<Pending<R>> {
    Ok(Pending::new(read_bytes(context, buffer, ranges)?, finish))
}

fn read_bytes(
    context: &Arc<Context>,
    buffer: &wgpu::Buffer,
    ranges: &[Range<u64>],
) -> Result<Arrival> {
    let bytes = ranges.iter().map(|range| range.end - range.start).sum::<u64>();
    let readback = Readback::of_copy(context, bytes.max(WORD_BYTES))?;
    let submission = context.scoped(bytes, || {
        let mut encoder =
            context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut at = 0;
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            let len = range.end - range.start;
            encoder.copy_buffer_to_buffer(buffer, range.start, readback.target(), at, len);
            at += len;
        }
        let submission = context.submit(Some(encoder.finish()))?;
        readback.request(context);
        Ok(submission)
    })?;
    Ok(Arrival::new(context, readback, submission))
}

impl<T: bytemuck::Pod + Send> GpuBuffer<T> {
    /// Copies the elements to the host and waits for them.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_i16, -2, 3])?;
    /// assert_eq!(buffer.download(&reducer)?, [1, -2, 3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`GpuReducer::read`].
    #[cfg(not(target_family = "wasm"))]
    pub fn download(&self, reducer: &GpuReducer) -> Result<Vec<T>> {
        reducer.read(self)?.wait()
    }
}

/// How many bytes `bytes` from an offset on lack to whole words, if they may have them.
fn padding_of(buffer: &wgpu::Buffer, offset_bytes: u64, bytes: u64) -> Result<usize> {
    let end = offset_bytes + bytes;
    let words_end = end.next_multiple_of(WORD_BYTES);
    let is_last = buffer.size() == words_end;
    if bytes == 0 {
        return Ok(0);
    }
    if !offset_bytes.is_multiple_of(WORD_BYTES) || end < words_end && !is_last {
        let what = format!(
            "a write of bytes {offset_bytes} to {end} is not one of whole words of {WORD_BYTES} bytes"
        );
        return Err(Error::InvalidBuffer { what });
    }
    Ok(usize::try_from(words_end - end).unwrap_or(0))
}

fn require(buffer: &wgpu::Buffer, usage: wgpu::BufferUsages, name: &str) -> Result<()> {
    if buffer.usage().contains(usage) {
        return Ok(());
    }
    Err(Error::InvalidBuffer { what: format!("its usage lacks {name}") })
}
