//! What is said to have come from a GPU.

use crate::take::Bytes;
use wgpu_reduce::{ExactElement, ExactPartial, ExactSum, ExactTerms};

/// Bits of a word below the number of workgroups in it.
const COUNT_SHIFT: u32 = 22;

/// Takes the bytes as numbers of workgroups, a count and the words of records, and if they say so, makes the words
/// bear these numbers, without which they would never be accepted. Whether they are.
///
/// # Panics
///
/// If what is accepted is refused the second time or another sum then, or if that sum is none.
#[must_use]
pub fn exact_partial(bytes: &[u8]) -> bool {
    let mut left = Bytes(bytes);
    let flags = left.byte();
    let is_wide = flags & 4 != 0;
    let terms = if flags & 1 == 0 { ExactTerms::Elements } else { ExactTerms::Products };
    let workgroups: Vec<u32> = (0..left.byte() % 4).map(|_| left.word() % 1024).collect();
    let count = left.scaled();
    let mark = workgroups.first().filter(|_| flags & 2 != 0);
    let word = |bytes: &[u8]| {
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        match mark {
            Some(mark) if word >> 31 == 0 => word % (1 << COUNT_SHIFT) + (mark << COUNT_SHIFT),
            Some(_) => word & !(1 << 31),
            None => word,
        }
    };
    let words: Vec<u32> = left.0.chunks_exact(4).map(word).collect();
    let partial = (terms, count, &workgroups[..], &words[..]);
    if is_wide { accept::<f64>(partial) } else { accept::<f32>(partial) }
}

fn accept<T: ExactElement>(
    (terms, count, workgroups, words): (ExactTerms, u64, &[u32], &[u32]),
) -> bool {
    let Ok(partial) = ExactPartial::<T>::new(terms, count, workgroups, words) else { return false };
    assert_eq!((partial.terms(), partial.count()), (terms, count));
    let again = ExactPartial::<T>::new(terms, count, partial.workgroups(), partial.words());
    assert_eq!(again.as_ref(), Ok(&partial), "it was accepted before");
    let sum = ExactSum::from(partial);
    assert_eq!(sum.count(), count);
    assert_eq!(ExactSum::from_bytes(&sum.to_bytes()).as_ref(), Ok(&sum));
    true
}
