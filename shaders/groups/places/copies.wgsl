// There is a slot for every group, and for a few more, in several copies, so that invocations of different copies do not wait for each
// other.

override COPIES: u32 = 1u;

// Words that earlier passes have settled are copied, since this one asks for them.
fn open_places(local: u32) {
    for (var slot = local; slot < SLOTS; slot += WORKGROUP_SIZE) {
        for (var k = 0u; k < MERGED_WORDS; k++) {
            if (is_settled(k) && group_of(slot) < parameters.groups) {
                set_bits(Slot(slot, false, 0u), k, load_word(total_slot(group_of(slot)), k));
            }
        }
    }
}

fn settled_word(at: Slot, word: u32) -> u32 {
    return load_word(at, word);
}

fn slot_of(group: u32, local: u32) -> Slot {
    return Slot(group * COPIES + local % COPIES, false, 0u);
}

// The first copy has what all have, since many workgroups would have to wait for each other at the totals.
fn close_places(local: u32) {
    for (var slot = local; slot < SLOTS; slot += WORKGROUP_SIZE) {
        if (slot % COPIES > 0u) {
            hand_over(Slot(slot, false, 0u), Slot(slot - slot % COPIES, false, 0u));
        }
    }
    workgroupBarrier();
}

fn is_to_hand_over(slot: u32) -> bool {
    return slot % COPIES == 0u && group_of(slot) < parameters.groups;
}

fn group_of(slot: u32) -> u32 {
    return slot / COPIES;
}
