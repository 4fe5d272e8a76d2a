//! Elements from a reader.

use crate::api::reducer::GpuReducer;
use crate::api::stream::calls::Stream;
use crate::error::{Error, Result};
use crate::op::Operation;
use crate::op::element::Element;
use crate::plan::shapes::chunks::options::StreamOptions;
use std::io::{ErrorKind, Read};

/// Bytes that are asked for at a time.
const READ_BYTES: usize = 1 << 20;

impl GpuReducer {
    /// Reduces all that a reader gives, in the byte order of this machine; see [`Stream::read_from`].
    /// Not in browsers.
    ///
    /// ```no_run
    /// # fn run(reducer: &wgpu_reduce::GpuReducer) -> Result<(), Box<dyn std::error::Error>> {
    /// use wgpu_reduce::Max;
    ///
    /// let max = reducer.reduce_reader::<f32, _>(Max, std::fs::File::open("numbers.raw")?)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Stream::read_from`] and [`reduce_stream`](Self::reduce_stream); [`Error::InvalidBytes`] if the last
    /// element is incomplete.
    pub fn reduce_reader<T: Element, O: Operation<T>>(
        &self,
        operation: O,
        reader: impl Read,
    ) -> Result<O::Output> {
        let mut stream = self.stream(operation, &StreamOptions::default())?;
        stream.read_from(reader)?;
        stream.finish()?.wait()
    }
}

impl<T: Element, O: Operation<T>> Stream<T, O> {
    /// Takes elements from a reader until it ends, in the byte order of this machine, and tells how many that were.
    ///
    /// If the reader fails, all that it has given before has been taken, and the stream is as good as before: the
    /// same reader may be tried again, or another go on where it stopped. An element that is cut in two waits for the rest
    /// of its bytes.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{StreamOptions, Sum};
    ///
    /// let mut stream = reducer.stream::<u16, _>(Sum, &StreamOptions::default())?;
    /// assert_eq!(stream.read_from(&[1, 0, 2][..])?, 1);
    /// assert_eq!(stream.read_from(&[0][..])?, 1);
    /// assert_eq!(stream.finish()?.wait()?, 3);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Reader`] if the reader fails, other than by [`ErrorKind::Interrupted`], after which it is asked again; otherwise
    /// as [`push`](Self::push).
    pub fn read_from(&mut self, mut reader: impl Read) -> Result<u64> {
        let before = self.len();
        let mut elements = vec![T::zeroed(); READ_BYTES / size_of::<T>().max(1)];
        let mut filled = self.rest.len();
        let kept = bytemuck::cast_slice_mut(&mut elements).iter_mut().zip(self.rest.drain(..));
        kept.for_each(|(byte, kept): (&mut u8, u8)| *byte = kept);
        let outcome = loop {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
            let room = bytes.len().saturating_sub(filled);
            match reader.read(bytes.get_mut(filled..).unwrap_or_default()) {
                Ok(0) => break Ok(()),
                Ok(count) if count > room => {
                    let what = format!("it says that it has read {count} bytes into {room}");
                    break Err(self.reader_error(filled, &std::io::Error::other(what)));
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => break Err(self.reader_error(filled, &error)),
            }
            let whole = filled / size_of::<T>().max(1);
            let taken = bytemuck::cast_slice(elements.get(..whole).unwrap_or_default());
            self.feed.push(&mut [taken])?;
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
            bytes.copy_within(whole * size_of::<T>()..filled, 0);
            filled -= whole * size_of::<T>();
        };
        let bytes: &[u8] = bytemuck::cast_slice(&elements);
        self.rest.extend_from_slice(bytes.get(..filled).unwrap_or_default());
        outcome.map(|()| self.len() - before)
    }

    fn reader_error(&self, rest: usize, error: &std::io::Error) -> Error {
        let at_byte = self.len() * size_of::<T>() as u64 + rest as u64;
        Error::Reader { at_byte, kind: error.kind(), message: error.to_string() }
    }
}
