//! Which bits of keys are counted at once.

use super::shader::unused_bits;
use crate::error::Result;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::geometry::largest_power_of_two;
use crate::plan::limits::unsupported;

/// Some bits of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) bits: u32,
    /// The lowest of them.
    pub(crate) shift: u32,
    pub(crate) counters: Counters,
}

/// The counters of a workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counters {
    /// Ranks that there is room for.
    pub(crate) ranks: u32,
    /// Of each counter.
    pub(crate) copies: u32,
    /// All of them, for the longest digit.
    pub(crate) count: u32,
}

/// No digit has more: with as many, counters of one rank take half of the memory that every workgroup has, and three digits make a word.
const MOST_BITS: u32 = 11;

/// Bytes of a key, as it is left: of packed elements a word.
pub(crate) fn key_bytes(element: ElementKind) -> u64 {
    element.size_bytes().max(WORD_BYTES)
}

/// As few digits as can be for which a workgroup has room: of the first all ranks have one counter each, of others each has its own.
///
/// # Errors
///
/// [`Error::Unsupported`](crate::Error::Unsupported) if there is no room for one bit.
pub(crate) fn digits(
    element: ElementKind,
    ranks: u64,
    copies: u32,
    caps: &Caps,
) -> Result<Vec<Digit>> {
    let (top, unused) =
        (if element.number().has_64_bits() { 64 } else { 32 }, unused_bits(element));
    let room =
        [1, with_room(ranks)].map(|ranks| Room { ranks, words: words(element, ranks, caps) });
    let [first, most] = room.map(Room::bits);
    if first == 0 || most == 0 {
        return Err(unsupported(format!("{ranks} ranks at once")));
    }
    let first = first.min(top - unused);
    let mut end = top - first;
    let count = (end - unused).div_ceil(most);
    let longest = (end - unused).div_ceil(count.max(1));
    let [of_first, of_others] = [first, longest];
    let counters = room[0].counters(of_first, copies);
    let mut digits = vec![Digit { bits: first, shift: end, counters }];
    let counters = room[1].counters(of_others, copies);
    for left in (1..=count).rev() {
        let bits = (end - unused).div_ceil(left);
        end -= bits;
        digits.push(Digit { bits, shift: end, counters });
    }
    Ok(digits)
}

/// Similar numbers of ranks share a pipeline.
fn with_room(ranks: u64) -> u64 {
    let whole = ranks.next_power_of_two();
    let most = whole / 4 * 3;
    if whole >= 4 && ranks <= most { most } else { whole }
}

/// Words of a workgroup's memory that counters have beside what is known of so many ranks.
fn words(element: ElementKind, ranks: u64, caps: &Caps) -> u64 {
    let words = u64::from(caps.workgroup_storage_bytes) / WORD_BYTES;
    words.saturating_sub(ranks.saturating_mul(key_bytes(element) / WORD_BYTES))
}

#[derive(Debug, Clone, Copy)]
struct Room {
    ranks: u64,
    words: u64,
}

impl Room {
    /// Of the longest digit that all ranks have counters for.
    fn bits(self) -> u32 {
        let of_each = self.words / self.ranks.max(1);
        of_each.checked_ilog2().unwrap_or(0).min(MOST_BITS)
    }

    /// As many copies as there may be and is room for.
    fn counters(self, bits: u32, copies: u32) -> Counters {
        let ranks = u32::try_from(self.ranks).unwrap_or(u32::MAX);
        let slots = ranks << bits;
        let fit = u32::try_from(self.words / u64::from(slots.max(1))).unwrap_or(u32::MAX);
        let copies = largest_power_of_two(fit).min(copies).max(1);
        Counters { ranks, copies, count: slots * copies }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits from the upper end of a key to what tells no elements apart, and counters that fit.
    fn check(element: ElementKind, ranks: u64, caps: &Caps) -> Option<usize> {
        let digits = digits(element, ranks, 32, caps).ok()?;
        let mut end = if element.size_bytes() == 8 { 64 } else { 32 };
        for digit in &digits {
            assert_eq!(end - digit.bits, digit.shift, "{digits:?}");
            end = digit.shift;
            let Counters { ranks, copies, count } = digit.counters;
            assert!(digit.bits >= 1 && count >= (ranks << digit.bits) * copies, "{digit:?}");
            let bytes = u64::from(count) * 4 + u64::from(ranks) * key_bytes(element);
            assert!(bytes <= caps.workgroup_storage_bytes.into(), "{digit:?}");
        }
        assert!(digits.iter().skip(1).all(|digit| u64::from(digit.counters.ranks) >= ranks));
        assert_eq!(end, unused_bits(element));
        Some(digits.len())
    }

    #[test]
    fn digits_are_as_few_as_a_workgroup_has_room_for() {
        let mut caps = Caps::baseline();
        caps.workgroup_storage_bytes = 48 << 10;
        let few = |element, ranks| check(element, ranks, &caps);
        assert_eq!(
            [1, 2, 3, 4, 16, 1000].map(|ranks| few(ElementKind::F32, ranks)),
            [Some(3), Some(3), Some(3), Some(3), Some(4), Some(8)]
        );
        assert_eq!(few(ElementKind::F64, 3), Some(6));
        let short = [ElementKind::U8, ElementKind::I16, ElementKind::F16, ElementKind::Bf16];
        assert_eq!(short.map(|element| few(element, 3)), [Some(1), Some(2), Some(2), Some(2)]);
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
