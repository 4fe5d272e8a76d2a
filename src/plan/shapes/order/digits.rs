//! Which bits of keys are counted at once.

use super::shader::unused_bits;
use crate::error::Result;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::limits::unsupported;

/// Some bits of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) bits: u32,
    /// The lowest of them.
    pub(crate) shift: u32,
    /// Ranks that have counters of their own, at least.
    pub(crate) ranks: u32,
    /// Counters of a workgroup: those of the longest digit.
    pub(crate) counters: u32,
}

/// No digit has more: with as many, counters of one rank take half of the memory that every workgroup has, and three digits make a word.
const MOST_BITS: u32 = 11;

/// More counters would be cleared for longer than they save.
const MOST_COUNTER_BYTES: u32 = 64 << 10;

/// Bytes of a key, as it is left: of packed elements a word.
pub(crate) fn key_bytes(element: ElementKind) -> u64 {
    element.size_bytes().max(WORD_BYTES)
}

/// As few digits as can be for which a workgroup has room: of the first all ranks have one counter each, of others each has its own.
///
/// # Errors
///
/// [`Error::Unsupported`](crate::Error::Unsupported) if there is no room for one bit.
pub(crate) fn digits(element: ElementKind, ranks: u64, caps: &Caps) -> Result<Vec<Digit>> {
    let (top, unused) =
        (if element.number().has_64_bits() { 64 } else { 32 }, unused_bits(element));
    let first = longest(element, 1, NAN_COUNTERS, caps).min(top - unused);
    let mut end = top - first;
    let mut digits = vec![Digit { bits: first, shift: end, ranks: 1, counters: 1 << first }];
    let (room, left) = (with_room(ranks), end - unused);
    let most = longest(element, room, 0, caps);
    if first == 0 || (left > 0 && most == 0) {
        let bytes = caps.workgroup_storage_bytes;
        let what = format!("{ranks} ranks at once, with {bytes} bytes of workgroup memory");
        return Err(unsupported(what));
    }
    let count = left.div_ceil(most.max(1));
    let room = u32::try_from(room).unwrap_or(u32::MAX);
    let counters = room.saturating_mul(1 << left.div_ceil(count.max(1)));
    for left in (1..=count).rev() {
        let bits = (end - unused).div_ceil(left);
        end -= bits;
        digits.push(Digit { bits, shift: end, ranks: room, counters });
    }
    Ok(digits)
}

/// The digits of the indices of so many elements.
pub(crate) fn place_digits(len: u64, caps: &Caps) -> Vec<Digit> {
    let mut end = u64::BITS - len.saturating_sub(1).leading_zeros();
    let most = longest(ElementKind::U64, 1, 0, caps).max(1);
    let bits = end.div_ceil(end.div_ceil(most).max(1));
    let mut digits = Vec::new();
    while end > 0 {
        let bits = bits.min(end);
        end -= bits;
        digits.push(Digit { bits, shift: end, ranks: 1, counters: 1 << bits });
    }
    digits
}

/// Turns of a search among so many known keys, with that which leaves the loop.
pub(crate) fn search_turns(ranks: u64) -> u64 {
    if ranks > 1 { 1 + u64::from(ranks.next_power_of_two().ilog2()) } else { 1 }
}

/// Similar numbers of ranks share a pipeline.
fn with_room(ranks: u64) -> u64 {
    let whole = ranks.next_power_of_two();
    let most = whole / 4 * 3;
    if whole >= 4 && ranks <= most { most } else { whole }
}

/// Counters of NaN, which the first digit may have.
const NAN_COUNTERS: u64 = 1;

/// Bits of the longest digit that so many ranks have counters for, beside other counters and what is known of their keys.
fn longest(element: ElementKind, ranks: u64, others: u64, caps: &Caps) -> u32 {
    let words = u64::from(caps.workgroup_storage_bytes.min(MOST_COUNTER_BYTES)) / WORD_BYTES;
    let words = words.saturating_sub(others);
    let of_keys = ranks.saturating_mul(key_bytes(element) / WORD_BYTES);
    let of_each = words.saturating_sub(of_keys) / ranks.max(1);
    of_each.checked_ilog2().unwrap_or(0).min(MOST_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits from the upper end of a key to what tells no elements apart, and counters that fit.
    fn check(element: ElementKind, ranks: u64, caps: &Caps) -> Option<usize> {
        let digits = digits(element, ranks, caps).ok()?;
        let mut end = if element.size_bytes() == 8 { 64 } else { 32 };
        for (number, digit) in digits.iter().enumerate() {
            assert_eq!(end - digit.bits, digit.shift, "{digits:?}");
            end = digit.shift;
            let Digit { bits, ranks, counters, .. } = *digit;
            assert!(bits >= 1 && counters >= ranks << bits, "{digit:?}");
            let nans = if number == 0 { NAN_COUNTERS } else { 0 };
            let counters = u64::from(counters) + nans;
            let bytes = counters * 4 + u64::from(ranks) * key_bytes(element);
            assert!(bytes <= caps.workgroup_storage_bytes.into(), "{digit:?}");
        }
        assert!(digits.iter().skip(1).all(|digit| u64::from(digit.ranks) >= ranks));
        assert_eq!(end, unused_bits(element));
        Some(digits.len())
    }

    #[test]
    fn digits_are_as_few_as_a_workgroup_has_room_for() {
        let mut caps = Caps::baseline();
        caps.workgroup_storage_bytes = 48 << 10;
        let few = |element, ranks| check(element, ranks, &caps);
        let of_words = [1, 2, 3, 4, 16, 1000].map(|ranks| few(ElementKind::F32, ranks));
        assert_eq!(of_words, [Some(3), Some(3), Some(3), Some(3), Some(4), Some(8)]);
        assert_eq!(few(ElementKind::F64, 3), Some(6));
        let short = [ElementKind::U8, ElementKind::I16, ElementKind::F16, ElementKind::Bf16];
        assert_eq!(short.map(|element| few(element, 3)), [Some(1), Some(2), Some(2), Some(2)]);
        // The first digit is the last.
        assert_eq!(few(ElementKind::I8, 256), Some(1));
        // As documents say of 16 KiB.
        let caps = Caps::baseline();
        assert_eq!(caps.workgroup_storage_bytes, 16 << 10);
        assert_eq!(check(ElementKind::F32, 3, &caps), Some(4));
        for element in ElementKind::ALL {
            assert!(check(element, 1000, &caps).is_some(), "{element}");
        }
    }

    #[test]
    fn any_memory_holds_them_or_there_are_none() {
        for shift in 0..20 {
            let mut caps = Caps::baseline();
            caps.workgroup_storage_bytes = (1 << shift) + 5;
            for ranks in [1, 2, 3, 5, 6, 7, 100, 1365, 4096, 1 << 20, u64::MAX / 2] {
                for element in ElementKind::ALL {
                    check(element, ranks, &caps);
                }
            }
        }
    }
}
