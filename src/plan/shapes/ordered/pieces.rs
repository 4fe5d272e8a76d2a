//! What each dispatch of a first pass reads: a window of the input, or of both inputs.

use crate::error::{Error, Result};
use crate::op::value::InputType;
use crate::plan::caps::Caps;
use crate::plan::cut::pair::{PairWindow, Partner, split_pairs};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{Window, split_parts};
use crate::plan::recording::{Bound, Place, binding, low_word};

/// What one dispatch reads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    pub(crate) bindings: Vec<Bound>,
    /// Of the first input; of partials all is body, and a quad of it one of them.
    pub(crate) window: Window,
    /// What is added to an element's index behind the binding to get that in the input, modulo 2^32.
    pub(crate) base: u32,
    /// What is added to it to get its partner's behind the other binding, modulo 2^32.
    pub(crate) delta: u32,
}

/// The pieces of an input, in order; together they hold every element exactly once.
pub(crate) fn pieces(
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
        piece.base = low_word(index).wrapping_sub(piece.window.head.start);
        index += piece.window.len();
    }
    if index > MAX_ELEMENTS {
        let what = format!("{index} elements are more than indices of 32 bits count");
        return Err(Error::InvalidBuffer { what });
    }
    Ok(pieces)
}

fn of_window(part: usize, window: Window) -> Piece {
    let place = Place::Input(part);
    let bindings = vec![
        Bound { binding: binding::SOURCE, place, bytes: Some(window.bytes.clone()) },
        Bound { binding: binding::VECTORS, place, bytes: window.quad_bytes() },
    ];
    Piece { bindings, window, base: 0, delta: 0 }
}

/// The buffers of the second input follow those of the first, of which there are `buffers`.
fn of_pair(pair: PairWindow, buffers: usize, element_bytes: u64) -> Piece {
    let Partner { source: place, source_bytes, quad_bytes } = pair.partner(buffers, element_bytes);
    let mut piece = of_window(pair.a_part, pair.a);
    piece.bindings.extend([
        Bound { binding: binding::PARTNER_WORDS, place, bytes: Some(source_bytes) },
        Bound { binding: binding::PARTNER_QUADS, place, bytes: quad_bytes },
    ]);
    Piece { delta: pair.delta, ..piece }
}

/// So many have indices of 32 bits.
const MAX_ELEMENTS: u64 = 1 << 32;
