//! Cutting an input and its mask into windows that two bindings can cover.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::pair::{Together, checked_len, together};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{MAX_WINDOWS, Run, WORD_BYTES, Window, split, step_and_alignment};
use crate::plan::recording::low_word;
use std::ops::Range;

/// Bytes of a mask's element.
const MASK_BYTES: u64 = 1;

/// Elements behind one binding, and their bytes of the mask behind another.
///
/// The byte of the element with index i behind its binding has the index i + `delta`, modulo 2^32, behind the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MaskedWindow {
    /// Which part of the input is bound.
    pub(crate) part: usize,
    pub(crate) window: Window,
    /// Which part of the mask is bound, and what of it.
    pub(crate) mask_part: usize,
    pub(crate) mask_bytes: Range<u64>,
    pub(crate) delta: u32,
}

/// The windows of an input with a mask, in order; together they hold every element exactly once. No more than `max_bytes` of
/// the input are in one of them.
///
/// # Errors
///
/// [`Error::LengthMismatch`] if the mask has not as many elements as the input; otherwise as for one input.
pub(crate) fn split_masked(
    [input, mask]: [&[Part]; 2],
    element_bytes: u64,
    caps: &Caps,
    max_bytes: u64,
) -> Result<Vec<MaskedWindow>> {
    let left = checked_len(input, element_bytes, caps)?;
    let right = checked_len(mask, MASK_BYTES, caps)?;
    if left != right {
        return Err(Error::LengthMismatch { left, right });
    }
    let (step, alignment) = step_and_alignment(caps, max_bytes)?;
    // What lies before the mask's bytes is bound as well.
    let elements = if step > alignment { step - alignment } else { step };
    let max_bytes = max_bytes.min(elements.saturating_mul(element_bytes));
    let mut windows = Vec::new();
    for Together { a_part, b_part, a, b } in together([input, mask], [element_bytes, MASK_BYTES]) {
        let run = Run { offset_bytes: a.offset_bytes, len: a.len, element_bytes };
        let mut at = b.offset_bytes;
        for window in split(&run, caps, max_bytes)? {
            let len = window.len();
            let start = at - at % alignment;
            let mask_bytes = start..(at + len).next_multiple_of(WORD_BYTES);
            if mask_bytes.end - start > caps.max_binding_bytes {
                let what = format!("a binding of {step} bytes does not hold a window's mask");
                return Err(Error::InvalidBuffer { what });
            }
            let delta = low_word(at - start).wrapping_sub(window.elements().start);
            windows.push(MaskedWindow {
                part: a_part,
                window,
                mask_part: b_part,
                mask_bytes,
                delta,
            });
            at += len;
        }
        if windows.len() as u64 > MAX_WINDOWS {
            let what = format!("the input and its mask need more than {MAX_WINDOWS} bindings");
            return Err(Error::InvalidBuffer { what });
        }
    }
    Ok(windows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::cut::part::tests::parts_of;
    use crate::plan::cut::window::QUAD_BYTES;
    use proptest::prelude::*;

    /// Part and element of every element of an input, in order.
    fn elements(parts: &[Part], size: u64) -> Vec<(usize, u64)> {
        let of_part = |(number, part): (usize, &Part)| {
            let first = part.offset_bytes / size;
            (first..first + part.len).map(move |element| (number, element))
        };
        parts.iter().enumerate().flat_map(of_part).collect()
    }

    /// The elements that a kernel reads of a window with their bytes of the mask, in parts and elements.
    fn read(masked: &MaskedWindow, size: u64) -> Vec<((usize, u64), (usize, u64))> {
        let per_quad = u32::try_from(QUAD_BYTES / size).unwrap();
        let MaskedWindow { part, window, mask_part, mask_bytes, delta } = masked;
        let Window { head, body, tail, bytes } = window;
        let quads = body.clone().flat_map(|quad| per_quad * quad..per_quad * (quad + 1));
        let indices = head.clone().chain(quads).chain(tail.clone());
        let of_index = |index: u32| {
            let byte = u64::from(index.wrapping_add(*delta));
            assert!(byte < mask_bytes.end - mask_bytes.start, "{masked:?}");
            let element = (*part, bytes.start / size + u64::from(index));
            (element, (*mask_part, mask_bytes.start + byte))
        };
        indices.map(of_index).collect()
    }

    #[test]
    fn masks_of_another_length_are_refused() {
        let (caps, of) = (Caps::baseline(), |len| [Part { offset_bytes: 0, len }]);
        let refused = split_masked([&of(7), &of(6)], 4, &caps, u64::MAX).unwrap_err();
        assert_eq!(refused, Error::LengthMismatch { left: 7, right: 6 });
    }

    #[test]
    fn a_mask_that_no_binding_holds_is_refused() {
        let mut caps = Caps::baseline();
        caps.max_binding_bytes = 256;
        let (input, mask) = ([Part { offset_bytes: 0, len: 256 }], |offset_bytes| {
            [Part { offset_bytes, len: 256 }]
        });
        assert!(split_masked([&input, &mask(0)], 1, &caps, u64::MAX).is_ok());
        let refused = split_masked([&input, &mask(1)], 1, &caps, u64::MAX);
        assert!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn windows_hold_every_element_once(
            len in prop_oneof![0_u64..40, 0_u64..3000, 0_u64..20_000],
            of_input in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            of_mask in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            offsets in (0_u64..300, 0_u64..300),
            max_binding_bytes in prop::sample::select(vec![512_u64, 1000, 4096, 1 << 27]),
            alignment in prop::sample::select(vec![4_u32, 16, 32, 256]),
            max_bytes in prop::sample::select(vec![1_u64, 700, 5000, u64::MAX]),
            size in prop::sample::select(vec![1_u64, 2, 4, 8]),
        ) {
            let mut caps = Caps::baseline();
            caps.max_binding_bytes = max_binding_bytes;
            caps.storage_alignment_bytes = alignment.into();
            let input = parts_of(len, &of_input, offsets.0, size);
            let mask = parts_of(len, &of_mask, offsets.1, 1);
            let windows = split_masked([&input, &mask], size, &caps, max_bytes).unwrap();
            for masked in &windows {
                let alignment = caps.storage_alignment_bytes.max(QUAD_BYTES);
                for bytes in [&masked.window.bytes, &masked.mask_bytes] {
                    prop_assert!(bytes.start.is_multiple_of(alignment), "{masked:?}");
                    prop_assert!(bytes.end.is_multiple_of(WORD_BYTES), "{masked:?}");
                    prop_assert!(bytes.end - bytes.start <= max_binding_bytes, "{masked:?}");
                }
            }
            let found: Vec<_> = windows.iter().flat_map(|masked| read(masked, size)).collect();
            let expected: Vec<_> = elements(&input, size).into_iter().zip(elements(&mask, 1)).collect();
            prop_assert!(found == expected, "{input:?} and {mask:?} give {windows:?}");
        }
    }
}
