// First pass over an input with a mask: fold the elements that count into one accumulator per invocation.
//
//   accumulator <- identity
//   for each tile that is my workgroup's
//       of_tile <- the elements of my quads of the tile whose byte in the mask is not zero, lifted and combined
//       accumulator <- combine(accumulator, of_tile)
//   workgroup 0 adds the elements before and after the quads, likewise
//   how many elements have counted is added to the number of all
//
// The byte of the element with index i behind the input's bindings has the index i + delta, modulo 2^32, behind the
// mask's.
//
// How the code differs from that, and why:
//  1. Tiles, head and tail are as in kernels/elements.wgsl. All loads of a tile come before the first element is
//     lifted, since whether one is depends on a condition.
//  2. Input and mask may begin anywhere, so four bytes may lie in two words. The second is loaded without a condition,
//     which would keep other loads waiting. Where it is not needed that is the first again.
//  3. Elements go one by one to the accumulator, since any of four may be left out. The loop is short code; where an
//     element is a word, compilers unroll it.
//  4. Whether an element counts depends on the mask alone. What does not count is never lifted, so NaN does not show.
//  5. Each workgroup counts in its memory first, and adds one number to that of all.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Quads that an invocation loads, with their bytes of the mask, before it uses the first of them.
override LOADS_IN_FLIGHT: u32 = 4u;

// The most that LOADS_IN_FLIGHT may be: MAX_LOADS_IN_FLIGHT of `src/plan/tuning.rs`.
const MOST_LOADS: u32 = 16u;

struct Parameters {
    // Index of the first head element, counted in elements from the start of the binding.
    head_first: u32,
    head_count: u32,
    // Whole quads [body_first, body_end), counted in quads from the start of the binding.
    body_first: u32,
    body_end: u32,
    tail_first: u32,
    tail_count: u32,
    // Workgroups that share this window, and the slot of the first one's result.
    workgroups: u32,
    first_slot: u32,
    // The number of the first one's partial among those of all windows, and how many there are.
    first_partial: u32,
    partials: u32,
    // What is added to an element's index from the start of the binding to get that in the input:
    // 64 bits, modulo 2^64.
    base_low: u32,
    base_high: u32,
    // From an index behind the input's bindings to that of its byte behind the mask's.
    delta: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
// How many elements have counted, the lower word first.
@group(0) @binding(4) var<storage, read_write> counted: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read> mask_words: array<u32>;

var<workgroup> counted_here: atomic<u32>;

// Bytes of the mask that are looked at together.
const BYTES_AT_ONCE: u32 = min(4u, ELEMENTS_PER_QUAD);

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

// Bit k says whether the k-th byte from an index on is not zero, of as many as are looked at together.
fn marks_at(index: u32) -> u32 {
    let word = index / 4u;
    let down = 8u * (index % 4u);
    let last = (index + BYTES_AT_ONCE - 1u) / 4u;
    let upper = mask_words[last];
    let bytes = (mask_words[word] >> down) | select(upper << (32u - down), 0u, last == word);
    // The highest bit of each byte, and these four side by side.
    let marks = ((((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) >> 7u) & 0x01010101u;
    return ((marks * 0x01020408u) >> 24u) & ((1u << BYTES_AT_ONCE) - 1u);
}

// Those of a quad's elements.
fn marks_of(quad: u32) -> u32 {
    let first = ELEMENTS_PER_QUAD * quad + parameters.delta;
    var marks = 0u;
    for (var k = 0u; k < ELEMENTS_PER_QUAD; k += BYTES_AT_ONCE) {
        marks |= marks_at(first + k) << k;
    }
    return marks;
}

fn is_marked(index: u32) -> bool {
    return ((mask_words[index / 4u] >> (8u * (index % 4u))) & 0xffu) != 0u;
}

fn append_marked(total: Acc, quad: vec4<u32>, marks: u32, index: u32) -> Acc {
    var appended = total;
    for (var k = 0u; k < ELEMENTS_PER_QUAD; k++) {
        if (((marks >> k) & 1u) != 0u) {
            appended = combine(appended, lift_one(element_in(quad, k), index + k));
        }
    }
    return appended;
}

// What an invocation has, and how many elements that is of.
struct Gathered {
    total: Acc,
    count: u32,
}

fn gather_quads(workgroup: u32, local: u32) -> Gathered {
    let tile = LOADS_IN_FLIGHT * WORKGROUP_SIZE;
    let stride = parameters.workgroups * tile;
    let end = parameters.body_end;
    var total = identity();
    var count = 0u;
    var loaded: array<vec4<u32>, MOST_LOADS>;
    var marked: array<u32, MOST_LOADS>;
    var i = parameters.body_first + workgroup * tile + local;
    while (i < end) {
        for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
            let at = i + k * WORKGROUP_SIZE;
            let there = min(at, end - 1u);
            loaded[k] = quads[there];
            marked[k] = select(0u, marks_of(there), at < end);
        }
        var of_tile = identity();
        for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
            let index = ELEMENTS_PER_QUAD * (i + k * WORKGROUP_SIZE);
            of_tile = append_marked(of_tile, loaded[k], marked[k], index);
            count += countOneBits(marked[k]);
        }
        total = combine(total, of_tile);
        i += stride;
    }
    return Gathered(total, count);
}

fn gather_ends(before: Gathered, local: u32) -> Gathered {
    var gathered = before;
    for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
        let at = end_at(k);
        if (is_marked(at + parameters.delta)) {
            gathered.total = combine(gathered.total, lift_one(element_at(0u, at), at));
            gathered.count += 1u;
        }
    }
    return gathered;
}

// Adds what a workgroup has counted to the number of all.
fn add_counted(count: u32) {
    let before = atomicAdd(&counted[0], count);
    if (before > 0xffffffffu - count) {
        atomicAdd(&counted[1], 1u);
    }
}

fn gather(workgroup: u32, local: u32) -> Acc {
    if (local == 0u) {
        atomicStore(&counted_here, 0u);
    }
    workgroupBarrier();
    var gathered = Gathered(identity(), 0u);
    if (workgroup < parameters.workgroups) {
        gathered = gather_quads(workgroup, local);
        if (workgroup == 0u) {
            gathered = gather_ends(gathered, local);
        }
        atomicAdd(&counted_here, gathered.count);
    }
    workgroupBarrier();
    if (local == 0u) {
        add_counted(atomicLoad(&counted_here));
    }
    return gathered.total;
}

fn complete(total: Acc) -> Acc {
    return rebase(total, vec2<u32>(parameters.base_low, parameters.base_high));
}
