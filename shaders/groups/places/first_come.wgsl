// There are fewer slots than groups: a slot is that of the first group that comes of those that have a place there, and elements of
// others are merged into the totals. So many elements of one group do not wait for each other at one place of memory.

// What is in each slot: one more than its group, or 0.
var<workgroup> taken: array<atomic<u32>, SLOTS>;

fn open_places(local: u32) {
    for (var slot = local; slot < SLOTS; slot += WORKGROUP_SIZE) {
        atomicStore(&taken[slot], 0u);
    }
}

fn settled_word(at: Slot, word: u32) -> u32 {
    return atomicLoad(&totals[at.total + word]);
}

fn slot_of(group: u32, _local: u32) -> Slot {
    // Groups that are neighbours, or a power of two apart, have different slots.
    let slot = (group * 0x9e3779b1u) >> (countLeadingZeros(SLOTS) + 1u);
    var owner = atomicLoad(&taken[slot]);
    if (owner == 0u) {
        let exchange = atomicCompareExchangeWeak(&taken[slot], 0u, group + 1u);
        owner = select(exchange.old_value, group + 1u, exchange.exchanged);
    }
    if (owner == group + 1u) {
        return Slot(slot, false, total_of(group));
    }
    return total_slot(group);
}

fn close_places(_local: u32) {
}

fn is_to_hand_over(slot: u32) -> bool {
    return atomicLoad(&taken[slot]) != 0u;
}

fn group_of(slot: u32) -> u32 {
    return atomicLoad(&taken[slot]) - 1u;
}
