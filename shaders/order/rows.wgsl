// The elements of ranks in rows of a view, a workgroup for a row at a time.
//
//   for each row that is my workgroup's
//       find the keys of the wanted ranks
//       leave the elements with these keys
//       or: find the digits of the place of the one rank's element among those with its key
//           leave it, or with it all that stand before it, each with its place
//
// How keys are found is said in `by_digits.wgsl` and `by_pivots.wgsl`.
//
// How the code differs from that, and why:
//  1. Each invocation has consecutive counters. What its counters begin at comes from a scan of the sums of all, one for all ranks.
//  2. Where every element with the key is wanted, none is sought.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// How many ranks are wanted.
override RANKS: u32 = 1u;

override DIGIT_BITS: u32 = 8u;

// RANKS, times the digits there are.
override COUNTERS: u32 = 256u;

// What is wanted: elements of ranks; of one rank the element and its place; all up to that.
const OF_RANKS: u32 = 0u;
const OF_PLACE: u32 = 1u;
override WANTED: u32 = OF_RANKS;

// Elements that a row leaves with their places.
override ROOM: u32 = 1u;

// Words that a row leaves where elements have no places; how many numbers there are has two.
fn row_words() -> u32 {
    return BITS_WORDS * RANKS + 2u * u32(OF_NUMBERS);
}

// No row is several workgroups'.
const SHARED: bool = false;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(8) var<storage, read> ranks: array<u32>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

var<workgroup> counters: array<atomic<u32>, COUNTERS>;

// What is known of the wanted keys, and how many elements that begin so stand before each.
var<workgroup> known: array<Bits, RANKS>;
var<workgroup> before: array<u32, RANKS>;

// The first rank of those whose keys begin alike, which has their counters, and what stands before these.
var<workgroup> leaders: array<u32, RANKS>;
var<workgroup> starts: array<u32, RANKS>;

// The digit of each rank, how many elements with it stand before the rank, and how many there are.
struct Choice {
    digit: u32,
    before: u32,
    alike: u32,
}
var<workgroup> choices: array<Choice, RANKS>;

// What is known of the one rank's place in the row, and how many bits are sought of it.
var<workgroup> place: u32;
var<workgroup> place_length: u32;

var<workgroup> sums: array<u32, WORKGROUP_SIZE>;

// How many elements have ranks: those that are not NaN where these are of numbers, but 1 where there is none.
var<workgroup> numbers: u32;

fn count(slot: u32, elements: u32) {
    if (elements > 0u) {
        atomicAdd(&counters[slot], elements);
    }
}

fn clear_counters(local: u32) {
    for (var index = local; index < COUNTERS; index += WORKGROUP_SIZE) {
        atomicStore(&counters[index], 0u);
    }
}

// The first counter says how many elements a list has.
fn open_list(local: u32) {
    if (local == 0u) {
        atomicStore(&counters[0], 0u);
    }
    workgroupBarrier();
}

fn whole_key_at(first: u32, k: u32) -> Bits {
    return bits_above(turned(sort_key(element_at(0u, first + element_of_row(k)))), UNUSED);
}

// From the least on.
fn key_at(first: u32, k: u32) -> Bits {
    return key_minus(whole_key_at(first, k), least_key());
}

// The bits of the element with such a key.
fn bits_of_key_at(key: Bits) -> Bits {
    return bits_of_sort_key(turned(with_unused(key_plus(key, least_key()))));
}

fn nan_key() -> Bits {
    return bits_above(all_bits(), UNUSED);
}

// Each slot of a quantile has four words, each given rank one.
fn given_words(slot: u32, half: u32) -> vec2<u32> {
    let at = 4u * slot + 2u * half;
    return vec2<u32>(ranks[at], ranks[at + 1u]);
}

fn given_rank(slot: u32) -> vec2<u32> {
    return vec2<u32>(ranks[slot], 0u);
}

fn slots() -> u32 {
    return RANKS;
}

fn found_rank(slot: u32, _numbers: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(starts[slot], 0u);
}

// Puts the wanted ranks in their order.
fn find_ranks(local: u32) {
    let among = vec2<u32>(numbers, 0u);
    for (var slot = local; slot < RANKS; slot += WORKGROUP_SIZE) {
        starts[slot] = wanted_rank(slot, among).x;
    }
    if (OF_NUMBERS) {
        workgroupBarrier();
    }
    for (var slot = local; slot < RANKS; slot += WORKGROUP_SIZE) {
        before[position_of(slot, among)] = starts[slot];
    }
}

// The sum of all that stands up to and with mine.
fn scan(mine: u32, local: u32) -> u32 {
    var until = mine;
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        sums[local] = until;
        workgroupBarrier();
        if (local >= distance) {
            until += sums[local - distance];
        }
        workgroupBarrier();
    }
    return until;
}

// Finds the digit of each rank.
fn choose(local: u32) {
    let share = (COUNTERS + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let first = min(local * share, COUNTERS);
    let last = min(first + share, COUNTERS);
    var mine = 0u;
    for (var index = first; index < last; index++) {
        mine += atomicLoad(&counters[index]);
    }
    let until = scan(mine, local);
    var start = until - mine;
    for (var index = first; index < last; index++) {
        if (index % (1u << DIGIT_BITS) == 0u) {
            starts[index >> DIGIT_BITS] = start;
        }
        start += atomicLoad(&counters[index]);
    }
    workgroupBarrier();
    for (var rank = 0u; rank < RANKS; rank++) {
        let wanted = starts[leaders[rank]] + before[rank];
        let is_mine = wanted < until && wanted >= until - mine;
        var left = wanted - (until - mine);
        for (var index = first; is_mine && index < last; index++) {
            let total = atomicLoad(&counters[index]);
            if (left < total) {
                choices[rank] = Choice(index % (1u << DIGIT_BITS), left, total);
                break;
            }
            left -= total;
        }
    }
    workgroupBarrier();
}

fn leave_elements(slot: u32, local: u32) {
    for (var rank = local; rank < RANKS; rank += WORKGROUP_SIZE) {
        let bits = bits_to_words(bits_of_key_at(known[rank]));
        let at = slot * row_words() + BITS_WORDS * rank;
        results[at] = bits.x;
        if (BITS_WORDS == 2u) {
            results[at + 1u] = bits.y;
        }
    }
    if (OF_NUMBERS && local == 0u) {
        let at = slot * row_words() + BITS_WORDS * RANKS;
        results[at] = numbers;
        results[at + 1u] = 0u;
    }
    workgroupBarrier();
}

fn find_place(row: u32, local: u32) {
    if (local == 0u) {
        let is_sought = WANTED == OF_PLACE || before[0] + 1u < choices[0].alike;
        place = select(0xffffffffu, 0u, is_sought);
        place_length = select(0u, 32u - countLeadingZeros(parameters.length - 1u), is_sought);
        leaders[0] = 0u;
    }
    let first = first_of(row);
    var end = workgroupUniformLoad(&place_length);
    while (end > 0u) {
        let shift = end - min(DIGIT_BITS, end);
        clear_counters(local);
        workgroupBarrier();
        for (var k = local; k < parameters.length; k += WORKGROUP_SIZE) {
            let differs = ((k ^ place) >> 1u) >> (end - 1u);
            if (differs == 0u && bits_same(key_at(first, k), known[0])) {
                count((k >> shift) & ((1u << (end - shift)) - 1u), 1u);
            }
        }
        workgroupBarrier();
        choose(local);
        if (local == 0u) {
            before[0] = choices[0].before;
            place |= choices[0].digit << shift;
        }
        workgroupBarrier();
        end = shift;
    }
}

// Leaves an element with its place in the row, if it is wanted.
fn leave_place(row: u32, k: u32, key: Bits) {
    let is_it = bits_same(key, known[0]) && (k == place || (WANTED != OF_PLACE && k < place));
    let is_before = WANTED != OF_PLACE && bits_less(key, known[0]);
    if (is_it || is_before) {
        let slot = atomicAdd(&counters[0], 1u);
        if (slot < ROOM) {
            let bits = bits_to_words(bits_of_key_at(key));
            let at = 4u * (slot_of(row) * ROOM + slot);
            results[at] = k;
            results[at + 1u] = 0u;
            results[at + 2u] = bits.x;
            results[at + 3u] = bits.y;
        }
    }
}

fn find(row: u32, local: u32) {
    find_keys(row, local);
    if (WANTED == OF_RANKS) {
        leave_elements(slot_of(row), local);
    } else {
        find_place(row, local);
        leave_places(row, local);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = id.x + id.y * groups.x;
    for (var turn = 0u; turn < parameters.turns; turn++) {
        let row = turn * parameters.workgroups + workgroup;
        if (row < parameters.rows) {
            find(row, local);
        }
    }
}
