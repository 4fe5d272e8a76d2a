//! An input, piece by piece.

use super::source::read_fully;
use super::{CHUNK_BYTES, Input, Room, incomplete};
use crate::failure::Failure;
use crate::spent::{self, Stage};
use crate::{interrupt, progress};
use indicatif::ProgressBar;
use wgpu_reduce::ElementKind;
use wgpu_reduce_npy::Layout;

const WORD_BYTES: u64 = size_of::<u64>() as u64;

/// Bytes that are read of an input at most. A raw file may grow while it is read. Of what has no length one byte more
/// than there is room for is enough to notice.
fn most(input: &Input, room: &Room) -> u64 {
    let is_raw = input.layout.shape.is_none();
    match input.layout.promised() {
        Some(_) if is_raw && input.is_regular => u64::MAX,
        Some(bytes) => bytes,
        None => room.bytes.saturating_add(1),
    }
}

/// What is said of so many bytes if the last element is incomplete.
fn incomplete_at(bytes: u64, element: ElementKind) -> Option<String> {
    (!bytes.is_multiple_of(element.size_bytes())).then(|| incomplete(bytes, element))
}

/// What is left of an input. No more than a piece of it is held.
pub(crate) struct Pieces {
    input: Input,
    room: Room,
    bar: ProgressBar,
    /// Aligned for every type.
    words: Vec<u64>,
    /// Bytes of them that are the piece read last.
    last: usize,
    /// Bytes of data that have been read.
    read: u64,
    has_ended: bool,
}

impl Pieces {
    pub(super) fn new(input: Input, room: Room) -> Self {
        let promised = input.layout.promised();
        let bar = promised.map_or_else(progress::spinner, progress::bar);
        let most = most(&input, &room);
        // One word more than there are bytes shows that there are no more.
        let at_once = promised.map_or(most, |bytes| most.min(bytes.saturating_add(WORD_BYTES)));
        let at_once = usize::try_from(at_once).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let words = vec![0_u64; at_once.div_ceil(size_of::<u64>())];
        Self { input, room, bar, words, last: 0, read: 0, has_ended: most == 0 }
    }

    /// The next elements; none when all have been read, and the input has ended where it should.
    pub(crate) fn next<T: bytemuck::Pod>(&mut self) -> Result<Option<&[T]>, Failure> {
        interrupt::check()?;
        self.last = 0;
        let most = most(&self.input, &self.room);
        if self.has_ended || self.read >= most {
            self.check_end()?;
            self.bar.finish_and_clear();
            return Ok(None);
        }
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
        let wanted = usize::try_from(most - self.read).unwrap_or(usize::MAX).min(bytes.len());
        let bytes = bytes.get_mut(..wanted).unwrap_or_default();
        let at = self.input.layout.data_start + self.read;
        let count = spent::on(Stage::Reading, || self.input.read_fully(bytes, at))?;
        self.read += count as u64;
        self.has_ended = count < wanted;
        self.check_length()?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
        let whole = bytes.get_mut(..count - count % size_of::<T>()).unwrap_or_default();
        self.input.layout.put_in_order(whole);
        self.last = whole.len();
        self.bar.inc(count as u64);
        Ok(Some(self.last()))
    }

    /// The elements read last; none before the first, and after the end.
    pub(crate) fn last<T: bytemuck::Pod>(&self) -> &[T] {
        let bytes: &[u8] = bytemuck::cast_slice(&self.words);
        bytemuck::cast_slice(bytes.get(..self.last).unwrap_or_default())
    }

    /// Whether there may be so much data, and no more of it if it has ended.
    fn check_length(&self) -> Result<(), Failure> {
        let (bytes, has_ended) = (self.read, self.has_ended);
        let Input { name, layout, is_regular, .. } = &self.input;
        let Layout { element, data_start, .. } = *layout;
        let is_short = layout.promised().is_some_and(|promised| bytes < promised);
        let what = match layout.promised() {
            Some(_) if has_ended && !is_short => match incomplete_at(bytes, element) {
                Some(what) => what,
                None => return Ok(()),
            },
            Some(_) if has_ended && *is_regular => {
                format!("truncated at byte {} while it was read", data_start + bytes)
            }
            Some(_) if has_ended => layout.truncated(bytes),
            None if bytes > self.room.bytes => self.room.exceeded(),
            None if has_ended => match incomplete_at(bytes, element) {
                Some(what) => what,
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        Err(Failure::in_file(name, what))
    }

    /// Says so if a stream goes on where its array ends.
    fn check_end(&mut self) -> Result<(), Failure> {
        let Input { name, bytes, layout, is_regular, .. } = &mut self.input;
        let Some(promised) = layout.promised().filter(|_| !*is_regular) else {
            return Ok(());
        };
        let end = layout.data_start + promised;
        match read_fully(bytes, &mut [0], end) {
            Ok(0) => {}
            Ok(_) => log::warn!("{name}: bytes after the array, from byte {end} on, are left out"),
            Err(what) => return Err(Failure::in_file(name, what)),
        }
        Ok(())
    }
}
