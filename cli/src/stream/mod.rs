//! Inputs of any size: those that fit in the memory allowed are uploaded, others pass through it.

mod ahead;
mod sink;

use crate::buffers::Buffers;
use crate::failure::Failure;
use crate::input::Input;
use crate::memory;
use crate::sample::Sample;
use crate::spent::{self, Stage};
use crate::upload::upload;
use ahead::Ahead;
use serde::Serialize;
pub(crate) use sink::{PairSink, Sink};
use std::time::Instant;
use wgpu_reduce::{GpuReducer, StreamOptions};

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

/// How much memory elements take, on host and GPU together. What the driver takes for itself is none of it, nor are
/// the piece of each input that is read and elements that a check keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    bytes: u64,
}

impl Memory {
    pub(crate) const fn new(bytes: u64) -> Self {
        Self { bytes }
    }

    pub(crate) const fn bytes(self) -> u64 {
        self.bytes
    }

    /// For each of two streams.
    pub(crate) const fn half(self) -> Self {
        Self { bytes: self.bytes / 2 }
    }

    /// Options of streams, which have half of it, since the other half may have been read before they begin. They are the same whatever
    /// passes through. So a sum has the same bits whether its elements come from a file or from a pipe.
    pub(crate) const fn options(self) -> StreamOptions {
        StreamOptions::new(self.bytes / 2)
    }

    /// Bytes of inputs that are uploaded as a whole.
    const fn resident_bytes(self) -> u64 {
        self.bytes / 2
    }

    /// Bytes that are read before it is decided where it is not known how many there are. They are held, and then
    /// uploaded.
    fn held_bytes(self) -> u64 {
        self.resident_bytes().min(memory::available() / 2)
    }
}

/// Bytes of all elements, where it is known how many there are.
fn known_bytes<T: Sample>(input: &Input) -> Option<u64> {
    input.elements().map(|elements| elements.saturating_mul(T::KIND.size_bytes()))
}

/// Takes an input, and shows every piece to `see`.
pub(crate) fn take<T: Sample, S: Sink<T>, E: Into<Failure>>(
    reducer: &GpuReducer,
    input: Input,
    memory: Memory,
    open: impl FnOnce() -> Result<S, E>,
    mut see: impl FnMut(&[T]) -> Result<(), Failure>,
) -> Result<Taken<Buffers<T>, S>, Failure> {
    let start = Instant::now();
    let known = known_bytes::<T>(&input);
    if known.is_some_and(|bytes| bytes <= memory.resident_bytes()) {
        return Ok(Taken::Resident(upload(reducer, input, see)?));
    }
    let mut ahead = Ahead::new(input);
    if known.is_none() {
        ahead.read_up_to(memory.held_bytes(), &mut see)?;
        if ahead.has_ended {
            let upload = || ahead.upload(reducer);
            return Ok(Taken::Resident(spent::on(Stage::Copying, upload)?));
        }
    }
    let mut sink = spent::on(Stage::Copying, open).map_err(Into::into)?;
    let mut elements = 0;
    while ahead.has_next(&mut see)? {
        let count = ahead.front().len();
        spent::on(Stage::Copying, || sink.push(ahead.front()))?;
        ahead.advance(count);
        elements += count as u64;
    }
    Ok(Taken::Streamed(sink, Begun { start, bytes: elements * T::KIND.size_bytes() }))
}

/// What is shown every piece of an input.
pub(crate) type See<'a, T> = &'a mut dyn FnMut(&[T]) -> Result<(), Failure>;

/// Takes two inputs of the same length, and shows every piece of either to `see`.
pub(crate) fn take_pair<T: Sample, S: PairSink<T>>(
    reducer: &GpuReducer,
    inputs: [Input; 2],
    memory: Memory,
    open: impl FnOnce() -> wgpu_reduce::Result<S>,
    [mut see_left, mut see_right]: [See<'_, T>; 2],
) -> Result<Taken<[Buffers<T>; 2], S>, Failure> {
    let start = Instant::now();
    if let [Some(left), Some(right)] = inputs.each_ref().map(Input::elements) {
        check_lengths([left, right], inputs.each_ref().map(Input::name))?;
    }
    let known = match inputs.each_ref().map(known_bytes::<T>) {
        [Some(left), Some(right)] => Some(left.saturating_add(right)),
        _ => None,
    };
    if known.is_some_and(|bytes| bytes <= memory.resident_bytes()) {
        let [left, right] = inputs;
        let left = upload(reducer, left, see_left)?;
        return Ok(Taken::Resident([left, upload(reducer, right, see_right)?]));
    }
    let [mut left, mut right] = inputs.map(Ahead::new);
    if known.is_none() {
        left.read_up_to(memory.held_bytes() / 2, &mut see_left)?;
        right.read_up_to(memory.held_bytes() / 2, &mut see_right)?;
        if left.has_ended && right.has_ended {
            check_lengths([left.held(), right.held()], [&left.name, &right.name])?;
            let upload = || Ok([left.upload(reducer)?, right.upload(reducer)?]);
            return spent::on(Stage::Copying, upload).map(Taken::Resident);
        }
    }
    let mut sink = spent::on(Stage::Copying, open)?;
    let mut elements = 0;
    while left.has_next(&mut see_left)? & right.has_next(&mut see_right)? {
        let (a, b) = (left.front(), right.front());
        let both = a.len().min(b.len());
        let (a, b) = (a.get(..both).unwrap_or_default(), b.get(..both).unwrap_or_default());
        spent::on(Stage::Copying, || sink.push(a, b))?;
        left.advance(both);
        right.advance(both);
        elements += both as u64;
    }
    for (shorter, longer) in [(&left, &right), (&right, &left)] {
        if shorter.front().is_empty() && !longer.front().is_empty() {
            let what = format!("{elements} elements cannot be paired with more of {}", longer.name);
            return Err(Failure::in_file(&shorter.name, what));
        }
    }
    Ok(Taken::Streamed(sink, Begun { start, bytes: 2 * elements * T::KIND.size_bytes() }))
}

/// Two inputs are paired element by element.
fn check_lengths([left, right]: [u64; 2], [left_name, name]: [&str; 2]) -> Result<(), Failure> {
    if left == right {
        return Ok(());
    }
    let what = format!("its {right} elements cannot be paired with the {left} of {left_name}");
    Err(Failure::in_file(name, what))
}

impl Begun {
    /// Counts the bytes so often, for an input that passes through as often.
    pub(crate) const fn times(self, readings: u64) -> Self {
        Self { bytes: self.bytes.saturating_mul(readings), ..self }
    }

    /// Now that the result is there.
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    pub(crate) fn passage(self) -> Passage {
        let seconds = self.start.elapsed().as_secs_f64();
        Passage { seconds, gb_per_s: self.bytes as f64 / seconds / 1e9 }
    }
}

/// What is allowed unless the command line says otherwise.
pub(crate) const DEFAULT_MEMORY: &str = "256Mi";
