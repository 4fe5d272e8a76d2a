//! What the dispatches of a first pass read: windows of one input, of two whose elements are paired, or of one with a mask.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::beside::{BesideWindow, split_beside};
use crate::plan::cut::pair::{PairWindow, split_pairs};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{Window, split_parts};
use crate::plan::recording::{Bound, Place, binding};

/// What one dispatch reads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reading {
    pub(crate) bindings: Vec<Bound>,
    /// The window of the first input.
    pub(crate) window: Window,
    /// What is added to an element's index behind the binding to get that in the input, modulo 2^64.
    pub(crate) base: u64,
    /// What is added to it to get that of its partner, or of its byte in the mask, behind the other binding, modulo 2^32.
    pub(crate) delta: u32,
}

/// What is read beside an input.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Beside<'a> {
    Nothing,
    /// The parts of a second input, whose elements are partners.
    Partners(&'a [Part]),
    /// Those of a mask.
    Mask(&'a [Part]),
}

impl<'a> From<Option<&'a [Part]>> for Beside<'a> {
    fn from(second: Option<&'a [Part]>) -> Self {
        second.map_or(Self::Nothing, Self::Partners)
    }
}

/// The windows of an input, with what is read beside it, in order; together they hold every element exactly once.
///
/// # Errors
///
/// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if one input has more elements than the other,
/// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) and [`Error::BufferTooLarge`](crate::Error::BufferTooLarge) if parts lie as no
/// buffer has them.
pub(crate) fn readings(
    first: &[Part],
    beside: Beside<'_>,
    element_bytes: u64,
    caps: &Caps,
    max_bytes: u64,
) -> Result<Vec<Reading>> {
    let mut readings: Vec<_> = match beside {
        Beside::Partners(second) => {
            let windows = split_pairs([first, second], element_bytes, caps, max_bytes)?;
            windows.into_iter().map(|pair| of_pair(pair, first.len(), element_bytes)).collect()
        }
        Beside::Mask(mask) => {
            let sizes = [element_bytes, 1];
            let windows = split_beside([first, mask], sizes, caps, max_bytes)?;
            windows.into_iter().map(|window| of_masked(window, first.len())).collect()
        }
        Beside::Nothing => {
            let windows = split_parts(first, element_bytes, caps, max_bytes)?;
            windows.into_iter().map(|(part, window)| of_window(part, window)).collect()
        }
    };
    let mut index = 0_u64;
    for reading in &mut readings {
        // The first element is the first of the head, or where that would be.
        reading.base = index.wrapping_sub(reading.window.head.start.into());
        index += reading.window.len();
    }
    Ok(readings)
}

fn of_window(part: usize, window: Window) -> Reading {
    let place = Place::Input(part);
    let bindings = vec![
        Bound { binding: binding::SOURCE, place, bytes: Some(window.bytes.clone()) },
        Bound { binding: binding::VECTORS, place, bytes: window.quad_bytes() },
    ];
    Reading { bindings, window, base: 0, delta: 0 }
}

/// The buffers of the second input follow those of the first, of which there are `buffers`.
fn of_pair(pair: PairWindow, buffers: usize, element_bytes: u64) -> Reading {
    let place = Place::Input(buffers + pair.b_part);
    let quads = pair.b_quad_bytes(element_bytes);
    let mut reading = of_window(pair.a_part, pair.a);
    reading.bindings.extend([
        Bound { binding: binding::PARTNER_WORDS, place, bytes: Some(pair.b_bytes) },
        Bound { binding: binding::PARTNER_QUADS, place, bytes: quads },
    ]);
    Reading { delta: pair.delta, ..reading }
}

/// The buffers of the mask follow those of the input, of which there are `buffers`.
fn of_masked(masked: BesideWindow, buffers: usize) -> Reading {
    let BesideWindow { part, window, beside_part, beside_bytes, delta } = masked;
    let mut reading = of_window(part, window);
    reading.bindings.push(Bound {
        binding: binding::PARTNER_WORDS,
        place: Place::Input(buffers + beside_part),
        bytes: Some(beside_bytes),
    });
    Reading { delta, ..reading }
}
