// The first offset of segments that is wrong, where something has been found wrong: it is less than the one before, or
// beyond the elements. One workgroup looks at all of them; nobody is in a hurry.

override WORKGROUP_SIZE: u32 = 64u;

struct Parameters {
    // Where the offsets begin behind their binding, how many they are, and how many elements there are.
    first_offset: u32,
    offsets: u32,
    len: u32,
}

@group(0) @binding(2) var<storage, read_write> told: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(6) var<storage, read> offsets: array<u32>;

var<workgroup> first_wrong: atomic<u32>;

fn offset_at(index: u32) -> u32 {
    return offsets[parameters.first_offset + index];
}

// That before an offset; nothing is before the first.
fn before(index: u32) -> u32 {
    return select(0u, offset_at(max(index, 1u) - 1u), index > 0u);
}

// Offsets that an invocation looks at in a turn of its loop, since devices may end long loops.
const TURN: u32 = 16u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(@builtin(local_invocation_index) local: u32) {
    if (local == 0u) {
        atomicStore(&first_wrong, parameters.offsets);
    }
    workgroupBarrier();
    var mine = parameters.offsets;
    for (var first = local * TURN; first < mine; first += WORKGROUP_SIZE * TURN) {
        for (var index = min(first + TURN, parameters.offsets); index > first; index--) {
            let offset = offset_at(index - 1u);
            if (offset > parameters.len || offset < before(index - 1u)) {
                mine = index - 1u;
            }
        }
    }
    atomicMin(&first_wrong, mine);
    workgroupBarrier();
    if (local == 0u) {
        let index = atomicLoad(&first_wrong);
        let at = min(index, parameters.offsets - 1u);
        told[0] = index;
        told[1] = offset_at(at);
        told[2] = before(at);
    }
}
