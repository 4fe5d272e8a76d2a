// The elements of ranks in rows of a view, a workgroup for a row at a time.
//
//   for each row that is my workgroup's
//       for each digit of keys, from the first on
//           for each element of the row: if its key begins as a wanted one, count the digit that follows
//           for each wanted rank: find its digit, and how many elements with the same beginning stand before it
//       leave the elements whose keys are known now
//
// How the code differs from that, and why:
//  1. Neighbours of an invocation that count alike are counted at once, and wanted keys that begin alike share counters, as in
//     `order/gather.wgsl`.
//  2. Each invocation has consecutive digits. What its digits begin at comes from a scan of the sums of all.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// How many ranks are wanted.
override RANKS: u32 = 1u;

override DIGIT_BITS: u32 = 8u;

// RANKS, times the digits there are.
override COUNTERS: u32 = 256u;

// Bits of a key that tell no elements apart.
override LOWEST: u32 = 0u;

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

var<workgroup> sums: array<u32, WORKGROUP_SIZE>;

fn count(slot: u32, elements: u32) {
    if (elements > 0u) {
        atomicAdd(&counters[slot], elements);
    }
}

// Counts the bits between `shift` and `end` of keys that begin as a wanted one.
fn count_digits(row: u32, shift: u32, end: u32, local: u32) {
    let first = first_of(row);
    var slot = 0u;
    var elements = 0u;
    for (var k = local; k < parameters.length; k += WORKGROUP_SIZE) {
        let key = sort_key(element_at(0u, first + element_of_row(k)));
        var wanted = 0u;
        if (end < KEY_BITS) {
            wanted = first_with(bits_above(key, end));
        }
        let digit = bits_to_words(bits_above(key, shift)).x & ((1u << (end - shift)) - 1u);
        let mine = (wanted << DIGIT_BITS) | digit;
        if (wanted < RANKS) {
            if (mine != slot) {
                count(slot, elements);
                slot = mine;
                elements = 0u;
            }
            elements += 1u;
        }
    }
    count(slot, elements);
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

fn choose(rank: u32, shift: u32, end: u32, local: u32) {
    var alike = 0u;
    if (end < KEY_BITS) {
        alike = first_with(beginnings[rank]);
    }
    let count = 1u << (end - shift);
    let share = (count + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let first = min(local * share, count);
    let last = min(first + share, count);
    var mine = 0u;
    for (var digit = first; digit < last; digit++) {
        mine += atomicLoad(&counters[(alike << DIGIT_BITS) | digit]);
    }
    let wanted = before[rank];
    let until = scan(mine, local);
    // No invocation returns early, since all meet at the barriers of the next rank.
    let is_mine = wanted < until && wanted >= until - mine;
    var left = wanted - (until - mine);
    for (var digit = first; is_mine && digit < last; digit++) {
        let total = atomicLoad(&counters[(alike << DIGIT_BITS) | digit]);
        if (left < total) {
            known[rank] = with_digit(known[rank], digit, shift);
            before[rank] = left;
            break;
        }
        left -= total;
    }
}

fn find(row: u32, local: u32) {
    for (var rank = local; rank < RANKS; rank += WORKGROUP_SIZE) {
        known[rank] = no_bits();
        before[rank] = ranks[rank];
    }
    var end = KEY_BITS;
    while (end > LOWEST) {
        let shift = end - min(DIGIT_BITS, end - LOWEST);
        for (var index = local; index < COUNTERS; index += WORKGROUP_SIZE) {
            atomicStore(&counters[index], 0u);
        }
        for (var rank = local; rank < RANKS; rank += WORKGROUP_SIZE) {
            beginnings[rank] = bits_above(known[rank], end % KEY_BITS);
        }
        workgroupBarrier();
        count_digits(row, shift, end, local);
        workgroupBarrier();
        for (var rank = 0u; rank < RANKS; rank++) {
            choose(rank, shift, end, local);
            workgroupBarrier();
        }
        end = shift;
    }
    let slot = slot_of(row) * RANKS;
    for (var rank = local; rank < RANKS; rank += WORKGROUP_SIZE) {
        let bits = bits_to_words(bits_of_sort_key(known[rank]));
        let at = BITS_WORDS * (slot + rank);
        results[at] = bits.x;
        if (BITS_WORDS == 2u) {
            results[at + 1u] = bits.y;
        }
    }
    workgroupBarrier();
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
