// By key, third pass: where each run begins, and its key.
//
//   for each tile that is my workgroup's
//       the number of my word's first run <- runs before the tile, and set bits of the words before mine
//       for each set bit of my word: leave the element's number, and its key

override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    first_key: u32,
    tiles: u32,
    // Where the first run's key goes.
    key_slot: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> bits: array<u32>;
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(5) var<storage, read_write> run_keys: array<u32>;
@group(0) @binding(6) var<storage, read> counts: array<u32>;

const WORD_BITS: u32 = 32u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first_tile = workgroup.x + workgroup.y * workgroups.x;
    for (var tile = first_tile; tile < parameters.tiles; tile += workgroups.x * workgroups.y) {
        let number = tile * WORKGROUP_SIZE + local;
        var word = bits[number];
        var run = counts[tile] + sum_before(countOneBits(word), local);
        while (word != 0u) {
            let index = number * WORD_BITS + firstTrailingBit(word);
            offsets[run] = index;
            run_keys[parameters.key_slot + run] = keys[parameters.first_key + index];
            run += 1u;
            word &= word - 1u;
        }
    }
}
