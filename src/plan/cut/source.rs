//! What a first pass reads: windows of one input, or of two whose elements are paired.

use crate::error::Result;
use crate::plan::cut::pair::{PairWindow, Partner, split_pairs};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{Window, split_parts};
use crate::plan::recording::{ElementsParameters, PairsParameters, Place, low_word, shown};
use crate::plan::shapes::whole::{WholeDispatch, WholeRequest};

/// One input, or two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) request: &'a WholeRequest,
    /// The input whose elements are paired with those of the request.
    pub(crate) second: Option<&'a [Part]>,
    /// Elements that come before all of these.
    pub(crate) first_index: u64,
}

/// Elements behind one binding, and where their partners are.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    part: usize,
    pub(crate) window: Window,
    partner: Option<(Partner, u32)>,
}

/// Where a dispatch leaves what it has folded: its first slot, the number of its first partial, and how
/// many there are of all dispatches.
pub(crate) type Slots = [u32; 3];

impl Source<'_> {
    /// The windows of all parts.
    pub(crate) fn readings(&self, max_bytes: u64) -> Result<Vec<Reading>> {
        let WholeRequest { element, input, caps, .. } = self.request;
        if let Some(second) = self.second {
            let windows = split_pairs([input, second], element.size_bytes(), caps, max_bytes)?;
            return Ok(windows.into_iter().map(|window| self.pair_reading(window)).collect());
        }
        let windows = split_parts(input, element.size_bytes(), caps, max_bytes)?;
        let reading = |(part, window)| Reading { part, window, partner: None };
        Ok(windows.into_iter().map(reading).collect())
    }

    fn pair_reading(&self, pairs: PairWindow) -> Reading {
        let WholeRequest { element, input, .. } = self.request;
        let partner = pairs.partner(input.len(), element.size_bytes());
        Reading { part: pairs.a_part, window: pairs.a, partner: Some((partner, pairs.delta)) }
    }

    pub(crate) fn dispatch(
        &self,
        reading: Reading,
        workgroups: u32,
        slots: Slots,
    ) -> WholeDispatch {
        let Reading { part, window, partner } = reading;
        let [first_slot, first_partial, partials] = slots;
        let request = self.request;
        let base = index_of(&request.input, request.element.size_bytes(), part, window.bytes.start);
        let base = base.wrapping_add(self.first_index);
        let of_window = window.parameters();
        let (partner, parameters) = if let Some((partner, delta)) = partner {
            let parameters = PairsParameters {
                window: of_window,
                workgroups,
                first_slot,
                first_partial,
                partials,
                delta,
            };
            (Some(partner), shown(&parameters))
        } else {
            let parameters = ElementsParameters {
                window: of_window,
                workgroups,
                first_slot,
                first_partial,
                partials,
                base_low: low_word(base),
                base_high: low_word(base >> 32),
            };
            (None, shown(&parameters))
        };
        WholeDispatch {
            workgroups,
            grid: self.request.caps.grid(workgroups),
            source: Place::Input(part),
            quad_bytes: window.quad_bytes(),
            source_bytes: Some(window.bytes),
            partner,
            parameters,
        }
    }
}

/// What has to be added to the index of an element behind a binding of a part, which starts at this byte,
/// to get that in the input; modulo 2^64.
pub(crate) fn index_of(
    parts: &[Part],
    element_bytes: u64,
    part: usize,
    binding_start_bytes: u64,
) -> u64 {
    let before = parts.iter().take(part).map(|part| part.len).sum::<u64>();
    let offset = parts.get(part).map_or(0, |part| part.offset_bytes);
    (before + binding_start_bytes / element_bytes).wrapping_sub(offset / element_bytes)
}
