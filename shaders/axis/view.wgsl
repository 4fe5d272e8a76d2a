// Where rows are: what kernels along an axis share.

// Dimensions besides the one that is folded, those that can be counted as one being one.
override DIMENSIONS: u32 = 1u;

struct Parameters {
    // Index behind the binding of the first row's first element. Indices are modulo 2^32.
    first: u32,
    // Elements of a row that are behind it, or partials; and from one to the next.
    length: u32,
    stride: u32,
    // Rows, how many teams share each, and how many units each of those has at most.
    rows: u32,
    parts: u32,
    share: u32,
    // Workgroups, all of the grid; and how often they come round.
    workgroups: u32,
    turns: u32,
    // Where the first row's result goes, or its first partial; from a part's partials to the next one's.
    first_slot: u32,
    part_slots: u32,
    // The index along the axis of the first element behind the binding.
    axis_low: u32,
    axis_high: u32,
    // For columns: how many units lie side by side, and how many workgroups' widths they are.
    units: u32,
    tiles: u32,
    // Of several axes, the index of the first row's first element among those of its result: its low word, and its high one.
    place_low: u32,
    place_high: u32,
    // For each dimension, the last first: how long it is, from one element to the next, from one result to
    // the next; of several axes, from one index to the next, too.
    dimensions: array<vec4<u32>, 5>,
    // The bits of a custom operator's identity.
    identity_bits: vec4<u32>,
    // From an index behind the input's binding to that of its partner, or of its byte in a mask, behind the other binding;
    // modulo 2^32.
    delta: u32,
}

@group(0) @binding(3) var<uniform> parameters: Parameters;

// How far a row's first element and its result are from those of the first row.
fn offsets_of(row: u32) -> vec2<u32> {
    if (DIMENSIONS == 1u) {
        return row * parameters.dimensions[0].yz;
    }
    var offsets = vec2<u32>(0u);
    var rest = row;
    for (var k = 0u; k < DIMENSIONS; k++) {
        let dimension = parameters.dimensions[k];
        let before = rest / dimension.x;
        offsets += (rest - before * dimension.x) * dimension.yz;
        rest = before;
    }
    return offsets;
}

fn first_of(row: u32) -> u32 {
    return parameters.first + offsets_of(row).x;
}

fn slot_of(row: u32) -> u32 {
    return parameters.first_slot + offsets_of(row).y;
}

// Teams that share a row have neighbouring items.
fn row_of(item: u32) -> u32 {
    if (SHARED) {
        return item / parameters.parts;
    }
    return item;
}

fn part_of(item: u32) -> u32 {
    if (SHARED) {
        return item % parameters.parts;
    }
    return 0u;
}

// What is added to an index that is `first` at the first element behind the binding, to make it one along
// the axis: 64 bits, modulo 2^64.
fn axis_base(first: u32) -> vec2<u32> {
    let borrow = select(0u, 1u, parameters.axis_low < first);
    return vec2<u32>(parameters.axis_low - first, parameters.axis_high - borrow);
}
