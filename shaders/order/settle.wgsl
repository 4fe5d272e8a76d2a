// Tells whether each wanted rank is within a bracket, and which rank it is among the elements there. One workgroup.
//
//   seen, left out <- 0
//   for each bracket: add the elements below it to both; if the rank is within the next elements, it is less by what is left out
//   what reads kept elements <- whether that holds for all ranks, and the bounds with how many elements have each
//
// How the code differs from that, and why:
//  1. Class 0 is not counted: it has what the other classes have not. What found no room is counted in its place.
//  2. If it does not hold, ranks stay as they were given, and passes read the input.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

override EDGES: u32 = 4u;

struct Parameters {
    // How many elements there are, and ranks.
    len: u32,
    count: u32,
    // Elements that what workgroups share has room for.
    spilled_room: u32,
}

@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(2) var<storage, read_write> settled: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> totals: array<u32>;
@group(0) @binding(5) var<storage, read_write> kept: array<u32>;
// Bounds.
@group(0) @binding(8) var<storage, read> ranks: array<u32>;

var<workgroup> classes: array<u32, EDGES>;

var<workgroup> is_beyond: atomic<u32>;

fn first_class() -> u32 {
    var others = totals[EDGES];
    for (var kind = 1u; kind < EDGES; kind++) {
        others += classes[kind];
    }
    return parameters.len - others;
}

// Elements in a class. Those with the smallest key are below every edge.
fn elements_in(kind: u32, least: u32) -> u32 {
    let lowest = classes[0];
    return select(classes[kind], 0u, kind == 0u && least > 0u) + select(0u, lowest, kind == least && least > 0u);
}

// The rank among the elements in brackets, and 1 if it is there.
fn rank_within(rank: u32, least: u32) -> vec2<u32> {
    var seen = 0u;
    var left_out = 0u;
    for (var bracket = 0u; bracket < BRACKETS; bracket++) {
        let below = elements_in(4u * bracket, least);
        seen += below;
        left_out += below;
        if (rank < seen) {
            break;
        }
        for (var part = 1u; part < 4u; part++) {
            seen += elements_in(4u * bracket + part, least);
        }
        if (rank < seen) {
            return vec2<u32>(rank - left_out, 1u);
        }
    }
    return vec2<u32>(rank, 0u);
}

fn leave_bounds(local: u32, least: u32) {
    for (var bound = local; bound < 2u * BRACKETS; bound += WORKGROUP_SIZE) {
        let words = bits_to_words(bound_at(bound));
        let at = 4u + 4u * bound;
        kept[at] = words.x;
        kept[at + 1u] = words.y;
        kept[at + 2u] = elements_in(4u * (bound / 2u) + 1u + 2u * (bound % 2u), least);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(@builtin(local_invocation_index) local: u32) {
    for (var kind = local + 1u; kind < EDGES; kind += WORKGROUP_SIZE) {
        classes[kind] = totals[kind];
    }
    workgroupBarrier();
    if (local == 0u) {
        classes[0] = first_class();
        atomicStore(&is_beyond, u32(totals[0] > parameters.spilled_room));
    }
    workgroupBarrier();
    let least = least_class();
    for (var rank = local; rank < parameters.count; rank += WORKGROUP_SIZE) {
        if (rank_within(given[4u * rank + 2u], least).y == 0u) {
            atomicStore(&is_beyond, 1u);
        }
    }
    workgroupBarrier();
    let is_settled = atomicLoad(&is_beyond) == 0u;
    for (var rank = local; rank < parameters.count; rank += WORKGROUP_SIZE) {
        let wanted = given[4u * rank + 2u];
        settled[4u * rank + 2u] = select(wanted, rank_within(wanted, least).x, is_settled);
        settled[4u * rank + 3u] = 0u;
    }
    leave_bounds(local, least);
    if (local == 0u) {
        kept[0] = u32(is_settled);
        kept[1] = min(totals[0], parameters.spilled_room);
    }
}
