//! Elements on the GPU, in as many buffers as they take.

use crate::failure::Failure;
use crate::memory;
use crate::sample::Sample;
use wgpu_reduce::{Caps, ElementKind, Error, GpuBuffer, GpuReducer, GpuSlice, GpuSlices, Result};

/// Elements, in order: in one buffer, or in several where there are more than the largest holds.
#[derive(Debug)]
pub(crate) struct Buffers<T> {
    /// At least one. The last may have room behind its elements.
    parts: Vec<GpuBuffer<T>>,
    /// Elements in each part but the last.
    most: u64,
    /// How many elements there are.
    len: u64,
}

/// Why there is no room for elements.
#[derive(Debug)]
pub(crate) struct NoRoom {
    pub(crate) error: Error,
    pub(crate) had: Had,
}

/// For how many bytes there is room.
#[derive(Debug)]
pub(crate) enum Had {
    /// For these, in whole buffers, before there was none.
    Allocated(u64),
    /// For these at most, in as many buffers as are used.
    Limit(u64),
}

/// There is no room on the host.
impl From<Error> for NoRoom {
    fn from(error: Error) -> Self {
        let had = match error {
            Error::OutOfMemory { available_bytes: Some(bytes), .. } => Had::Limit(bytes),
            _ => Had::Allocated(0),
        };
        Self { error, had }
    }
}

impl NoRoom {
    /// Tells an error of one buffer as one of all, which need `whole` bytes, after `had` bytes were allocated.
    fn of_whole(error: Error, whole: u64, had: u64) -> Self {
        let Error::OutOfMemory { available_bytes, .. } = error else {
            return Self { error, had: Had::Allocated(had) };
        };
        // The buffers that were allocated are free again.
        let available_bytes = match available_bytes {
            Some(left) => Some(left.saturating_add(had)),
            None => Some(had).filter(|&had| had > 0),
        };
        Self {
            error: Error::OutOfMemory { bytes: whole, available_bytes },
            had: Had::Allocated(had),
        }
    }
}

impl From<NoRoom> for Error {
    fn from(no_room: NoRoom) -> Self {
        no_room.error
    }
}

impl From<NoRoom> for Failure {
    fn from(NoRoom { error, had }: NoRoom) -> Self {
        match (error, had) {
            (Error::OutOfMemory { bytes, available_bytes: None }, Had::Limit(most)) => {
                // A size that does not fit in 64 bits is saturated.
                let needed =
                    if bytes == u64::MAX { "2^64 or more".into() } else { bytes.to_string() };
                let what =
                    format!("{needed} bytes of memory are needed, and {most} can be used at most");
                Self::Failed(what)
            }
            (error, _) => error.into(),
        }
    }
}

/// More is more than any device has memory for.
pub(crate) const MOST_BUFFERS: u64 = 4096;

/// Elements that are moved at a time when a buffer has become too small.
const STEP: u64 = 4 << 20;

/// How many of so many elements go to each buffer of a device. The first has elements to spare before
/// them, as many as `before`.
pub(crate) fn shares(
    elements: u64,
    before: u64,
    element: ElementKind,
    caps: &Caps,
) -> std::result::Result<Vec<u64>, NoRoom> {
    let most = most(element, caps);
    let first = elements.min(most.saturating_sub(before));
    let rest = elements - first;
    if rest > 0 && (first == 0 || rest.div_ceil(most) >= MOST_BUFFERS) {
        let bytes_of = |elements: u64| elements.saturating_mul(element.size_bytes());
        let error = Error::OutOfMemory { bytes: bytes_of(elements), available_bytes: None };
        let had = Had::Limit(bytes_of(most.saturating_mul(MOST_BUFFERS)));
        return Err(NoRoom { error, had });
    }
    let whole = (0..rest / most).map(|_| most);
    let last = Some(rest % most).filter(|&last| last > 0);
    Ok([first].into_iter().chain(whole).chain(last).collect())
}

/// Elements of the largest buffer, as far as it is whole loads of 16 bytes.
fn most(element: ElementKind, caps: &Caps) -> u64 {
    ((caps.max_buffer_bytes & !15) / element.size_bytes()).max(1)
}

/// As many elements of any type fill words.
const WORDS: usize = 4;

impl<T: Sample> Buffers<T> {
    /// No elements yet, but room for so many.
    pub(crate) fn with_room_for(
        elements: u64,
        reducer: &GpuReducer,
    ) -> std::result::Result<Self, NoRoom> {
        let (caps, size_bytes) = (reducer.caps(), T::KIND.size_bytes());
        let (most, whole) = (most(T::KIND, &caps), elements.saturating_mul(size_bytes));
        memory::check_device(reducer, whole)?;
        let shares = shares(elements, 0, T::KIND, &caps)?;
        let (mut parts, mut had) = (Vec::with_capacity(shares.len()), 0);
        for len in shares {
            parts.push(reducer.alloc(len).map_err(|error| NoRoom::of_whole(error, whole, had))?);
            had += len * size_bytes;
        }
        Ok(Self { parts, most, len: 0 })
    }

    /// Bytes of the elements that are there.
    pub(crate) fn bytes(&self) -> u64 {
        self.len * T::KIND.size_bytes()
    }

    /// Adds elements behind those that are there, and room if they need it. Those that are there fill
    /// words: of packed types only the last time may so many be added that they do not.
    pub(crate) fn push(&mut self, reducer: &GpuReducer, mut elements: &[T]) -> Result<()> {
        while !elements.is_empty() {
            let at = self.len % self.most;
            let left = usize::try_from(self.most - at).unwrap_or(usize::MAX);
            let (now, later) = elements.split_at(left.min(elements.len()));
            let part = self.part(reducer, at + now.len() as u64)?;
            write(reducer, part, at, now)?;
            self.len += now.len() as u64;
            elements = later;
        }
        Ok(())
    }

    /// The part that is being filled, with room for `len` elements.
    fn part(&mut self, reducer: &GpuReducer, len: u64) -> Result<&GpuBuffer<T>> {
        let index = usize::try_from(self.len / self.most).unwrap_or(usize::MAX);
        if index >= self.parts.len() {
            self.parts.push(reducer.alloc(0)?);
        }
        let part = self.parts.get_mut(index);
        let part = part.ok_or(Error::OutOfMemory {
            bytes: len * T::KIND.size_bytes(),
            available_bytes: None,
        })?;
        if len > part.len() {
            *part = grown(reducer, part, self.len % self.most, len, self.most)?;
        }
        Ok(part)
    }

    /// The first elements; [`Error::InvalidRange`] if there are not so many.
    pub(crate) fn first(&self, len: u64) -> Result<GpuSlices<'_, T>> {
        if len > self.len {
            return Err(Error::InvalidRange { start: 0, end: len, len: self.len });
        }
        let mut left = len;
        let mut slices = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let here = left.min(part.len());
            if here > 0 || slices.is_empty() {
                slices.push(part.slice(..here)?);
            }
            left -= here;
        }
        Ok(match slices.as_slice() {
            [one] => (*one).into(),
            _ => slices.into(),
        })
    }

    /// All elements.
    pub(crate) fn all(&self) -> Result<GpuSlices<'_, T>> {
        self.first(self.len)
    }

    /// The first elements of the only buffer; [`Error::BufferTooLarge`] if one does not hold so many.
    pub(crate) fn first_of_one(&self, len: u64) -> Result<GpuSlice<'_, T>> {
        let size_bytes = T::KIND.size_bytes();
        match self.parts.as_slice() {
            [part] => part.slice(..len),
            _ => Err(Error::BufferTooLarge {
                bytes: len.saturating_mul(size_bytes),
                max_bytes: self.most * size_bytes,
            }),
        }
    }
}

/// Copies elements to a buffer from element `at` on, and zeros behind them, so that what is written ends
/// with a word or with the buffer.
fn write<T: Sample>(
    reducer: &GpuReducer,
    buffer: &GpuBuffer<T>,
    at: u64,
    elements: &[T],
) -> Result<()> {
    let (words, rest) = elements.split_at(elements.len() - elements.len() % WORDS);
    reducer.write(buffer.slice(at..)?, words)?;
    if rest.is_empty() {
        return Ok(());
    }
    let place = buffer.slice(at + words.len() as u64..)?;
    let mut last = [T::zeroed(); WORDS];
    last.iter_mut().zip(rest).for_each(|(element, &rest)| *element = rest);
    let room = usize::try_from(place.len()).unwrap_or(WORDS);
    reducer.write(place, last.get(..room).unwrap_or(&last))
}

/// A larger buffer with the first `len` elements of `buffer`: of twice the room, or as much as a buffer
/// may have or there is memory for, and of `least` in any case.
fn grown<T: Sample>(
    reducer: &GpuReducer,
    buffer: &GpuBuffer<T>,
    len: u64,
    least: u64,
    most: u64,
) -> Result<GpuBuffer<T>> {
    let mut room = buffer.len().saturating_mul(2).min(most).max(least);
    let larger = loop {
        match reducer.alloc(room) {
            Err(Error::OutOfMemory { .. }) if room > least => room = least + (room - least) / 4,
            outcome => break outcome?,
        }
    };
    let mut start = 0;
    while start < len {
        let end = len.min(start + STEP);
        let elements = reducer.read(buffer.slice(start..end)?)?.wait()?;
        reducer.write(larger.slice(start..)?, &elements)?;
        start = end;
    }
    Ok(larger)
}

#[cfg(test)]
mod tests {
    use super::{MOST_BUFFERS, NoRoom, shares};
    use crate::failure::Failure;
    use wgpu_reduce::{Caps, ElementKind, Error};

    #[test]
    fn a_buffer_that_is_refused_leaves_what_may_still_be_allocated() {
        for (available_bytes, had, expected) in [
            (Some(20), 40, Some(60)),
            (Some(20), 0, Some(20)),
            (None, 40, Some(40)),
            (None, 0, None),
        ] {
            let refused = Error::OutOfMemory { bytes: 30, available_bytes };
            let whole = Error::OutOfMemory { bytes: 100, available_bytes: expected };
            assert_eq!(Error::from(NoRoom::of_whole(refused, 100, had)), whole);
        }
        assert_eq!(Error::from(NoRoom::of_whole(Error::Timeout, 100, 40)), Error::Timeout);
    }

    #[test]
    fn every_element_has_one_buffer() {
        let mut caps = Caps::baseline();
        caps.max_buffer_bytes = 400;
        let shares = |elements, before| shares(elements, before, ElementKind::U32, &caps);
        for (elements, before, expected) in [
            (0, 0, &[0][..]),
            (1, 0, &[1]),
            (100, 0, &[100]),
            (101, 0, &[100, 1]),
            (350, 0, &[100, 100, 100, 50]),
            (100, 1, &[99, 1]),
            (0, 1000, &[0]),
        ] {
            assert_eq!(shares(elements, before).unwrap(), expected, "{elements} after {before}");
        }
        assert!(shares(100 * MOST_BUFFERS, 0).is_ok());
        for (elements, before) in [(100 * MOST_BUFFERS + 1, 0), (u64::MAX, 7), (1, 100)] {
            let failure = Failure::from(shares(elements, before).unwrap_err());
            let Failure::Failed(what) = failure else { panic!("{failure:?}") };
            let most = 400 * MOST_BUFFERS;
            assert!(what.ends_with(&format!(" and {most} can be used at most")), "{what}");
        }
    }
}
