// Accumulators, for axis/parts.wgsl to fold: those of neighbouring rows side by side.

@group(0) @binding(2) var<storage, read_write> totals: array<Acc>;

fn leave(row: u32, part: u32, total: Acc) {
    totals[parameters.first_slot + part * parameters.part_slots + row] = total;
}
