// The totals of all workgroups: 64 bits for each slot, the lower word first. Whoever makes a lower word overflow
// sees it in the answer and counts on in the upper one, so the order of arrival does not matter.

@group(0) @binding(4) var<storage, read_write> totals: array<atomic<u32>>;

fn add_to_total(slot: u32, amount: u32) {
    let before = atomicAdd(&totals[2u * slot], amount);
    if (amount > ~before) {
        atomicAdd(&totals[2u * slot + 1u], 1u);
    }
}
