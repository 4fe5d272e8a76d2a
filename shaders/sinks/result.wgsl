// The last pass: its one workgroup finishes the accumulator and leaves the result.

@group(0) @binding(2) var<storage, read_write> results: array<Output>;

fn emit(slot: u32, total: Acc) {
    results[slot] = finish(total);
}
