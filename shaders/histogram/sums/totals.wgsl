// No sums but the totals: for more bins than workgroup memory holds.

fn open_sums(_local: u32) {
}

fn add_to_sum(index: u32, amount: u32) {
    if (amount > 0u) {
        add_to_total(index, amount);
    }
}

fn take_from_sum(index: u32, amount: u32) {
    if (amount > 0u) {
        let before = atomicSub(&totals[index], amount);
        if (amount > before) {
            atomicSub(&totals[index + 1u], 1u);
        }
    }
}

fn note_in_sum(index: u32, kinds: u32) {
    if ((kinds & ~atomicLoad(&totals[index])) > 0u) {
        atomicOr(&totals[index], kinds);
    }
}

fn close_sums(_local: u32) {
}
