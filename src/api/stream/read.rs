//! Elements from a reader.

use crate::api::reducer::GpuReducer;
use crate::api::stream::calls::Stream;
use crate::error::{Error, Result};
use crate::op::Operation;
use crate::op::element::Element;
use crate::plan::shapes::chunks::options::StreamOptions;
use std::io::{self, ErrorKind, Read};

/// Bytes that are asked for at a time: while they are copied to staging memory, the next are read. A reader may look at what it is
/// given to fill, or leave it, which memory that is mapped for writing does not allow.
const READ_BYTES: usize = 2 << 20;

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
        let mut piece = Piece::beginning_with(&std::mem::take(&mut self.rest));
        let mut next = Piece::beginning_with(&[]);
        let mut end = piece.read(&mut reader);
        loop {
            let is_last = end.is_some();
            let (whole, cut) = piece.split(size_of::<T>());
            next.begin_with(cut);
            self.feed.push_beside(whole, || {
                if !is_last {
                    end = next.read(&mut reader);
                }
            })?;
            std::mem::swap(&mut piece, &mut next);
            if is_last {
                break;
            }
        }
        // No more than what was cut from the last.
        self.rest = piece.bytes.get(..piece.filled).unwrap_or_default().to_vec();
        match end {
            Some(Err(error)) => {
                let at_byte = self.len() * size_of::<T>() as u64 + self.rest.len() as u64;
                Err(Error::Reader { at_byte, kind: error.kind(), message: error.to_string() })
            }
            _ => Ok(self.len() - before),
        }
    }
}

/// What comes of a reader at a time.
struct Piece {
    bytes: Vec<u8>,
    filled: usize,
}

impl Piece {
    fn beginning_with(bytes: &[u8]) -> Self {
        let mut piece = Self { bytes: vec![0; READ_BYTES], filled: 0 };
        piece.begin_with(bytes);
        piece
    }

    /// Has nothing but a few bytes.
    fn begin_with(&mut self, bytes: &[u8]) {
        self.bytes.iter_mut().zip(bytes).for_each(|(own, byte)| *own = *byte);
        self.filled = bytes.len();
    }

    /// Reads until there is no more room, or the reader ends or fails. Then it returns how.
    fn read(&mut self, reader: &mut impl Read) -> Option<io::Result<()>> {
        while let Some(room) = self.bytes.get_mut(self.filled..).filter(|room| !room.is_empty()) {
            let len = room.len();
            match reader.read(room) {
                Ok(0) => return Some(Ok(())),
                Ok(count) if count > len => {
                    let what = format!("it says that it has read {count} bytes into {len}");
                    return Some(Err(io::Error::other(what)));
                }
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }

    /// The whole elements, and the bytes of one that is cut.
    fn split(&self, element_bytes: usize) -> (&[u8], &[u8]) {
        let bytes = self.bytes.get(..self.filled).unwrap_or_default();
        bytes.split_at(bytes.len() - bytes.len() % element_bytes.max(1))
    }
}
