// Sums in workgroup memory, which are added to the totals at the end.

// At least as many as words of all sums.
override SUMS: u32 = 576u;

var<workgroup> sums: array<atomic<u32>, SUMS>;

fn open_sums(local: u32) {
    for (var index = local; index < SUMS; index += WORKGROUP_SIZE) {
        atomicStore(&sums[index], 0u);
    }
    workgroupBarrier();
}

fn add_to_sum(index: u32, amount: u32) {
    if (amount > 0u) {
        let before = atomicAdd(&sums[index], amount);
        if (amount > ~before) {
            atomicAdd(&sums[index + 1u], 1u);
        }
    }
}

fn take_from_sum(index: u32, amount: u32) {
    if (amount > 0u) {
        let before = atomicSub(&sums[index], amount);
        if (amount > before) {
            atomicSub(&sums[index + 1u], 1u);
        }
    }
}

fn note_in_sum(index: u32, kinds: u32) {
    if ((kinds & ~atomicLoad(&sums[index])) > 0u) {
        atomicOr(&sums[index], kinds);
    }
}

fn close_sums(local: u32) {
    workgroupBarrier();
    let words = CHANNELS * parameters.places.slots * TOTAL_WORDS;
    for (var index = 2u * local; index < words; index += 2u * WORKGROUP_SIZE) {
        let low = atomicLoad(&sums[index]);
        let high = atomicLoad(&sums[index + 1u]);
        if (index % TOTAL_WORDS >= NUMBER_WORDS) {
            atomicOr(&totals[index], low);
        } else if ((low | high) > 0u) {
            add_to_total(index, low);
            atomicAdd(&totals[index + 1u], high);
        }
    }
}
