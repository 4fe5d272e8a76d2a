//! Cutting rows into pieces that a binding can cover.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::window::{Run, split, step_and_alignment};
use crate::plan::limits::check_dispatches;
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

/// How many rows a piece may have, so that a grid has a place for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MostRows {
    /// Rows along one side of a grid.
    side: u32,
    /// Whether rows may take two sides of it.
    pub(super) in_two: bool,
}

impl MostRows {
    pub(super) const fn new(caps: &Caps, in_two: bool) -> Self {
        let side = caps.max_workgroups_per_dimension;
        Self { side: if side == 0 { 1 } else { side }, in_two }
    }

    /// As many of `rows` as one grid has places for, and no place over: more than a side are a
    /// multiple of [`line`](Self::line).
    fn of(self, rows: u32) -> u32 {
        if rows <= self.side {
            rows
        } else if self.in_two {
            let line = self.line();
            (rows / line).min(self.side) * line
        } else {
            self.side
        }
    }

    /// The places along one side of a grid that has two: a power of two, as numbers of rows often
    /// are multiples of one.
    const fn line(self) -> u32 {
        1 << self.side.ilog2()
    }

    /// The sides of a grid for the rows of a piece, the second one 1 unless rows may take two.
    pub(super) const fn sides(self, rows: u32) -> [u32; 2] {
        if rows <= self.side { [rows, 1] } else { [self.line(), rows / self.line()] }
    }
}

const ELEMENT_BYTES: u64 = 4;

impl Matrix {
    /// The pieces in order, none with more than `max_length` elements of a row nor more rows than
    /// `most_rows`; together they hold every element exactly once.
    pub(super) fn cut(
        &self,
        caps: &Caps,
        max_length: u64,
        most_rows: MostRows,
    ) -> Result<Vec<Piece>> {
        let len = self.row_length.checked_mul(u64::from(self.rows));
        let end = self.run(0, len.unwrap_or(u64::MAX)).end_bytes()?;
        caps.check_buffer(end)?;
        let (step, alignment) = step_and_alignment(caps, u64::MAX)?;
        let aligned = self.offset_bytes - self.offset_bytes % alignment;
        let rows_per_piece = if end - aligned <= step {
            u64::MAX
        } else {
            // However rows start, their first bytes may lie this far behind an aligned start.
            let row_bytes = self.row_length.saturating_mul(ELEMENT_BYTES).max(1);
            (step - alignment.min(step)) / row_bytes
        };
        if self.row_length > max_length || rows_per_piece == 0 {
            self.parts_of_rows(caps, max_length)
        } else {
            self.whole_rows(rows_per_piece, most_rows, alignment)
        }
    }

    /// Pieces of so many rows; one without rows where there are none.
    fn whole_rows(
        &self,
        rows_per_piece: u64,
        most_rows: MostRows,
        alignment: u64,
    ) -> Result<Vec<Piece>> {
        let most = u32::try_from(rows_per_piece).unwrap_or(u32::MAX);
        let mut pieces = Vec::new();
        let mut row = 0;
        loop {
            let rows = most_rows.of(most.min(self.rows - row));
            let (start, end) = (self.row_start(row), self.row_start(row + rows));
            let bytes = if start == end { 0..0 } else { start - start % alignment..end };
            pieces.push(Piece {
                first: if start == end { 0 } else { to_index(start - bytes.start) },
                bytes,
                row_length: to_index(self.row_length.saturating_mul(ELEMENT_BYTES)),
                first_row: row,
                rows,
                part: 0,
            });
            check_dispatches(pieces.len())?;
            row += rows;
            if row == self.rows {
                return Ok(pieces);
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
            check_dispatches(pieces.len())?;
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

    #[test]
    fn rows_of_a_grid_have_sides_that_are_powers_of_two() {
        let most = |in_two| MostRows::new(&Caps::baseline(), in_two);
        assert_eq!((most(true).of(60_000), most(true).sides(60_000)), (60_000, [60_000, 1]));
        assert_eq!((most(true).of(100_000), most(true).sides(98_304)), (98_304, [32_768, 3]));
        assert_eq!(most(false).of(100_000), 65_535);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn pieces_hold_every_element_once(
            offset in 0_u64..5000,
            rows in 0_u32..80,
            row_length in prop_oneof![0_u64..10, 0_u64..3000, 0_u64..100_000],
            max_binding_bytes in prop::sample::select(vec![1024_u64, 4096, 65_536, 1 << 31]),
            side in prop::sample::select(vec![3_u32, 100, 65_535]),
            in_two in any::<bool>(),
            max_length in prop::sample::select(vec![100_u64, 5000, u64::MAX]),
        ) {
            let mut caps = Caps::baseline();
            caps.max_binding_bytes = max_binding_bytes;
            let shape = Matrix { offset_bytes: offset * 4, rows, row_length };
            caps.max_workgroups_per_dimension = side;
            let most_rows = MostRows::new(&caps, in_two);
            let pieces = shape.cut(&caps, max_length, most_rows).unwrap();
            let mut next = (offset, 0, 0);
            for piece in &pieces {
                prop_assert!(piece.bytes.end - piece.bytes.start <= max_binding_bytes);
                prop_assert!(piece.bytes.start.is_multiple_of(256));
                // Windows start at multiples of the alignment, here 64 elements.
                prop_assert!(u64::from(piece.row_length) <= max_length);
                let [first_side, second_side] = most_rows.sides(piece.rows);
                prop_assert_eq!(first_side * second_side, piece.rows);
                prop_assert!(first_side.max(second_side) <= side && (in_two || second_side == 1));
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
