// Slots in workgroup memory (places/), which are merged into the totals at the end. They lie side by side word by word, so that
// neighbours find different banks.

// Words of a workgroup's slots, and how many slots there are.
override WORDS: u32 = 1024u;
override SLOTS: u32 = 256u;

var<workgroup> slots: array<atomic<u32>, WORDS>;

fn load_word(at: Slot, word: u32) -> u32 {
    if (at.is_total) {
        return atomicLoad(&totals[at.first + word]);
    }
    return atomicLoad(&slots[at.first + word * SLOTS]);
}

fn add_word(at: Slot, word: u32, amount: u32) -> u32 {
    if (at.is_total) {
        return atomicAdd(&totals[at.first + word], amount);
    }
    return atomicAdd(&slots[at.first + word * SLOTS], amount);
}

fn raise_word(at: Slot, word: u32, least: u32) {
    if (at.is_total) {
        atomicMax(&totals[at.first + word], least);
    } else {
        atomicMax(&slots[at.first + word * SLOTS], least);
    }
}

fn set_bits(at: Slot, word: u32, bits: u32) {
    if (at.is_total) {
        atomicOr(&totals[at.first + word], bits);
    } else {
        atomicOr(&slots[at.first + word * SLOTS], bits);
    }
}

// Looking is quicker than setting, and most bits are there after some elements.
fn see_bits(at: Slot, word: u32, bits: u32) {
    if ((bits & ~load_word(at, word)) != 0u) {
        set_bits(at, word, bits);
    }
}

fn flip_bits(at: Slot, word: u32, bits: u32) {
    if (at.is_total) {
        atomicXor(&totals[at.first + word], bits);
    } else {
        atomicXor(&slots[at.first + word * SLOTS], bits);
    }
}

fn open_slots(local: u32) {
    for (var word = local; word < WORDS; word += WORKGROUP_SIZE) {
        atomicStore(&slots[word], 0u);
    }
    workgroupBarrier();
    open_places(local);
    workgroupBarrier();
}

// Merges what a slot has into another.
fn hand_over(at: Slot, total: Slot) {
    var kept: array<u32, MERGED_WORDS>;
    for (var k = 0u; k < MERGED_WORDS; k++) {
        kept[k] = load_word(at, k);
    }
    join(total, &kept);
    for (var k = MERGED_WORDS; k < KEPT_WORDS; k++) {
        see_bits(total, k, load_word(at, k));
    }
    let beside = select(0u, load_word(at, KEPT_WORDS), BESIDE != 0u);
    if (BESIDE == A_COUNT && beside != 0u) {
        _ = add_word(total, KEPT_WORDS, beside);
    } else if (BESIDE == A_SIGN) {
        see_bits(total, KEPT_WORDS, beside);
    }
}

fn close_slots(local: u32) {
    workgroupBarrier();
    close_places(local);
    for (var slot = local; slot < SLOTS; slot += WORKGROUP_SIZE) {
        if (is_to_hand_over(slot)) {
            hand_over(Slot(slot, false, 0u), total_slot(group_of(slot)));
        }
    }
}
