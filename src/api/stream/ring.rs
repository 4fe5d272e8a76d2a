//! Chunks on their way to the device: one is filled by the host while the device works on another.

use crate::device::allowance::Held;
use crate::device::awaited::Awaited;
use crate::device::context::Context;
use crate::device::copying::copy;
use crate::device::mapping::{Mapping, unmap};
#[cfg(not(target_family = "wasm"))]
use crate::device::waiter::Patience;
use crate::error::{Error, Result};
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::shapes::chunks::options::SLOTS;
use std::future::poll_fn;
use std::iter::zip;
use std::sync::Arc;
use std::task::{self, Poll};

/// Buffers for [`SLOTS`] chunks, used in turn.
#[derive(Debug)]
pub(crate) struct Ring {
    context: Arc<Context>,
    slots: Vec<Slot>,
    /// The one that is being filled.
    current: usize,
    /// Bytes of each input in it.
    filled: usize,
    inputs: usize,
    /// Bytes of each input that it has room for.
    chunk_bytes: usize,
    #[cfg(not(target_family = "wasm"))]
    patience: Patience,
}

/// Room for a chunk, on the host and on the device: the inputs lie one after another.
#[derive(Debug)]
struct Slot {
    staging: Held,
    device: Held,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The host may write. Its memory is asked for whenever it does: wgpu frees it with the device, whoever has a view of it.
    Mapped,
    /// The device is at work on it.
    Submitted(Box<Submitted>),
    /// Something went wrong on the way.
    Lost,
}

#[derive(Debug)]
struct Submitted {
    /// Answered when the device is done with the chunk.
    mapping: Mapping,
    checks: Awaited,
    #[cfg(not(target_family = "wasm"))]
    submission: wgpu::SubmissionIndex,
    #[cfg(not(target_family = "wasm"))]
    watched: bool,
}

/// How somebody waits for room.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    /// On this thread, which blocks.
    #[cfg(not(target_family = "wasm"))]
    Block,
    /// As a future.
    Await,
}

/// What is done with a chunk's buffer on the device, in the submission that brings it there.
pub(crate) type Work<'a> = dyn FnMut(&mut wgpu::CommandEncoder, &wgpu::Buffer) -> Result<()> + 'a;

impl Ring {
    /// For chunks of so many bytes, a multiple of 4, of each of several inputs. All memory is taken here.
    pub(crate) fn new(
        context: &Arc<Context>,
        inputs: usize,
        chunk_bytes: u64,
        #[cfg(not(target_family = "wasm"))] patience: Patience,
    ) -> Result<Self> {
        let bytes = chunk_bytes.saturating_mul(inputs as u64);
        let slots = (0..SLOTS).map(|_| {
            let (staging, state) = staging(context, bytes)?;
            let device = context.create_buffer("wgpu-reduce chunk", bytes, CHUNK_USAGE, false)?;
            Ok(Slot { staging, device, state })
        });
        Ok(Self {
            context: Arc::clone(context),
            slots: slots.collect::<Result<_>>()?,
            current: 0,
            filled: 0,
            inputs,
            chunk_bytes: usize::try_from(chunk_bytes)
                .map_err(|_| Error::OutOfMemory { bytes, available_bytes: None })?,
            #[cfg(not(target_family = "wasm"))]
            patience,
        })
    }

    /// Bytes of each input that wait to be submitted.
    pub(crate) const fn filled(&self) -> usize {
        self.filled
    }

    pub(crate) const fn is_full(&self) -> bool {
        self.filled == self.chunk_bytes
    }

    /// Of so many bytes that come next, those that go to the last chunk that gets any.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn last_of(&self, len: usize) -> usize {
        match (self.filled + len) % self.chunk_bytes.max(1) {
            0 => len.min(self.chunk_bytes),
            bytes => len.min(bytes),
        }
    }

    /// Waits until the chunk that is to be filled may be.
    pub(crate) async fn ready(&mut self, way: Way) -> Result<()> {
        match way {
            #[cfg(not(target_family = "wasm"))]
            Way::Block => self.block()?,
            Way::Await => poll_fn(|task| self.poll_answer(task)).await?,
        }
        let context = Arc::clone(&self.context);
        let slot = self.slot()?;
        if let State::Submitted(submitted) = &mut slot.state {
            let answer =
                submitted.checks.settle().and_then(|()| submitted.mapping.answer(&context));
            slot.state = State::Lost;
            answer?;
            slot.state = State::Mapped;
        }
        Ok(())
    }

    #[cfg(not(target_family = "wasm"))]
    fn block(&mut self) -> Result<()> {
        let (context, patience) = (Arc::clone(&self.context), self.patience);
        match &self.slot()?.state {
            State::Submitted(submitted) => {
                submitted.mapping.wait(&context, &submitted.submission, patience)
            }
            State::Mapped | State::Lost => Ok(()),
        }
    }

    fn poll_answer(&mut self, task: &mut task::Context<'_>) -> Poll<Result<()>> {
        #[cfg(not(target_family = "wasm"))]
        let (context, patience) = (Arc::clone(&self.context), self.patience);
        let submitted = match self.slot() {
            Ok(Slot { state: State::Submitted(submitted), .. }) => submitted,
            Ok(_) => return Poll::Ready(Ok(())),
            Err(error) => return Poll::Ready(Err(error)),
        };
        match submitted.checks.poll(task) {
            Poll::Ready(Ok(())) => {}
            unfinished => return unfinished,
        }
        if submitted.mapping.is_answered(task.waker()) {
            return Poll::Ready(Ok(()));
        }
        #[cfg(not(target_family = "wasm"))]
        if let Err(error) = context.check_alive() {
            return Poll::Ready(Err(error));
        }
        #[cfg(not(target_family = "wasm"))]
        if !submitted.watched {
            submitted.watched = true;
            let answer = submitted.mapping.answered();
            let watched = context.watch(&submitted.submission, patience.limit(), answer);
            return watched.map_or_else(|error| Poll::Ready(Err(error)), |()| Poll::Pending);
        }
        Poll::Pending
    }

    /// Takes as much of each input as there is room for, which must be [ready](Self::ready), and tells how many bytes
    /// of each that is. All inputs are of the same length.
    pub(crate) fn fill(&mut self, inputs: &[&[u8]]) -> Result<usize> {
        let (filled, chunk_bytes) = (self.filled, self.chunk_bytes);
        let len = inputs.first().map_or(0, |input| input.len()).min(chunk_bytes - filled);
        self.context.check_alive()?;
        let slot = self.slot()?;
        let State::Mapped = slot.state else { return Err(lost()) };
        for (input, start) in zip(inputs, (filled..).step_by(chunk_bytes.max(1))) {
            write(&slot.staging, start, input.get(..len).ok_or_else(lost)?)?;
        }
        self.filled += len;
        Ok(len)
    }

    /// Submits the copy of what is filled to the device, and with it `work`. The next chunk is then to be filled.
    pub(crate) fn submit(&mut self, work: &mut Work<'_>) -> Result<wgpu::Buffer> {
        let context = Arc::clone(&self.context);
        let (filled, chunk_bytes, inputs) = (self.filled, self.chunk_bytes, self.inputs);
        let slot = self.slot()?;
        let State::Mapped = std::mem::replace(&mut slot.state, State::Lost) else {
            return Err(lost());
        };
        unmap(&context, &slot.staging)?;
        let bytes = (filled as u64).next_multiple_of(WORD_BYTES);
        let mapping = Mapping::default();
        #[cfg_attr(target_family = "wasm", expect(unused_variables, reason = "nobody polls there"))]
        let submission = context.scoped(bytes, || {
            let mut encoder =
                context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for input in 0..inputs {
                let start = (input * chunk_bytes) as u64;
                encoder.copy_buffer_to_buffer(&slot.staging, start, &slot.device, start, bytes);
            }
            work(&mut encoder, &slot.device)?;
            let submission = context.submit(Some(encoder.finish()))?;
            mapping.request(&context, &slot.staging, wgpu::MapMode::Write);
            Ok(submission)
        })?;
        slot.state = State::Submitted(Box::new(Submitted {
            mapping,
            checks: Awaited::new(&context),
            #[cfg(not(target_family = "wasm"))]
            submission,
            #[cfg(not(target_family = "wasm"))]
            watched: false,
        }));
        let device = slot.device.buffer.clone();
        self.current = (self.current + 1) % SLOTS;
        self.filled = 0;
        Ok(device)
    }

    fn slot(&mut self) -> Result<&mut Slot> {
        self.slots.get_mut(self.current).ok_or_else(lost)
    }
}

/// A buffer that the host may write, at once.
#[cfg(not(target_family = "wasm"))]
fn staging(context: &Context, bytes: u64) -> Result<(Held, State)> {
    let staging = context.create_buffer(STAGING, bytes, STAGING_USAGE, true)?;
    Ok((staging, State::Mapped))
}

/// The same, as soon as the browser has found room for it: one that is mapped from the beginning would throw where there
/// is none, which wgpu makes a panic of.
#[cfg(target_family = "wasm")]
fn staging(context: &Arc<Context>, bytes: u64) -> Result<(Held, State)> {
    let staging = context.create_buffer(STAGING, bytes, STAGING_USAGE, false)?;
    let mapping = Mapping::default();
    context.scoped(bytes, || {
        mapping.request(context, &staging, wgpu::MapMode::Write);
        Ok(())
    })?;
    Ok((staging, State::Submitted(Box::new(Submitted { mapping, checks: Awaited::new(context) }))))
}

/// Writes to a mapped buffer, which can only be gone with its device. Bytes around them that the least mapping takes in stay.
fn write(staging: &wgpu::Buffer, start: usize, bytes: &[u8]) -> Result<()> {
    let first = start - start % MAP_ALIGNMENT;
    let end = (start + bytes.len()).next_multiple_of(MAP_ALIGNMENT);
    let view = staging.get_mapped_range_mut(first as u64..end as u64);
    let mut view = view.map_err(|error| Error::DeviceLost { reason: error.to_string() })?;
    copy(bytes, view.slice(start - first..start - first + bytes.len()));
    Ok(())
}

/// What nobody sees, since a stream ends with its first failure.
fn lost() -> Error {
    Error::Internal { message: "a chunk of a stream was used after it was lost".into() }
}

/// Mappings begin and end at multiples of it; buffers of chunks are multiples of it.
const MAP_ALIGNMENT: usize = 8;
const _: () = assert!(MAP_ALIGNMENT as u64 == wgpu::MAP_ALIGNMENT);

const STAGING: &str = "wgpu-reduce staging";

const STAGING_USAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::MAP_WRITE.union(wgpu::BufferUsages::COPY_SRC);

const CHUNK_USAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_DST);
