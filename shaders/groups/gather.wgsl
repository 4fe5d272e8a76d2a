// Groups, a pass over one window: every element is merged into its group's slot.
//
//   for each tile that is my workgroup's
//       for each element of mine: merge it into the slot of its key
//   what the workgroup's slots have is merged into the totals
//
// A slot has the words of an accumulator, each merged by an atomic operation that may come in any order: no result depends on
// who arrives first. It is all zero at first.
//
// How the code differs from that, and why:
//  1. An invocation loads four elements and their keys before it uses the first, since merging takes longer than loading. Loads
//     are under no condition. What lies beyond the end is the last element again, and not used.
//  2. Neighbouring invocations take neighbouring elements, so that no quads are needed.
//  3. Keys of the number of groups or more belong to no slot. The first of these elements is noted instead.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Bytes of a key: 1, 2, 4 or 8.
override KEY_BYTES: u32 = 4u;

struct Parameters {
    // Elements [first, end), counted from the start of the binding.
    first: u32,
    end: u32,
    // From an element's index to that of its key behind the other binding, and to that in the input, modulo 2^32.
    delta: u32,
    base: u32,
    // Workgroups that share this window.
    workgroups: u32,
    // How many groups there are.
    groups: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
// What is noted, and behind that the groups' slots.
@group(0) @binding(4) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read> keys: array<u32>;

// Elements that an invocation loads before it uses the first.
const LOADS: u32 = 4u;

// No number of groups is so large.
const NO_GROUP: u32 = 0xffffffffu;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

fn key_at(index: u32) -> u32 {
    if (KEY_BYTES == 8u) {
        return select(NO_GROUP, keys[2u * index], keys[2u * index + 1u] == 0u);
    }
    if (KEY_BYTES == 4u) {
        return keys[index];
    }
    let per_word = max(4u / KEY_BYTES, 1u);
    let bits = 8u * KEY_BYTES;
    let word = keys[index / per_word];
    return (word >> (bits * (index % per_word))) & ((1u << (bits & 31u)) - 1u);
}

// Notes an element without a group: of all, the first is told.
fn note_wrong(index: u32) {
    let noted = ~index;
    if (atomicLoad(&totals[0]) < noted) {
        atomicMax(&totals[0], noted);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = id.x + id.y * groups.x;
    let end = parameters.end;
    let tile = LOADS * WORKGROUP_SIZE;
    let first = parameters.first + workgroup * tile + local;
    open_slots(local);
    if (workgroup < parameters.workgroups) {
        var key: array<u32, LOADS>;
        var value: array<Element, LOADS>;
        for (var at = first; at < end; at += parameters.workgroups * tile) {
            for (var k = 0u; k < LOADS; k++) {
                let index = min(at + k * WORKGROUP_SIZE, end - 1u);
                key[k] = key_at(index + parameters.delta);
                value[k] = element_at(0u, index);
            }
            for (var k = 0u; k < LOADS; k++) {
                let index = at + k * WORKGROUP_SIZE;
                if (index < end) {
                    if (key[k] < parameters.groups) {
                        take(key[k], value[k], index + parameters.base, local);
                    } else {
                        note_wrong(index + parameters.base);
                    }
                }
            }
        }
    }
    close_slots(local);
}
