//! Inputs of any size: those that fit in the memory allowed are uploaded, others pass through it.

use crate::buffers::Buffers;
use crate::failure::Failure;
use crate::input::{Input, Pieces, Room};
use crate::sample::Sample;
use crate::upload::upload;
use serde::Serialize;
use std::time::Instant;
use wgpu_reduce::{
    ExactPairStream, ExactStream, GpuReducer, Operation, PairOperation, PairStream, Result, Stream,
    StreamOptions,
};

/// What has become of an input.
pub(crate) enum Taken<B, S> {
    /// All of it is on the GPU.
    Resident(B),
    /// It has passed through.
    Streamed(S, Begun),
}

/// When an input began to pass through, and how many bytes it had.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    start: Instant,
    bytes: u64,
}

/// How an input has passed through the GPU.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Passage {
    /// From the first byte that was read to the result.
    pub(crate) seconds: f64,
    /// Bytes read in that time, in units of 10^9 per second.
    pub(crate) gb_per_s: f64,
}

/// What elements of one input are pushed to.
pub(crate) trait Sink<T> {
    fn push(&mut self, elements: &[T]) -> Result<()>;
}

impl<T: Sample, O: Operation<T>> Sink<T> for Stream<T, O> {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        Stream::push(self, elements)
    }
}

impl Sink<f32> for ExactStream {
    fn push(&mut self, elements: &[f32]) -> Result<()> {
        Self::push(self, elements)
    }
}

/// What elements of two inputs are pushed to.
pub(crate) trait PairSink<T> {
    fn push(&mut self, left: &[T], right: &[T]) -> Result<()>;
}

impl<T: Sample, O: PairOperation<T>> PairSink<T> for PairStream<T, O> {
    fn push(&mut self, left: &[T], right: &[T]) -> Result<()> {
        PairStream::push(self, left, right)
    }
}

impl PairSink<f32> for ExactPairStream {
    fn push(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        Self::push(self, left, right)
    }
}

/// How much memory elements take, on host and GPU together. What the driver takes for itself is none of it, nor are
/// elements that a check keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    bytes: u64,
}

impl Memory {
    pub(crate) const fn new(bytes: u64) -> Self {
        Self { bytes }
    }

    pub(crate) const fn options(self) -> StreamOptions {
        StreamOptions::new(self.bytes)
    }

    /// Bytes of inputs that are uploaded as a whole.
    pub(crate) const fn resident_bytes(self) -> u64 {
        self.bytes / 2
    }
}

/// Elements of an input that have been read and not yet used.
struct Ahead<T> {
    name: String,
    pieces: Pieces,
    elements: Vec<T>,
    has_ended: bool,
}

impl<T: Sample> Ahead<T> {
    fn new(input: Input) -> Self {
        let name = input.name().to_owned();
        let pieces = input.pieces(Room::unlimited());
        Self { name, pieces, elements: Vec::new(), has_ended: false }
    }

    /// Reads another piece, and shows it to `see`.
    fn read(&mut self, see: &mut impl FnMut(&[T])) -> std::result::Result<(), Failure> {
        match self.pieces.next::<T>()? {
            Some(piece) => {
                see(piece);
                self.elements.extend_from_slice(piece);
            }
            None => self.has_ended = true,
        }
        Ok(())
    }

    /// Reads until the input has ended, or there is more than so many bytes.
    fn read_up_to(
        &mut self,
        bytes: u64,
        see: &mut impl FnMut(&[T]),
    ) -> std::result::Result<(), Failure> {
        while !self.has_ended && size_of_val(self.elements.as_slice()) as u64 <= bytes {
            self.read(see)?;
        }
        Ok(())
    }

    fn upload(&self, reducer: &GpuReducer) -> Result<Buffers<T>> {
        let mut buffers = Buffers::with_room_for(self.elements.len() as u64, reducer)?;
        buffers.push(reducer, &self.elements)?;
        Ok(buffers)
    }
}

/// Takes an input, and shows every piece to `see`.
pub(crate) fn take<T: Sample, S: Sink<T>>(
    reducer: &GpuReducer,
    input: Input,
    memory: Memory,
    open: impl FnOnce() -> Result<S>,
    mut see: impl FnMut(&[T]),
) -> std::result::Result<Taken<Buffers<T>, S>, Failure> {
    let start = Instant::now();
    let known = input.elements().map(|elements| elements.saturating_mul(T::KIND.size_bytes()));
    let resident = memory.resident_bytes();
    if known.is_some_and(|bytes| bytes <= resident) {
        return Ok(Taken::Resident(upload(reducer, input, see)?));
    }
    let mut ahead = Ahead::new(input);
    if known.is_none() {
        ahead.read_up_to(resident, &mut see)?;
        if ahead.has_ended {
            return Ok(Taken::Resident(ahead.upload(reducer)?));
        }
    }
    let mut sink = open()?;
    sink.push(&ahead.elements)?;
    let mut elements = std::mem::take(&mut ahead.elements).len() as u64;
    while let Some(piece) = ahead.pieces.next()? {
        see(piece);
        sink.push(piece)?;
        elements += piece.len() as u64;
    }
    Ok(Taken::Streamed(sink, Begun { start, bytes: elements * T::KIND.size_bytes() }))
}

/// What is shown every piece of an input.
pub(crate) type See<'a, T> = &'a mut dyn FnMut(&[T]);

/// Takes two inputs of the same length, and shows every piece of either to `see`.
pub(crate) fn take_pair<T: Sample, S: PairSink<T>>(
    reducer: &GpuReducer,
    inputs: [Input; 2],
    memory: Memory,
    open: impl FnOnce() -> Result<S>,
    [mut see_left, mut see_right]: [See<'_, T>; 2],
) -> std::result::Result<Taken<[Buffers<T>; 2], S>, Failure> {
    let start = Instant::now();
    if let [Some(left), Some(right)] = inputs.each_ref().map(Input::elements) {
        check_lengths([left, right], inputs.each_ref().map(Input::name))?;
    }
    let resident = memory.resident_bytes() / 2;
    let [mut left, mut right] = inputs.map(Ahead::new);
    left.read_up_to(resident, &mut see_left)?;
    right.read_up_to(resident, &mut see_right)?;
    if left.has_ended && right.has_ended {
        let lengths = [&left, &right].map(|ahead| ahead.elements.len() as u64);
        check_lengths(lengths, [&left.name, &right.name])?;
        return Ok(Taken::Resident([left.upload(reducer)?, right.upload(reducer)?]));
    }
    let mut sink = open()?;
    let mut elements = 0;
    loop {
        let both = left.elements.len().min(right.elements.len());
        let (a, b) = (left.elements.drain(..both), right.elements.drain(..both));
        sink.push(a.as_slice(), b.as_slice())?;
        drop((a, b));
        elements += both as u64;
        if left.elements.is_empty() && !left.has_ended {
            left.read(&mut see_left)?;
        } else if right.elements.is_empty() && !right.has_ended {
            right.read(&mut see_right)?;
        } else {
            break;
        }
    }
    for (shorter, longer) in [(&left, &right), (&right, &left)] {
        if shorter.elements.is_empty() && !longer.elements.is_empty() {
            let what = format!("{elements} elements cannot be paired with more of {}", longer.name);
            return Err(Failure::in_file(&shorter.name, what));
        }
    }
    Ok(Taken::Streamed(sink, Begun { start, bytes: 2 * elements * T::KIND.size_bytes() }))
}

/// Two inputs are paired element by element.
fn check_lengths(
    [left, right]: [u64; 2],
    [left_name, name]: [&str; 2],
) -> std::result::Result<(), Failure> {
    if left == right {
        return Ok(());
    }
    let what = format!("its {right} elements cannot be paired with the {left} of {left_name}");
    Err(Failure::in_file(name, what))
}

impl Begun {
    /// Now that the result is there.
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    pub(crate) fn passage(self) -> Passage {
        let seconds = self.start.elapsed().as_secs_f64();
        Passage { seconds, gb_per_s: self.bytes as f64 / seconds / 1e9 }
    }
}

/// What is allowed unless the command line says otherwise.
pub(crate) const DEFAULT_MEMORY: &str = "256Mi";
