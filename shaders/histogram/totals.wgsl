// The totals of all workgroups: numbers of 64 bits, the lower word first. Whoever makes a lower word overflow sees it in
// the answer and counts on in the upper one, so the order of arrival does not matter.

// Whether any may. Else totals are words side by side, and nobody waits for an answer.
override CARRIES: bool = true;

@group(0) @binding(4) var<storage, read_write> totals: array<atomic<u32>>;

// Adds to the number whose lower word has this index, where they have two.
fn add_to_total(index: u32, amount: u32) {
    let before = atomicAdd(&totals[select(index / 2u, index, CARRIES)], amount);
    if (CARRIES && amount > ~before) {
        atomicAdd(&totals[index + 1u], 1u);
    }
}
