//! An input that is read ahead of what uses it.

use crate::buffers::Buffers;
use crate::failure::Failure;
use crate::input::{Input, Pieces, Room};
use crate::sample::Sample;
use std::collections::VecDeque;
use wgpu_reduce::GpuReducer;

/// An input, as far as it has been read and not yet used: pieces that are held, and behind them the one read last.
pub(super) struct Ahead<T> {
    pub(super) name: String,
    pieces: Pieces,
    held: VecDeque<Vec<T>>,
    /// Elements of the first of them that are used.
    used: usize,
    pub(super) has_ended: bool,
}

impl<T: Sample> Ahead<T> {
    pub(super) fn new(input: Input) -> Self {
        let name = input.name().to_owned();
        let pieces = input.pieces(Room::unlimited());
        Self { name, pieces, held: VecDeque::new(), used: 0, has_ended: false }
    }

    /// Elements that come next, as many as there are side by side.
    pub(super) fn front(&self) -> &[T] {
        let piece = self.held.front().map_or_else(|| self.pieces.last(), Vec::as_slice);
        piece.get(self.used..).unwrap_or_default()
    }

    /// Goes on behind so many of them.
    pub(super) fn advance(&mut self, count: usize) {
        self.used += count;
        if self.front().is_empty() && self.held.pop_front().is_some() {
            self.used = 0;
        }
    }

    /// Whether elements come next; reads another piece, and shows it to `see`, if none is left.
    pub(super) fn has_next(
        &mut self,
        see: &mut impl FnMut(&[T]) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        while self.front().is_empty() && !self.has_ended {
            self.used = 0;
            match self.pieces.next()? {
                Some(piece) => see(piece)?,
                None => self.has_ended = true,
            }
        }
        Ok(!self.front().is_empty())
    }

    /// Reads until the input has ended, or would be more than so many bytes. No more is held than these, and the piece
    /// that is read.
    pub(super) fn read_up_to(
        &mut self,
        bytes: u64,
        see: &mut impl FnMut(&[T]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut read = 0;
        while let Some(piece) = self.pieces.next::<T>()? {
            see(piece)?;
            read += size_of_val(piece) as u64;
            if read > bytes {
                return Ok(());
            }
            if !piece.is_empty() {
                self.held.push_back(piece.to_vec());
            }
        }
        self.has_ended = true;
        Ok(())
    }

    /// Elements that have been read ahead.
    pub(super) fn held(&self) -> u64 {
        self.held.iter().map(|piece| piece.len() as u64).sum()
    }

    /// All of an input that has ended.
    pub(super) fn upload(mut self, reducer: &GpuReducer) -> wgpu_reduce::Result<Buffers<T>> {
        let mut buffers = Buffers::with_room_for(self.held(), reducer)?;
        while let Some(piece) = self.held.pop_front() {
            buffers.push(reducer, &piece)?;
        }
        Ok(buffers)
    }
}
