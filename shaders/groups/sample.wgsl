// Groups, before exact sums: where the window of sums is to lie (slots/numbers.wgsl), by the largest of some elements. Any place is
// right; a good one keeps most numbers in the window.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // Elements of the sample, counted from the start of the binding: `count` of them, `stride` apart.
    first: u32,
    stride: u32,
    count: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> target_place: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

var<workgroup> largest_place: atomic<u32>;

// How many places the largest number is to lie above the lowest that touches the upper words alone.
const ROOM: u32 = 4u;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(@builtin(local_invocation_index) local: u32) {
    if (local == 0u) {
        atomicStore(&largest_place, 0u);
    }
    workgroupBarrier();
    var largest = 0u;
    for (var k = local; k < parameters.count; k += WORKGROUP_SIZE) {
        let place = place_of_number(element_at(0u, parameters.first + k * parameters.stride));
        largest = max(largest, select(place, 0u, place == PLACE_BEYOND));
    }
    atomicMax(&largest_place, largest);
    workgroupBarrier();
    if (local == 0u) {
        let lowest = max(atomicLoad(&largest_place), 32u + ROOM) - (32u + ROOM);
        target_place[0] = min(lowest, PLACE_BEYOND - MOST_UP - 1u);
    }
}
