//! Cutting two inputs of the same length into windows that two bindings can cover.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{
    MAX_WINDOWS, QUAD_BYTES, Run, WORD_BYTES, Window, step_and_alignment,
};
use std::ops::Range;

/// Pairs of elements behind two bindings, one in each input.
///
/// Where the pairs lie is said for the first input. The partner of the element with index i behind its
/// binding has the index i + `delta`, modulo 2^32, behind the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PairWindow {
    /// Which part of the first input is bound.
    pub(crate) a_part: usize,
    pub(crate) a: Window,
    /// Which part of the second input is bound, and what of it.
    pub(crate) b_part: usize,
    pub(crate) b_bytes: Range<u64>,
    /// Elements.
    pub(crate) delta: u32,
}

impl PairWindow {
    /// What is bound of the second input as quads: all partners of the quads of the first, provided that
    /// they are whole quads, too.
    pub(crate) fn b_quad_bytes(&self, element_bytes: u64) -> Option<Range<u64>> {
        let delta = u64::from(self.delta);
        let is_whole = (delta * element_bytes).is_multiple_of(QUAD_BYTES);
        // What an index is modulo, in bytes.
        let round = element_bytes << u32::BITS;
        let end = (u64::from(self.a.body.end) * QUAD_BYTES + delta * element_bytes) % round;
        (is_whole && !self.a.body.is_empty()).then(|| self.b_bytes.start..self.b_bytes.start + end)
    }
}

/// Pairs between two ends of parts, of whichever input.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    a_part: usize,
    b_part: usize,
    /// Where the first pair lies in the buffers.
    a_offset_bytes: u64,
    b_offset_bytes: u64,
    bytes: u64,
}

/// The windows of all pairs of two inputs, in order; together they hold every pair exactly once. Of
/// neither input is more than `max_bytes` in one of them.
///
/// # Errors
///
/// [`Error::LengthMismatch`] if one input has more elements than the other; otherwise as for one input.
pub(crate) fn split_pairs(
    [a, b]: [&[Part]; 2],
    element_bytes: u64,
    caps: &Caps,
    max_bytes: u64,
) -> Result<Vec<PairWindow>> {
    let (left, right) =
        (checked_len(a, element_bytes, caps)?, checked_len(b, element_bytes, caps)?);
    if left != right {
        return Err(Error::LengthMismatch { left, right });
    }
    let (step, alignment) = step_and_alignment(caps, max_bytes)?;
    let mut windows = Vec::new();
    for stretch in stretches(a, b, element_bytes) {
        let mut done = 0;
        while done < stretch.bytes {
            let end = stretch.next_cut(done, step, alignment);
            windows.push(stretch.window(done..end, alignment, element_bytes));
            done = end;
            if windows.len() as u64 > MAX_WINDOWS {
                let what = format!("the pairs need more than {MAX_WINDOWS} bindings");
                return Err(Error::InvalidBuffer { what });
            }
        }
    }
    Ok(windows)
}

/// Elements of all parts, if they lie as they must.
pub(crate) fn checked_len(parts: &[Part], element_bytes: u64, caps: &Caps) -> Result<u64> {
    let mut sum = 0_u64;
    for &Part { offset_bytes, len } in parts {
        caps.check_buffer(Run { offset_bytes, len, element_bytes }.end_bytes()?)?;
        sum = sum
            .checked_add(len)
            .ok_or_else(|| Error::InvalidBuffer { what: "more than 2^64 elements".into() })?;
    }
    Ok(sum)
}

/// Elements that lie in one part of either input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Together {
    /// Which parts.
    pub(crate) a_part: usize,
    pub(crate) b_part: usize,
    /// What of them, of the same length.
    pub(crate) a: Part,
    pub(crate) b: Part,
}

/// Two inputs of the same length, cut where a part of either ends. Elements may have other sizes.
pub(crate) fn together([a, b]: [&[Part]; 2], [a_bytes, b_bytes]: [u64; 2]) -> Vec<Together> {
    let filled = |parts: &[Part]| {
        let numbered: Vec<_> = parts.iter().copied().enumerate().collect();
        numbered.into_iter().filter(|(_, part)| part.len > 0)
    };
    let (mut of_a, mut of_b) = (filled(a), filled(b));
    let (mut a, mut b) = (of_a.next(), of_b.next());
    let mut pieces = Vec::new();
    while let (Some((a_part, left)), Some((b_part, right))) = (a, b) {
        let len = left.len.min(right.len);
        let of = |part: Part| Part { len, ..part };
        pieces.push(Together { a_part, b_part, a: of(left), b: of(right) });
        let rest = |part: Part, element_bytes: u64| {
            let offset_bytes = part.offset_bytes + len * element_bytes;
            Part { offset_bytes, len: part.len - len }
        };
        a = if left.len > len { Some((a_part, rest(left, a_bytes))) } else { of_a.next() };
        b = if right.len > len { Some((b_part, rest(right, b_bytes))) } else { of_b.next() };
    }
    pieces
}

fn stretches(a: &[Part], b: &[Part], element_bytes: u64) -> Vec<Stretch> {
    let stretch = |Together { a_part, b_part, a, b }: Together| Stretch {
        a_part,
        b_part,
        a_offset_bytes: a.offset_bytes,
        b_offset_bytes: b.offset_bytes,
        bytes: a.len * element_bytes,
    };
    together([a, b], [element_bytes; 2]).into_iter().map(stretch).collect()
}

impl Stretch {
    /// Where the window ends that starts at byte `done` of the stretch: after at most `step` bytes behind
    /// either binding, if it can be so that the first input's next one starts at a multiple of
    /// `alignment`. Windows are as few as can be, and about as long as each other.
    fn next_cut(&self, done: u64, step: u64, alignment: u64) -> u64 {
        let past = |offset: u64| offset % alignment;
        let (a, b) = (self.a_offset_bytes, self.b_offset_bytes);
        if done == 0 && past(a).max(past(b)) + self.bytes <= step {
            return self.bytes;
        }
        // Where only the first input starts at a multiple, what is before the second is bound as well.
        let least = if past(a) == past(b) { 0 } else { alignment };
        let usable = if step > least { step - least } else { step };
        let bytes = past(a) + self.bytes;
        let even = bytes.div_ceil(bytes.div_ceil(usable)).next_multiple_of(alignment);

        let (past_a, past_b) = (past(a + done), past(b + done));
        let room = (even - past_a).min(step - past_a.max(past_b));
        if done + room >= self.bytes {
            return self.bytes;
        }
        let limit = a + done + room;
        let cuts = [alignment, QUAD_BYTES, 1].map(|multiple| limit - limit % multiple);
        cuts.into_iter().find(|&cut| cut > a + done).unwrap_or(limit) - a
    }

    /// The pairs in these bytes of the stretch.
    fn window(&self, bytes: Range<u64>, alignment: u64, element_bytes: u64) -> PairWindow {
        let [(a_start, a), (b_start, b)] =
            [self.a_offset_bytes, self.b_offset_bytes].map(|offset| {
                let first = offset + bytes.start;
                (first - first % alignment, first..offset + bytes.end)
            });
        // Both fit: a window has no more elements than 32 bits count.
        let index = |bytes: u64| u32::try_from(bytes / element_bytes).unwrap_or(u32::MAX);
        PairWindow {
            a_part: self.a_part,
            a: Window::new(a_start, &a, element_bytes),
            b_part: self.b_part,
            b_bytes: b_start..b.end.next_multiple_of(WORD_BYTES),
            delta: index(b.start - b_start).wrapping_sub(index(a.start - a_start)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::cut::part::tests::parts_of;
    use proptest::prelude::*;

    /// A device whose bindings start at multiples of `alignment` and have at most so many bytes.
    fn device(max_binding_bytes: u64, alignment: u32) -> Caps {
        let mut caps = Caps::baseline();
        caps.max_binding_bytes = max_binding_bytes;
        caps.storage_alignment_bytes = alignment.into();
        caps
    }

    fn part(offset: u64, len: u64) -> Part {
        Part { offset_bytes: 4 * offset, len }
    }

    /// Part and element of every element of an input, in order.
    fn elements(parts: &[Part], size: u64) -> Vec<(usize, u64)> {
        let of_part = |(number, part): (usize, &Part)| {
            let first = part.offset_bytes / size;
            (first..first + part.len).map(move |element| (number, element))
        };
        parts.iter().enumerate().flat_map(of_part).collect()
    }

    /// The pairs that a kernel reads of a window, in parts and elements.
    fn pairs(window: &PairWindow, size: u64) -> Vec<((usize, u64), (usize, u64))> {
        let per_quad = u32::try_from(16 / size).unwrap();
        let Window { head, body, tail, bytes } = &window.a;
        let quads = body.clone().flat_map(|quad| per_quad * quad..per_quad * (quad + 1));
        let indices = head.clone().chain(quads).chain(tail.clone());
        let pairs = indices.map(|index| {
            let partner = u64::from(index.wrapping_add(window.delta));
            assert!((partner + 1) * size <= window.b_bytes.end - window.b_bytes.start);
            let a = (window.a_part, bytes.start / size + u64::from(index));
            (a, (window.b_part, window.b_bytes.start / size + partner))
        });
        pairs.collect()
    }

    /// Bound as quads is what the quads of the first input need, and no more than is bound.
    fn check_quads(window: &PairWindow, size: u64) {
        let per_quad = u32::try_from(16 / size).unwrap();
        let partner = window.b_quad_bytes(size);
        let is_whole = window.delta.is_multiple_of(per_quad) && !window.a.body.is_empty();
        assert_eq!(partner.is_some(), is_whole, "{window:?}");
        if let Some(bytes) = partner {
            let last = (per_quad * window.a.body.end).wrapping_add(window.delta) / per_quad;
            assert_eq!(bytes, window.b_bytes.start..window.b_bytes.start + 16 * u64::from(last));
            assert!(bytes.end <= window.b_bytes.end, "{window:?}");
        }
    }

    fn check(a: &[Part], b: &[Part], caps: &Caps, max_bytes: u64) -> Vec<PairWindow> {
        check_sized([a, b], 4, caps, max_bytes)
    }

    fn check_sized(
        [a, b]: [&[Part]; 2],
        size: u64,
        caps: &Caps,
        max_bytes: u64,
    ) -> Vec<PairWindow> {
        let windows = split_pairs([a, b], size, caps, max_bytes).unwrap();
        let alignment = caps.storage_alignment_bytes.max(16);
        for window in &windows {
            for bytes in [&window.a.bytes, &window.b_bytes] {
                assert!(bytes.start.is_multiple_of(alignment), "{window:?}");
                let bound = bytes.end - bytes.start;
                assert!(bytes.end.is_multiple_of(4), "part of a word");
                assert!(bound <= caps.max_binding_bytes && bound <= max_bytes.max(alignment));
            }
            check_quads(window, size);
        }
        let read: Vec<_> = windows.iter().flat_map(|window| pairs(window, size)).collect();
        let expected: Vec<_> = elements(a, size).into_iter().zip(elements(b, size)).collect();
        assert!(read == expected, "{a:?} and {b:?} give {windows:?}");
        windows
    }

    #[test]
    fn pairs_that_fit_are_one_window() {
        let caps = device(1 << 27, 256);
        let windows = check(&[part(0, 100_000)], &[part(64, 100_000)], &caps, u64::MAX);
        assert_eq!((windows.len(), windows[0].delta), (1, 0));
        let windows = check(&[part(3, 100_000)], &[part(1, 100_000)], &caps, u64::MAX);
        assert_eq!((windows.len(), windows[0].delta), (1, 2_u32.wrapping_neg()));
        assert_eq!(windows[0].b_quad_bytes(4), None);
        let windows = check(&[part(4, 1000)], &[part(64, 1000)], &caps, u64::MAX);
        assert_eq!(windows[0].b_quad_bytes(4), Some(256..256 + 4000));
    }

    #[test]
    fn windows_are_few_and_even() {
        let caps = device(4096, 256);
        let quarters = check(&[part(0, 4096)], &[part(0, 4096)], &caps, u64::MAX);
        assert_eq!(quarters.len(), 4);
        // A binding less its alignment holds 960 elements.
        for (len, count) in [(960, 1), (1023, 1), (1024, 2), (1919, 2), (3840, 4), (3841, 5)] {
            let windows = check(&[part(0, len)], &[part(1, len)], &caps, u64::MAX);
            assert_eq!(windows.len(), count, "{len}");
            let bytes = |window: &PairWindow| window.a.bytes.end - window.a.bytes.start;
            let longest = windows.iter().map(bytes).max().unwrap();
            assert!(longest <= 4 * len / count as u64 + 256, "{windows:?}");
        }
    }

    #[test]
    fn windows_behind_an_odd_start_are_even_too() {
        let caps = device(4096, 256);
        let windows = check(&[part(63, 4096)], &[part(63, 4096)], &caps, u64::MAX);
        let bytes = windows.iter().map(|window| window.a.bytes.end - window.a.bytes.start);
        assert_eq!(bytes.collect::<Vec<_>>(), [3328, 3328, 3328, 3328, 3324]);
    }

    #[test]
    fn there_are_as_many_windows_as_there_may_be() {
        let mut caps = device(256, 256);
        caps.max_buffer_bytes = 1 << 40;
        let split = |len| split_pairs([&[part(0, len)]; 2], 4, &caps, u64::MAX);
        let most = split(64 * MAX_WINDOWS).unwrap();
        assert_eq!(most.len() as u64, MAX_WINDOWS);
        let more = split(64 * MAX_WINDOWS + 1);
        assert!(matches!(more, Err(Error::InvalidBuffer { .. })), "{:?}", more.map(|_| ()));
    }

    #[test]
    fn parts_without_elements_are_passed_over() {
        let caps = device(1 << 27, 256);
        let (empty, filled) = (part(5, 0), part(2, 30));
        let windows = check(&[empty, filled, empty], &[filled, empty], &caps, u64::MAX);
        assert_eq!((windows.len(), windows[0].a_part, windows[0].b_part), (1, 1, 0));
        assert_eq!(check(&[empty], &[], &caps, u64::MAX), []);
    }

    #[test]
    fn inputs_that_do_not_pair_are_refused() {
        let caps = device(1 << 27, 256);
        let refused = |a: &[Part], b: &[Part]| split_pairs([a, b], 4, &caps, u64::MAX).unwrap_err();
        let error = refused(&[part(0, 3), part(0, 4)], &[part(0, 6)]);
        assert_eq!(error, Error::LengthMismatch { left: 7, right: 6 });
        let odd = Part { offset_bytes: 2, len: 1 };
        assert!(matches!(refused(&[odd], &[part(0, 1)]), Error::InvalidBuffer { .. }));
        let long = part(0, 1 << 40);
        assert!(matches!(refused(&[long], &[long]), Error::BufferTooLarge { .. }));
        let beyond = part(u64::MAX / 8, u64::MAX / 2);
        assert!(matches!(refused(&[beyond], &[beyond]), Error::InvalidBuffer { .. }));
        let mut small = device(256, 256);
        small.max_buffer_bytes = 1 << 40;
        let many = split_pairs([&[part(0, 1 << 30)], &[part(1, 1 << 30)]], 4, &small, u64::MAX);
        assert!(matches!(many, Err(Error::InvalidBuffer { .. })), "{many:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn windows_hold_every_pair_once(
            len in prop_oneof![0_u64..40, 0_u64..3000, 0_u64..20_000],
            of_a in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            of_b in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            offsets in (0_u64..300, 0_u64..300),
            max_binding_bytes in prop::sample::select(vec![256_u64, 512, 1000, 4096, 1 << 27]),
            alignment in prop::sample::select(vec![4_u32, 16, 32, 256]),
            max_bytes in prop::sample::select(vec![1_u64, 700, 5000, u64::MAX]),
            size in prop::sample::select(vec![1_u64, 2, 4, 8]),
        ) {
            let caps = device(max_binding_bytes, alignment);
            let a = parts_of(len, &of_a, offsets.0, size);
            let b = parts_of(len, &of_b, offsets.1, size);
            check_sized([&a, &b], size, &caps, max_bytes);
        }
    }
}
