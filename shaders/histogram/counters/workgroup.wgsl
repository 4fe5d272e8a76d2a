// Counters in workgroup memory, several copies of each: invocation i counts in copy i mod COPIES. Copies of a
// slot lie side by side, so that with as many as there are memory banks each lane of a subgroup has a bank of its
// own: neither equal elements nor others make lanes wait for each other. With fewer, lanes that share a copy may wait.
// A workgroup counts fewer than 2^32 elements.

// A power of two.
override COPIES: u32 = 1u;

// At least as many as slots of all channels and one, times COPIES.
override COUNTERS: u32 = 288u;

var<workgroup> counters: array<atomic<u32>, COUNTERS>;

var<private> copy: u32;

fn open_slots(local: u32) {
    copy = local % COPIES;
    for (var index = local; index < COUNTERS; index += WORKGROUP_SIZE) {
        atomicStore(&counters[index], 0u);
    }
    workgroupBarrier();
}

fn count_in(slot: u32) {
    atomicAdd(&counters[slot * COPIES + copy], 1u);
}

// Each invocation begins with another copy, because that is another bank. How many there are is asked of the parameters:
// a compiler that knew would load them all at once, into registers that each invocation then has all the time.
fn close_slots(local: u32) {
    workgroupBarrier();
    for (var slot = local; slot < CHANNELS * parameters.places.slots; slot += WORKGROUP_SIZE) {
        var sum = 0u;
        for (var k = 0u; k < parameters.copies; k++) {
            sum += atomicLoad(&counters[slot * COPIES + (k + local) % COPIES]);
        }
        if (sum > 0u) {
            add_to_total(2u * slot, sum);
        }
    }
}
