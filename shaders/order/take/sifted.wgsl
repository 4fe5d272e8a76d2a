// Counts the classes of keys, and keeps the elements between two bounds: keys, and indices where they are wanted.
//
//   for each element: count its class; if it is between bounds, append it to my workgroup's region, or to what all share once that is full
//
// How the code differs from that, and why:
//  1. For few brackets an invocation counts in its own registers how many keys are above each edge. For more there are counters in as many
//     copies as memory has banks.
//  2. What is to be kept is marked first, and appended once for a tile: few elements are.
//  3. Class 0 is not counted, since the others and it are all elements. The total of what found no room in regions is there instead.

// Words of the index that is kept with a key.
override INDEX_WORDS: u32 = 0u;

const COPIES: u32 = 32u;

override COUNTERS: u32 = 160u;

// As many edges as there are.
override EDGES: u32 = 4u;

@group(0) @binding(2) var<storage, read_write> kept: array<u32>;

var<workgroup> counters: array<atomic<u32>, COUNTERS>;

var<workgroup> sorted_edges: array<Bits, EDGES>;

// How many elements my workgroup has kept in its region.
var<workgroup> kept_count: atomic<u32>;

// Not 0 if what all share is full.
var<workgroup> is_full: atomic<u32>;

// How many of them lie there, where not as many as there is room for.
var<workgroup> region_end: atomic<u32>;

var<private> few: array<Bits, 8>;

// The class of the smallest key.
var<private> least: u32;

// Where my workgroup's region begins; 0 if it has none.
var<private> region: u32;

// Which counters are mine.
var<private> my_copy: u32;

struct Acc {
    above_first: vec4<u32>,
    above_second: vec4<u32>,
    marks: u32,
    bit: u32,
}

fn are_few() -> bool {
    return BRACKETS <= 2u;
}

fn nothing_taken() -> Acc {
    return Acc(vec4<u32>(), vec4<u32>(), 0u, 1u);
}

fn is_above(key: Bits, edge: u32) -> bool {
    return bits_less(few[edge], key);
}

// Among few edges. Which of four a key is above.
fn above(key: Bits, first: u32) -> vec4<bool> {
    let low = vec2<bool>(is_above(key, first), is_above(key, first + 1u));
    return vec4<bool>(low, vec2<bool>(is_above(key, first + 2u), is_above(key, first + 3u)));
}

fn class_of(key: Bits) -> u32 {
    var first = 0u;
    for (var left = EDGES; left > 1u; left -= left / 2u) {
        let middle = first + left / 2u;
        first = select(first, middle, bits_less(sorted_edges[middle - 1u], key));
    }
    return max(least, first + u32(bits_less(sorted_edges[first], key)));
}

fn take(before: Acc, value: Element) -> Acc {
    let key = turned(sort_key(value));
    var taken = before;
    var is_between = false;
    if (are_few()) {
        let first = above(key, 0u);
        taken.above_first += vec4<u32>(first);
        is_between = (first.y | (least == 2u)) & !first.z;
        if (BRACKETS == 2u) {
            let second = above(key, 4u);
            taken.above_second += vec4<u32>(second);
            is_between |= second.y & !second.z;
        }
    } else {
        let kind = class_of(key);
        atomicAdd(&counters[kind * COPIES + my_copy], 1u);
        is_between = kind % 4u == 2u;
    }
    taken.marks |= select(0u, before.bit, is_between);
    taken.bit = before.bit << 1u;
    return taken;
}

fn keep(at: u32, key: Bits, place: u32) {
    let words = bits_to_words(key);
    kept[at] = words.x;
    if (BITS_WORDS == 2u) {
        kept[at + 1u] = words.y;
    }
    if (INDEX_WORDS > 0u) {
        kept[at + BITS_WORDS] = place;
    }
}

// Where room for so many elements begins, in words; 0 where there is none.
fn room_for(count: u32) -> u32 {
    let size = BITS_WORDS + INDEX_WORDS;
    let slot = atomicAdd(&kept_count, count);
    if (slot + count <= parameters.kept_room) {
        return region + 1u + size * slot;
    }
    if (slot < parameters.kept_room) {
        // Others count on behind the end, and what lies before it is not filled.
        atomicMin(&region_end, slot);
    }
    if (atomicLoad(&is_full) != 0u) {
        return 0u;
    }
    let shared_slot = atomicAdd(&totals[0], count);
    if (shared_slot + count <= parameters.spilled_room) {
        return parameters.spilled_first + size * shared_slot;
    }
    atomicStore(&is_full, 1u);
    return 0u;
}

// Keeps marked elements. The quads of a tile are as far apart as a workgroup has invocations.
fn keep_marked(marked: u32, at: u32) {
    if (marked == 0u) {
        return;
    }
    var room = room_for(countOneBits(marked));
    var marks = marked;
    while (marks != 0u && room > 0u) {
        let bit = firstTrailingBit(marks);
        let quad = at + bit / ELEMENTS_PER_QUAD * WORKGROUP_SIZE;
        let index = ELEMENTS_PER_QUAD * quad + bit % ELEMENTS_PER_QUAD;
        keep(room, turned(sort_key(element_at(0u, index))), parameters.base_low + index);
        room += BITS_WORDS + INDEX_WORDS;
        marks &= marks - 1u;
    }
}

fn kept_of(before: Acc, at: u32) -> Acc {
    keep_marked(before.marks, at);
    var taken = before;
    taken.marks = 0u;
    taken.bit = 1u;
    return taken;
}

fn take_quad(before: Acc, quad: vec4<u32>, at: u32) -> Acc {
    return kept_of(append_quad(before, quad, 0u), at);
}

fn take_quads(before: Acc, a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>, at: u32) -> Acc {
    let first = append_quad(append_quad(before, a, 0u), b, 0u);
    return kept_of(append_quad(append_quad(first, c, 0u), d, 0u), at);
}

fn take_one(before: Acc, at: u32) -> Acc {
    let value = element_at(0u, at);
    var taken = take(before, value);
    if (taken.marks != 0u) {
        let room = room_for(1u);
        if (room > 0u) {
            keep(room, turned(sort_key(value)), parameters.base_low + at);
        }
    }
    taken.marks = 0u;
    taken.bit = 1u;
    return taken;
}

fn takes_input() -> bool {
    return true;
}

fn take_first(before: Acc, workgroup: u32, _local: u32) -> Acc {
    region = parameters.kept_first + workgroup * (1u + parameters.kept_room * (BITS_WORDS + INDEX_WORDS));
    return before;
}

fn body_to_take() -> vec2<u32> {
    return vec2<u32>(parameters.body_first, parameters.body_end);
}

fn count_class(kind: u32, count: u32) {
    atomicAdd(&counters[kind * COPIES + my_copy], count);
}

fn complete(taken: Acc) {
    if (are_few()) {
        let first = taken.above_first;
        let second = taken.above_second;
        count_class(1u, first.x - first.y);
        count_class(2u, first.y - first.z);
        count_class(3u, first.z - first.w);
        if (BRACKETS == 2u) {
            count_class(4u, first.w - second.x);
            count_class(5u, second.x - second.y);
            count_class(6u, second.y - second.z);
            count_class(7u, second.z - second.w);
            count_class(8u, second.w);
        } else {
            count_class(4u, first.w);
        }
    }
}

fn open_slots(local: u32) {
    my_copy = local % COPIES;
    for (var index = local; index < COUNTERS; index += WORKGROUP_SIZE) {
        atomicStore(&counters[index], 0u);
    }
    for (var edge = local; edge < EDGES; edge += WORKGROUP_SIZE) {
        sorted_edges[edge] = edge_at(edge);
    }
    if (local == 0u) {
        atomicStore(&kept_count, 0u);
        atomicStore(&is_full, 0u);
        atomicStore(&region_end, parameters.kept_room);
    }
    least = least_class();
    workgroupBarrier();
    if (are_few()) {
        few[0] = sorted_edges[0];
        few[1] = sorted_edges[1];
        few[2] = sorted_edges[2];
        few[3] = sorted_edges[3];
        few[4] = sorted_edges[min(4u, EDGES - 1u)];
        few[5] = sorted_edges[min(5u, EDGES - 1u)];
        few[6] = sorted_edges[min(6u, EDGES - 1u)];
        few[7] = sorted_edges[EDGES - 1u];
    }
}

fn close_slots(local: u32) {
    workgroupBarrier();
    for (var kind = local; kind <= EDGES; kind += WORKGROUP_SIZE) {
        var count = 0u;
        for (var copy = 0u; copy < COPIES; copy++) {
            count += atomicLoad(&counters[kind * COPIES + copy]);
        }
        if (kind > 0u && count > 0u) {
            add_to_total(2u * kind, count);
        }
    }
    if (local == 0u && region > 0u) {
        kept[region] = min(atomicLoad(&kept_count), atomicLoad(&region_end));
    }
}
