// The words of slots.

// Where a slot begins, and whether that is among the totals, where the total of its group is.
struct Slot {
    first: u32,
    is_total: bool,
    total: u32,
}

// What lies before the first slot of the totals.
const NOTED_WORDS: u32 = 4u;

// What is kept behind an accumulator: nothing, how many elements it is of, or whether it is of any, where it does not show.
override BESIDE: u32 = 0u;
const A_COUNT: u32 = 1u;
const A_SIGN: u32 = 2u;

fn slot_words() -> u32 {
    return select(KEPT_WORDS, KEPT_WORDS + 1u, BESIDE != 0u);
}

fn total_of(group: u32) -> u32 {
    return NOTED_WORDS + group * slot_words();
}

fn total_slot(group: u32) -> Slot {
    let first = total_of(group);
    return Slot(first, true, first);
}
