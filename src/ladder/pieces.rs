//! Cutting rows into pieces that a binding can cover.

use crate::caps::Caps;
use crate::error::{Error, Result};
use crate::window::{Run, split, step_and_alignment};
use std::ops::Range;

/// Matrix of elements of 4 bytes that follow each other without a gap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix {
    pub(super) offset_bytes: u64,
    pub(super) rows: u32,
    pub(super) row_length: u64,
}

/// Whole rows, or a part of one, behind one binding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// What is bound.
    pub(super) bytes: Range<u64>,
    /// The first element, counted from the start of the binding.
    pub(super) first: u32,
    pub(super) row_length: u32,
    pub(super) first_row: u32,
    pub(super) rows: u32,
    /// Which part of its row this is; rows that are not cut have one, number 0.
    pub(super) part: u32,
}

const ELEMENT_BYTES: u64 = 4;

impl Matrix {
    /// The pieces in order, none with more than `max_length` elements of a row; together they hold
    /// every element exactly once.
    pub(super) fn cut(&self, caps: &Caps, max_length: u64) -> Result<Vec<Piece>> {
        let most_rows = u64::from(caps.max_workgroups_per_dimension.max(1));
        let len = self.row_length.checked_mul(u64::from(self.rows));
        let end = self.run(0, len.unwrap_or(u64::MAX)).end_bytes()?;
        if end > caps.max_buffer_bytes {
            return Err(Error::BufferTooLarge { bytes: end, max_bytes: caps.max_buffer_bytes });
        }
        let (step, alignment) = step_and_alignment(caps, u64::MAX)?;
        let aligned = self.offset_bytes - self.offset_bytes % alignment;
        let rows_per_piece = if end - aligned <= step {
            most_rows
        } else {
            // However rows start, their first bytes may lie this far behind an aligned start.
            let row_bytes = (self.row_length * ELEMENT_BYTES).max(1);
            most_rows.min((step - alignment.min(step)) / row_bytes)
        };
        if self.row_length > max_length || rows_per_piece == 0 {
            self.parts_of_rows(caps, max_length)
        } else {
            Ok(self.whole_rows(rows_per_piece, alignment))
        }
    }

    /// Pieces of so many rows; one without rows where there are none.
    fn whole_rows(&self, rows_per_piece: u64, alignment: u64) -> Vec<Piece> {
        let most = u32::try_from(rows_per_piece).unwrap_or(u32::MAX);
        let mut pieces = Vec::new();
        let mut row = 0;
        loop {
            let rows = most.min(self.rows - row);
            let (start, end) = (self.row_start(row), self.row_start(row + rows));
            let bytes = if start == end { 0..0 } else { start - start % alignment..end };
            pieces.push(Piece {
                first: if start == end { 0 } else { to_index(start - bytes.start) },
                bytes,
                row_length: to_index(self.row_length * ELEMENT_BYTES),
                first_row: row,
                rows,
                part: 0,
            });
            row += rows;
            if row == self.rows {
                return pieces;
            }
        }
    }

    fn parts_of_rows(&self, caps: &Caps, max_length: u64) -> Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        for row in 0..self.rows {
            let run = self.run(u64::from(row) * self.row_length, self.row_length);
            for (part, window) in
                (0..).zip(split(&run, caps, max_length.saturating_mul(ELEMENT_BYTES))?)
            {
                let start = run.offset_bytes.max(window.bytes.start);
                pieces.push(Piece {
                    first: to_index(start - window.bytes.start),
                    row_length: to_index(window.bytes.end - start),
                    bytes: window.bytes,
                    first_row: row,
                    rows: 1,
                    part,
                });
            }
        }
        Ok(pieces)
    }

    fn run(&self, first: u64, len: u64) -> Run {
        let offset_bytes = self.offset_bytes + first * ELEMENT_BYTES;
        Run { offset_bytes, len, element_bytes: ELEMENT_BYTES }
    }

    fn row_start(&self, row: u32) -> u64 {
        self.offset_bytes + u64::from(row) * self.row_length * ELEMENT_BYTES
    }
}

/// Bytes within a window, which is at most 2 GiB long, as a number of elements.
fn to_index(bytes: u64) -> u32 {
    u32::try_from(bytes / ELEMENT_BYTES).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn pieces_hold_every_element_once(
            offset in 0_u64..5000,
            rows in 0_u32..300,
            row_length in prop_oneof![0_u64..10, 0_u64..3000, 0_u64..100_000],
            max_binding_bytes in prop::sample::select(vec![1024_u64, 4096, 65_536, 1 << 31]),
            most_rows in prop::sample::select(vec![3_u32, 100, 65_535]),
            max_length in prop::sample::select(vec![100_u64, 5000, u64::MAX]),
        ) {
            let mut caps = Caps::baseline();
            caps.max_binding_bytes = max_binding_bytes;
            let shape = Matrix { offset_bytes: offset * 4, rows, row_length };
            caps.max_workgroups_per_dimension = most_rows;
            let pieces = shape.cut(&caps, max_length).unwrap();
            let mut next = (offset, 0, 0);
            for piece in &pieces {
                prop_assert!(piece.bytes.end - piece.bytes.start <= max_binding_bytes);
                prop_assert!(piece.bytes.start.is_multiple_of(256));
                // Windows start at multiples of the alignment, here 64 elements.
                prop_assert!(u64::from(piece.row_length) <= max_length);
                prop_assert!(piece.rows <= most_rows);
                let (length, count) = (u64::from(piece.row_length), u64::from(piece.rows));
                let first = piece.bytes.start / 4 + u64::from(piece.first);
                if length * count > 0 {
                    prop_assert_eq!((first, piece.first_row, piece.part), next);
                    prop_assert_eq!((first + length * count) * 4, piece.bytes.end);
                }
                let row_ends = first + length == offset + row_length * u64::from(piece.first_row + 1);
                next = if piece.rows > 1 || row_ends {
                    (first + length * count, piece.first_row + piece.rows, 0)
                } else {
                    (first + length, piece.first_row, piece.part + 1)
                };
            }
            if row_length > 0 && rows > 0 {
                prop_assert_eq!(next, (offset + row_length * u64::from(rows), rows, 0));
            }
        }
    }
}
