// By key, first pass: which elements begin a run of equal keys, a bit for each, and how many of a tile do.
//
//   for each tile that is my workgroup's
//       for each of its keys: if it is not that before it, set its bit in workgroup memory
//       leave the words of bits, and how many are set
//
// A tile is WORKGROUP_SIZE words of bits. Neighbouring invocations look at neighbouring keys, so that each
// load of a subgroup is one contiguous run. Keys are read once: later passes go by the bits.

override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // Where the keys begin behind their binding, and how many there are.
    first_key: u32,
    len: u32,
    tiles: u32,
    // Whether they are floats, which are equal as numbers are: −0 is +0, and NaN is nothing.
    are_floats: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> bits: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;

const WORD_BITS: u32 = 32u;

var<workgroup> words: array<atomic<u32>, WORKGROUP_SIZE>;
var<workgroup> count: atomic<u32>;

fn begins_run(index: u32) -> bool {
    let at = parameters.first_key + index;
    let key = keys[at];
    let before = keys[max(at, 1u) - 1u];
    if (index == 0u) {
        return true;
    }
    if (parameters.are_floats != 0u) {
        let are_zero = ((key | before) & 0x7fffffffu) == 0u;
        let is_nan = (key & 0x7fffffffu) > 0x7f800000u;
        return is_nan || (key != before && !are_zero);
    }
    return key != before;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first_tile = workgroup.x + workgroup.y * workgroups.x;
    for (var tile = first_tile; tile < parameters.tiles; tile += workgroups.x * workgroups.y) {
        atomicStore(&words[local], 0u);
        if (local == 0u) {
            atomicStore(&count, 0u);
        }
        workgroupBarrier();
        let first = tile * WORKGROUP_SIZE * WORD_BITS;
        for (var k = 0u; k < WORD_BITS; k++) {
            let at = k * WORKGROUP_SIZE + local;
            // Past the end the last key is looked at again: loads under no condition can be under way together.
            let begins = begins_run(min(first + at, parameters.len - 1u));
            if (begins && first + at < parameters.len) {
                atomicOr(&words[at / WORD_BITS], 1u << (at % WORD_BITS));
            }
        }
        workgroupBarrier();
        let word = atomicLoad(&words[local]);
        bits[tile * WORKGROUP_SIZE + local] = word;
        atomicAdd(&count, countOneBits(word));
        workgroupBarrier();
        if (local == 0u) {
            counts[tile] = atomicLoad(&count);
        }
    }
}
