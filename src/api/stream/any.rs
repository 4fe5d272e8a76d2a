//! Streams of elements whose type is known when the program runs.

use crate::api::pending::Pending;
use crate::api::reducer::GpuReducer;
use crate::api::stream::calls::finish;
use crate::api::stream::feed::{Feed, takes};
use crate::api::stream::folded::Folded;
use crate::error::{Error, Result};
use crate::op::{AnyOperation, ElementKind, OpRecord};
use crate::plan::planned::Plan;
use crate::plan::shapes::chunks::options::StreamOptions;

/// A [`Stream`](crate::Stream) whose operation and elements are known when the program runs, or a
/// [`PairStream`](crate::PairStream). It takes the bytes of elements.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{AnyOperation, AnyStream, Any, ElementKind, OpRecord, Operation, StreamOptions};
///
/// // A device leaves a word that is 0 or not, whatever the elements are.
/// let any = AnyOperation::new(Operation::<u8>::record(&Any), |_, raw, _| Ok(raw[0] != 0));
/// let mut stream = AnyStream::new(&reducer, &any, ElementKind::U16, &StreamOptions::default())?;
/// stream.push(&[&[0, 0, 0, 0]])?;
/// stream.push(&[&[0, 1]])?;
/// assert_eq!((stream.len(), stream.finish()?.wait()?), (3, true));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug)]
pub struct AnyStream<R> {
    feed: Feed<Folded>,
    operation: AnyOperation<R>,
    element: ElementKind,
    inputs: usize,
}

impl<R: Send + 'static> AnyStream<R> {
    /// Starts a reduction of elements that will come in pieces; of pairs, if the operation takes them.
    ///
    /// # Errors
    ///
    /// As [`GpuReducer::stream`]; [`Error::NotDefined`] if the operation does not take such elements.
    pub fn new(
        reducer: &GpuReducer,
        operation: &AnyOperation<R>,
        element: ElementKind,
        options: &StreamOptions,
    ) -> Result<Self> {
        let record = operation.record();
        let inputs = if OpRecord::PAIRS.contains(&record) { 2 } else { 1 };
        let feed = reducer.feed(record, element, inputs, *options)?;
        Ok(Self { feed, operation: operation.clone(), element, inputs })
    }

    /// As [`Stream::plan`](crate::Stream::plan).
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn plan(&self, len: u64) -> Result<Plan> {
        self.feed.consumer().plan(len)
    }

    takes! {
        "Elements, or pairs," of self.feed;
        /// Takes the bytes of the next elements, of each input; otherwise as [`Stream::push`](crate::Stream::push). Not in
        /// browsers.
        ///
        /// # Errors
        ///
        /// [`Error::InvalidBytes`] if they are not whole elements, [`Error::WrongInputs`] if there are not as many inputs as the
        /// operation takes, [`Error::LengthMismatch`] if there are more elements of one; nothing is taken then. Otherwise as
        /// [`Stream::push`](crate::Stream::push).
        push(bytes: &[&[u8]]) => self.checked(bytes)?
    }

    /// The inputs, if they are as many as the operation takes, and whole elements, and as many of each.
    fn checked<'a>(&self, bytes: &[&'a [u8]]) -> Result<Vec<&'a [u8]>> {
        if bytes.len() != self.inputs {
            let inputs = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            return Err(Error::WrongInputs { operation: self.operation.record().name(), inputs });
        }
        let (element, size_bytes) = (self.element, self.element.size_bytes());
        let lens: Vec<_> = bytes.iter().map(|bytes| bytes.len() as u64).collect();
        if let Some(bytes) = lens.iter().find(|bytes| !bytes.is_multiple_of(size_bytes)) {
            let what = format!("{bytes} bytes are not whole elements of {element}");
            return Err(Error::InvalidBytes { what });
        }
        match lens[..] {
            [left, right] if left != right => {
                Err(Error::LengthMismatch { left: left / size_bytes, right: right / size_bytes })
            }
            _ => Ok(bytes.to_vec()),
        }
    }

    /// Ends the stream, and starts what leaves the result.
    ///
    /// # Errors
    ///
    /// As [`Stream::finish`](crate::Stream::finish).
    pub fn finish(self) -> Result<Pending<R>> {
        finish(self.feed, self.element, crate::op::Fold::finisher(&&self.operation))
    }
}
