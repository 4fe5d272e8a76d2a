// By key, second pass: how many runs begin before each tile, and how many there are.
//
// One workgroup: each invocation has consecutive tiles, whose counts it adds up; what is before them all is
// a scan; then every count is replaced by the sum of those before it.

override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    tiles: u32,
    // Keys, and where the number of runs goes.
    len: u32,
    count_slot: u32,
}

@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> count: array<u32>;
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(@builtin(local_invocation_index) local: u32) {
    let per_invocation = (parameters.tiles + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let first = min(local * per_invocation, parameters.tiles);
    let end = min(first + per_invocation, parameters.tiles);
    var mine = 0u;
    for (var tile = first; tile < end; tile++) {
        mine += counts[tile];
    }
    var before = sum_before(mine, local);
    if (local == WORKGROUP_SIZE - 1u) {
        let runs = before + mine;
        count[parameters.count_slot] = runs;
        // For the passes over segments.
        counts[parameters.tiles] = runs;
        offsets[runs] = parameters.len;
    }
    for (var tile = first; tile < end; tile++) {
        let of_tile = counts[tile];
        counts[tile] = before;
        before += of_tile;
    }
}
