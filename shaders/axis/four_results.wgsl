// Finished results of a word each. Four neighbours go side by side, at a multiple of four, and are one store.

@group(0) @binding(2) var<storage, read_write> results: array<vec4<Output>>;

fn leave(row: u32, _part: u32, total: Acc) {
    let slot = slot_of(row);
    results[slot / 4u][slot % 4u] = finish(total);
}

fn leave_four(row: u32, _part: u32, a: Acc, b: Acc, c: Acc, d: Acc) {
    results[slot_of(row) / 4u] = vec4<Output>(finish(a), finish(b), finish(c), finish(d));
}
