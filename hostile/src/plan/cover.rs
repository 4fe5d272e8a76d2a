//! Whether dispatches read every element once, in order.

use std::ops::Range;
use wgpu_reduce::Part;

/// How far an input has been read.
pub(super) struct Cursor<'a> {
    parts: &'a [Part],
    element_bytes: u64,
    part: usize,
    /// Elements of that part.
    done: u64,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(parts: &'a [Part], element_bytes: u64) -> Self {
        Self { parts, element_bytes, part: 0, done: 0 }
    }

    /// Reads so many elements of a part, from that with the number `first` behind a binding on.
    pub(super) fn read(&mut self, part: usize, bytes: &Range<u64>, first: u32, count: u64) {
        if count == 0 {
            return;
        }
        while self.part < part && self.done == self.parts[self.part].len {
            (self.part, self.done) = (self.part + 1, 0);
        }
        assert_eq!(part, self.part, "elements of a part are left out");
        let Part { offset_bytes, len } = self.parts[part];
        let start = bytes.start + u64::from(first) * self.element_bytes;
        assert_eq!(start, offset_bytes + self.done * self.element_bytes, "a gap or an overlap");
        self.done += count;
        assert!(self.done <= len, "beyond the part's end");
        assert!(start + count * self.element_bytes <= bytes.end, "beyond the binding");
    }

    /// Nothing is left to read.
    pub(super) fn end(self) {
        let of_last = self.parts.get(self.part).map_or(0, |part| part.len);
        assert_eq!(self.done, of_last, "the end of part {}", self.part);
        let rest = self.parts.iter().skip(self.part + 1);
        assert!(rest.clone().all(|part| part.len == 0), "parts are left out");
    }
}

/// The elements of head, body and tail, as the first six parameters of shaders say them: the first of each, and how many.
pub(super) fn spans(parameters: &[u32], element_bytes: u64) -> [(u32, u64); 3] {
    let &[head, heads, body, body_end, tail, tails, ..] = parameters else {
        panic!("{parameters:?}");
    };
    let per_quad = 16 / element_bytes;
    let first = u64::from(body) * per_quad;
    let quads = u64::from(body_end.checked_sub(body).expect("from the first to the last"));
    let first = u32::try_from(first).expect("indices are of 32 bits");
    [(head, heads.into()), (first, quads * per_quad), (tail, tails.into())]
}

/// What is bound as quads begins where the words do, and has all of the body.
pub(super) fn check_quads(parameters: &[u32], bytes: &Range<u64>, quads: Option<&Range<u64>>) {
    let (body, end) = (parameters[2], parameters[3]);
    let Some(quads) = quads else {
        assert_eq!(body, end, "quads without a binding");
        return;
    };
    assert_eq!(quads.start, bytes.start);
    assert!(quads.end <= bytes.end && (quads.end - quads.start).is_multiple_of(16));
    assert!(u64::from(end) * 16 <= quads.end - quads.start, "body past the binding");
}
