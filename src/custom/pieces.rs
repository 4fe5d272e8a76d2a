//! What each dispatch of a first pass reads: a window of the input, or of both inputs.

use super::input::InputType;
use crate::caps::Caps;
use crate::error::{Error, Result};
use crate::pair::{PairWindow, split_pairs};
use crate::plan::Part;
use crate::recording::{Bound, Place, binding, low_word};
use crate::window::{QUAD_BYTES, Window, split_parts};
use std::ops::Range;

/// Units behind one binding, and what lies before and after them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) bindings: Vec<Bound>,
    /// Elements.
    pub(super) head: Range<u32>,
    /// Units.
    pub(super) body: Range<u32>,
    /// Elements.
    pub(super) tail: Range<u32>,
    /// What is added to an element's index behind the binding to get that in the input, modulo 2^32.
    pub(super) base: u32,
    /// What is added to it to get its partner's behind the other binding, modulo 2^32.
    pub(super) delta: u32,
}

/// The pieces of an input, in order; together they hold every element exactly once.
pub(super) fn pieces(
    input: InputType,
    parts: &[Vec<Part>],
    caps: &Caps,
    max_bytes: u64,
) -> Result<Vec<Piece>> {
    let element_bytes = input.element.size_bytes();
    let none = Vec::new();
    let mut inputs = parts.iter();
    let first = inputs.next().unwrap_or(&none);
    let second = inputs.next().unwrap_or(&none);
    let mut pieces: Vec<_> = if input.paired {
        let windows = split_pairs([first, second], element_bytes, caps, max_bytes)?;
        windows.into_iter().map(|pair| of_pair(pair, first.len(), element_bytes)).collect()
    } else {
        let windows = split_parts(first, element_bytes, caps, max_bytes)?;
        windows.into_iter().map(|(part, window)| of_window(part, window)).collect()
    };
    let mut index = 0_u64;
    for piece in &mut pieces {
        // The first element is the first of the head, or where that would be.
        piece.base = low_word(index).wrapping_sub(piece.head.start);
        index += piece.len(element_bytes);
    }
    if index > MAX_ELEMENTS {
        let what = format!("{index} elements are more than indices of 32 bits count");
        return Err(Error::InvalidBuffer { what });
    }
    Ok(pieces)
}

impl Piece {
    /// Elements in it.
    pub(super) fn len(&self, element_bytes: u64) -> u64 {
        let ends = self.head.len() + self.tail.len();
        ends as u64 + self.body.len() as u64 * (QUAD_BYTES / element_bytes)
    }
}

fn of_window(part: usize, window: Window) -> Piece {
    let Window { bytes, head, body, tail } = window;
    let place = Place::Input(part);
    let quads =
        (!body.is_empty()).then(|| bytes.start..bytes.start + u64::from(body.end) * QUAD_BYTES);
    let bindings = vec![
        Bound { binding: binding::SOURCE, place, bytes: Some(bytes) },
        Bound { binding: binding::VECTORS, place, bytes: quads },
    ];
    Piece { bindings, head, body, tail, base: 0, delta: 0 }
}

/// The buffers of the second input follow those of the first, of which there are `buffers`.
fn of_pair(pair: PairWindow, buffers: usize, element_bytes: u64) -> Piece {
    let partner_quads = pair.b_quad_bytes(element_bytes);
    let PairWindow { a_part, a, b_part, b_bytes, delta } = pair;
    let place = Place::Input(buffers + b_part);
    let mut piece = of_window(a_part, a);
    piece.bindings.extend([
        Bound { binding: binding::PARTNER_WORDS, place, bytes: Some(b_bytes) },
        Bound { binding: binding::PARTNER_QUADS, place, bytes: partner_quads },
    ]);
    Piece { delta, ..piece }
}

/// So many have indices of 32 bits.
const MAX_ELEMENTS: u64 = 1 << 32;
