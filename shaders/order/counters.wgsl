// Counters of a workgroup, for each value of a digit one, and as many times as digits have different beginnings.
//
// Neighbours that count alike are counted at once. Lanes that add to one counter wait for each other, and of sorted or equal
// elements all would.

// At least so many.
override COUNTERS: u32 = 256u;

// Whether NaN have a counter of their own, behind the others.
override COUNTS_NAN: bool = false;

var<workgroup> counters: array<atomic<u32>, COUNTERS>;

// A counter, and how many neighbours it has yet to count.
struct Counted {
    slot: u32,
    count: u32,
}

fn count(counted: Counted) {
    if (counted.count > 0u) {
        atomicAdd(&counters[counted.slot], counted.count);
    }
}

fn counted_in(before: Counted, slot: u32, more: u32) -> Counted {
    if (slot == before.slot) {
        return Counted(slot, before.count + more);
    }
    count(before);
    return Counted(slot, more);
}

fn clear_counters(local: u32) {
    for (var index = local; index < COUNTERS; index += WORKGROUP_SIZE) {
        atomicStore(&counters[index], 0u);
    }
}

fn close_slots(local: u32) {
    workgroupBarrier();
    let slots = (RANKS << parameters.bits) + u32(COUNTS_NAN);
    for (var slot = local; slot < slots; slot += WORKGROUP_SIZE) {
        let counted = atomicLoad(&counters[slot]);
        if (counted > 0u) {
            add_to_total(2u * slot, counted);
        }
    }
}
