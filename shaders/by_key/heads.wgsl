// By key, first pass: which keys begin a run of equal ones, a bit for each, and how many of a share do.
//
//   for each tile of my workgroup's share
//       for each of its quads of keys: set in workgroup memory the bits of keys that are not as those before
//       leave the words of bits
//   leave how many are set
//
// How the code differs from that, and why:
//  1. Bits, as quads, count from the start of the binding, wherever the first key stands: the first ones may
//     belong to nothing, and are not set.
//  2. A tile is WORKGROUP_SIZE words of bits. Neighbouring invocations look at neighbouring quads, and all
//     loads of a tile are under no condition, so that they are under way together.
//  3. Where the keys begin and where they end, and in the quad that the binding may end in, words are looked
//     at one by one; tiles in between have none of these conditions.
//  4. Keys are read once: later passes go by the bits.
//  5. Keys of two words are looked at one by one.

override WORKGROUP_SIZE: u32 = 256u;
// Words of a key: 1 or 2.
override KEY_WORDS: u32 = 1u;

struct Parameters {
    // The first key behind the binding, and where they end.
    first_key: u32,
    end_key: u32,
    tiles: u32,
    tiles_per_share: u32,
    // Whether they are floats, which are equal as numbers are: −0 is +0, and NaN is nothing.
    are_floats: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> key_quads: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> bits: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;

const WORD_BITS: u32 = 32u;
const QUADS_PER_WORD: u32 = 8u;

var<workgroup> words: array<atomic<u32>, WORKGROUP_SIZE>;

fn differs(keys: vec4<u32>, before: vec4<u32>) -> vec4<bool> {
    if (parameters.are_floats != 0u) {
        let are_zero = ((keys | before) & vec4<u32>(0x7fffffffu)) == vec4<u32>(0u);
        let are_nan = (keys & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
        return are_nan | ((keys != before) & !are_zero);
    }
    return keys != before;
}

// As `differs`, for a key of 64 bits, the lower word first.
fn wide_differs(key: vec2<u32>, before: vec2<u32>) -> bool {
    if (parameters.are_floats != 0u) {
        let high = key.y & 0x7fffffffu;
        let are_zero = (key.x | before.x | high | (before.y & 0x7fffffffu)) == 0u;
        let is_nan = high > 0x7ff00000u || (high == 0x7ff00000u && key.x != 0u);
        return is_nan || (any(key != before) && !are_zero);
    }
    return any(key != before);
}

fn wide_at(index: u32) -> vec2<u32> {
    return vec2<u32>(keys[2u * index], keys[2u * index + 1u]);
}

fn differs_at(index: u32, before: u32) -> bool {
    if (KEY_WORDS == 2u) {
        return wide_differs(wide_at(index), wide_at(before));
    }
    return differs(vec4<u32>(keys[index]), vec4<u32>(keys[before])).x;
}

// A bit for each of the four that is not as the one before.
fn heads_of(keys: vec4<u32>, before: u32) -> u32 {
    let are_heads = differs(keys, vec4<u32>(before, keys.xyz));
    let ones = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), are_heads);
    return (ones.x | ones.y) | (ones.z | ones.w);
}

// The bits of a tile that has keys alone. In the loop that loads there is no condition: some compilers wait at
// each for what has been loaded.
fn look_at_whole(tile: u32, local: u32) {
    let first = tile * WORKGROUP_SIZE * QUADS_PER_WORD;
    var mine = 0u;
    for (var k = 0u; k < QUADS_PER_WORD; k++) {
        let at = first + k * WORKGROUP_SIZE + local;
        mine |= heads_of(key_quads[at], keys[max(4u * at, 1u) - 1u]) << (4u * k);
    }
    for (var k = 0u; k < QUADS_PER_WORD; k++) {
        let quad = k * WORKGROUP_SIZE + local;
        let heads = (mine >> (4u * k)) & 15u;
        if (heads != 0u) {
            atomicOr(&words[quad / QUADS_PER_WORD], heads << (4u * (quad % QUADS_PER_WORD)));
        }
    }
}

// The same, where keys begin or end.
fn look_at_edge(tile: u32, local: u32) {
    let first = tile * WORKGROUP_SIZE * WORD_BITS;
    let last = parameters.end_key - 1u;
    for (var k = 0u; k < WORD_BITS; k++) {
        let bit = k * WORKGROUP_SIZE + local;
        let at = first + bit;
        let is_other = differs_at(min(at, last), min(max(at, 1u) - 1u, last));
        let begins = at == parameters.first_key || is_other;
        if (begins && at >= parameters.first_key && at <= last) {
            atomicOr(&words[bit / WORD_BITS], 1u << (bit % WORD_BITS));
        }
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let share = workgroup.x + workgroup.y * workgroups.x;
    let first_tile = min(share * parameters.tiles_per_share, parameters.tiles);
    let end_tile = min(first_tile + parameters.tiles_per_share, parameters.tiles);
    var mine = 0u;
    for (var tile = first_tile; tile < end_tile; tile++) {
        atomicStore(&words[local], 0u);
        workgroupBarrier();
        let end = (tile + 1u) * WORKGROUP_SIZE * WORD_BITS;
        let is_inside = end - WORKGROUP_SIZE * WORD_BITS > parameters.first_key && end <= parameters.end_key;
        if (KEY_WORDS == 1u && is_inside) {
            look_at_whole(tile, local);
        } else {
            look_at_edge(tile, local);
        }
        workgroupBarrier();
        let word = atomicLoad(&words[local]);
        bits[tile * WORKGROUP_SIZE + local] = word;
        mine += countOneBits(word);
    }
    let before = scanned_before(mine, local);
    if (first_tile < end_tile && local == WORKGROUP_SIZE - 1u) {
        counts[share] = before + mine;
    }
}
