// Accumulators of rows at one position of the other reduced axes, for axis/parts.wgsl to fold. The view says where each
// goes, and where on all axes together the row begins.

@group(0) @binding(2) var<storage, read_write> totals: array<Acc>;

fn leave(row: u32, part: u32, total: Acc) {
    let slot = parameters.first_slot + part * parameters.part_slots + offsets_of(row).y;
    totals[slot] = rebase(total, place_of(row));
}
