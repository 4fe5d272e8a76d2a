//! Cutting an input, and what lies beside it with elements of another size, into windows that two bindings can cover.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::pair::{Together, checked_len, together};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{MAX_WINDOWS, Run, WORD_BYTES, Window, split, step_and_alignment};
use crate::plan::recording::low_word;
use std::ops::Range;

/// Elements behind one binding, and what lies beside them, as a mask's bytes or keys do, behind another.
///
/// What is beside the element with index i behind its binding has the index i + `delta`, modulo 2^32, behind the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BesideWindow {
    /// Which part of the input is bound.
    pub(crate) part: usize,
    pub(crate) window: Window,
    /// Which part of the other is bound, and what of it.
    pub(crate) beside_part: usize,
    pub(crate) beside_bytes: Range<u64>,
    pub(crate) delta: u32,
}

/// The windows of an input and of what lies beside it, in order; together they hold every element exactly once. The sizes of elements
/// are powers of two. No more than `max_bytes` of the input are in one of them.
///
/// # Errors
///
/// [`Error::LengthMismatch`] if the other has not as many elements as the input; otherwise as for one input.
pub(crate) fn split_beside(
    [input, beside]: [&[Part]; 2],
    [element_bytes, beside_bytes]: [u64; 2],
    caps: &Caps,
    max_bytes: u64,
) -> Result<Vec<BesideWindow>> {
    let left = checked_len(input, element_bytes, caps)?;
    let right = checked_len(beside, beside_bytes, caps)?;
    if left != right {
        return Err(Error::LengthMismatch { left, right });
    }
    let (step, alignment) = step_and_alignment(caps, u64::MAX)?;
    // What lies before the other's elements is bound as well.
    let elements = (if step > alignment { step - alignment } else { step }) / beside_bytes;
    let max_bytes = max_bytes.min(elements.saturating_mul(element_bytes));
    let mut windows = Vec::new();
    let pieces = together([input, beside], [element_bytes, beside_bytes]);
    for Together { a_part, b_part, a, b } in pieces {
        let run = Run { offset_bytes: a.offset_bytes, len: a.len, element_bytes };
        let mut at = b.offset_bytes;
        for window in split(&run, caps, max_bytes)? {
            let bytes = window.len() * beside_bytes;
            let start = at - at % alignment;
            let bound = start..(at + bytes).next_multiple_of(WORD_BYTES);
            if bound.end - start > caps.max_binding_bytes {
                let what = format!(
                    "a binding of {} bytes does not hold what is beside a window",
                    caps.max_binding_bytes
                );
                return Err(Error::InvalidBuffer { what });
            }
            let delta = low_word((at - start) / beside_bytes).wrapping_sub(window.elements().start);
            windows.push(BesideWindow {
                part: a_part,
                window,
                beside_part: b_part,
                beside_bytes: bound,
                delta,
            });
            at += bytes;
        }
        if windows.len() as u64 > MAX_WINDOWS {
            let what =
                format!("the input and what is beside it need more than {MAX_WINDOWS} bindings");
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

    /// The elements that a kernel reads of a window with what is beside them, in parts and elements.
    fn read(beside: &BesideWindow, [size, other]: [u64; 2]) -> Vec<((usize, u64), (usize, u64))> {
        let per_quad = u32::try_from(QUAD_BYTES / size).unwrap();
        let BesideWindow { part, window, beside_part, beside_bytes, delta } = beside;
        let Window { head, body, tail, bytes } = window;
        let quads = body.clone().flat_map(|quad| per_quad * quad..per_quad * (quad + 1));
        let indices = head.clone().chain(quads).chain(tail.clone());
        let of_index = |index: u32| {
            let place = u64::from(index.wrapping_add(*delta));
            assert!((place + 1) * other <= beside_bytes.end - beside_bytes.start, "{beside:?}");
            let element = (*part, bytes.start / size + u64::from(index));
            (element, (*beside_part, beside_bytes.start / other + place))
        };
        indices.map(of_index).collect()
    }

    #[test]
    fn what_has_another_length_is_refused() {
        let (caps, of) = (Caps::baseline(), |len| [Part { offset_bytes: 0, len }]);
        let refused = split_beside([&of(7), &of(6)], [4, 1], &caps, u64::MAX).unwrap_err();
        assert_eq!(refused, Error::LengthMismatch { left: 7, right: 6 });
    }

    #[test]
    fn what_no_binding_holds_is_refused() {
        let mut caps = Caps::baseline();
        caps.max_binding_bytes = 256;
        let (input, mask) = ([Part { offset_bytes: 0, len: 256 }], |offset_bytes| {
            [Part { offset_bytes, len: 256 }]
        });
        assert!(split_beside([&input, &mask(0)], [1, 1], &caps, u64::MAX).is_ok());
        let refused = split_beside([&input, &mask(1)], [1, 1], &caps, u64::MAX);
        assert!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn windows_hold_every_element_once(
            len in prop_oneof![0_u64..40, 0_u64..3000, 0_u64..20_000],
            of_input in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            of_beside in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            offsets in (0_u64..300, 0_u64..300),
            max_binding_bytes in prop::sample::select(vec![512_u64, 1000, 4096, 1 << 27]),
            alignment in prop::sample::select(vec![4_u32, 16, 32, 256]),
            max_bytes in prop::sample::select(vec![1_u64, 700, 5000, u64::MAX]),
            size in prop::sample::select(vec![1_u64, 2, 4, 8]),
            other in prop::sample::select(vec![1_u64, 2, 4, 8]),
        ) {
            let mut caps = Caps::baseline();
            // As little as holds what is beside a window that begins where one may.
            caps.max_binding_bytes = max_binding_bytes * other;
            caps.storage_alignment_bytes = alignment.into();
            let input = parts_of(len, &of_input, offsets.0, size);
            let beside = parts_of(len, &of_beside, offsets.1, other);
            let sizes = [size, other];
            let windows = split_beside([&input, &beside], sizes, &caps, max_bytes).unwrap();
            for window in &windows {
                let alignment = caps.storage_alignment_bytes.max(QUAD_BYTES);
                for bytes in [&window.window.bytes, &window.beside_bytes] {
                    prop_assert!(bytes.start.is_multiple_of(alignment), "{window:?}");
                    prop_assert!(bytes.end.is_multiple_of(WORD_BYTES), "{window:?}");
                    prop_assert!(bytes.end - bytes.start <= max_binding_bytes * other, "{window:?}");
                }
            }
            let found: Vec<_> = windows.iter().flat_map(|window| read(window, sizes)).collect();
            let expected: Vec<_> = elements(&input, size).into_iter().zip(elements(&beside, other)).collect();
            prop_assert!(found == expected, "{input:?} and {beside:?} give {windows:?}");
        }
    }
}
