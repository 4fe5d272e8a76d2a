// Finished results, wherever the view says that a row's belongs.

@group(0) @binding(2) var<storage, read_write> results: array<Output>;

fn leave(row: u32, _part: u32, total: Acc) {
    results[slot_of(row)] = finish(total);
}
