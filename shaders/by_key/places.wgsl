// By key, second pass: how many runs begin before each share, and how many there are.
//
// One workgroup: each invocation has consecutive shares, whose counts it adds up; what is before them all is
// a scan; then every count is replaced by the sum of those before it.

override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    shares: u32,
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
    let per_invocation = (parameters.shares + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let first = min(local * per_invocation, parameters.shares);
    let end = min(first + per_invocation, parameters.shares);
    var mine = 0u;
    for (var share = first; share < end; share++) {
        mine += counts[share];
    }
    var before = scanned_before(mine, local);
    if (local == WORKGROUP_SIZE - 1u) {
        let runs = before + mine;
        count[parameters.count_slot] = runs;
        // For the passes over segments.
        counts[parameters.shares] = runs;
        offsets[runs] = parameters.len;
    }
    for (var share = first; share < end; share++) {
        let of_share = counts[share];
        counts[share] = before;
        before += of_share;
    }
}
