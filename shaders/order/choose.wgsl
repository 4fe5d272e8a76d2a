// Finds the digit that follows in the key of each wanted rank, a workgroup for one at a time.
//
//   alike <- the first wanted rank of whose key the same is known
//   digit <- the first for which the elements counted for `alike`, up to this digit, are more than stand before my rank
//   what is known of my key <- that and the digit
//   what stands before my rank <- that without the elements of lesser digits
//
// How the code differs from that, and why:
//  1. Each invocation has consecutive digits. What its digits begin at comes from a scan of the sums of all.
//  2. Counts have 64 bits, the lower word first; totals as many, if they need them.
//  3. The totals of the next digit, which lie where those of the one before did, become zero here.
//  4. After the last digit a key is known, and the element with that key is left instead.
//  5. Where ranks are of numbers alone, the first pass has counted NaN by themselves. They have the largest key, and so the last digit. How many
//     numbers there are stands behind what is known of ranks.
//  6. Digits of indices follow those of a key, if its element's place is wanted. Then what is known of the index is sought here.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Whether totals have two words, as in `histogram/totals.wgsl`.
override CARRIES: bool = true;

struct Parameters {
    // The lowest bit of the digit in a key, and how many bits it has.
    shift: u32,
    bits: u32,
    // Whether it is the last digit: not 0.
    is_last: u32,
    // Where the first result goes, in words.
    first: u32,
    // How many ranks are wanted, and workgroups there are for them.
    count: u32,
    workgroups: u32,
    // Words of the next digit's totals; 0 after the last.
    cleared: u32,
    // Whether nothing is known yet: not 0.
    is_first: u32,
    // Whether it is the last digit of a key, and all that stand up to the rank are wanted: not 0.
    is_end: u32,
}

@group(0) @binding(0) var<storage, read> ranks: array<u32>;
@group(0) @binding(2) var<storage, read_write> chosen: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> next_totals: array<u32>;
@group(0) @binding(8) var<storage, read> totals: array<u32>;

var<workgroup> sums: array<vec2<u32>, WORKGROUP_SIZE>;

fn known_of(rank: u32) -> Bits {
    let known = vec2<u32>(ranks[4u * rank], ranks[4u * rank + 1u]);
    return bits_from_words(select(known, vec2<u32>(0u, 0u), parameters.is_first != 0u));
}

// Ranks are in order, and so are their keys.
fn first_alike(rank: u32) -> u32 {
    let known = known_of(rank);
    var first = 0u;
    var end = rank;
    while (first < end) {
        let middle = first + (end - first) / 2u;
        if (bits_less(known_of(middle), known)) {
            first = middle + 1u;
        } else {
            end = middle;
        }
    }
    return first;
}

fn total_at(at: u32) -> vec2<u32> {
    if (CARRIES) {
        return vec2<u32>(totals[2u * at], totals[2u * at + 1u]);
    }
    return vec2<u32>(totals[at], 0u);
}

fn total_of(alike: u32, digit: u32) -> vec2<u32> {
    let at = (alike << parameters.bits) | digit;
    var total = total_at(at);
    if (OF_NUMBERS) {
        let has_nan = (parameters.is_first != 0u) & (digit + 1u == 1u << parameters.bits);
        let nan = total_at(select(at, 1u << parameters.bits, has_nan));
        total = add64(total, select(vec2<u32>(0u, 0u), nan, has_nan));
    }
    return total;
}

// Each slot has four words.
fn given_words(slot: u32, half: u32) -> vec2<u32> {
    let at = 4u * slot + 2u * half;
    return vec2<u32>(ranks[at], ranks[at + 1u]);
}

fn given_rank(slot: u32) -> vec2<u32> {
    return given_words(slot, 1u);
}

fn slots() -> u32 {
    return parameters.count;
}

fn found_rank(slot: u32, numbers: vec2<u32>) -> vec2<u32> {
    return wanted_rank(slot, numbers);
}

// How many elements are numbers, but one where none is. Before the first digit it is not known how many of all are.
fn numbers() -> vec2<u32> {
    var ranked = given_words(parameters.count, 0u);
    if (parameters.is_first != 0u) {
        ranked = minus64(ranked, total_at(1u << parameters.bits));
    }
    return max(ranked, vec2<u32>(u32(ranked.y == 0u), 0u));
}

fn leave_numbers() {
    let left = numbers();
    let at_end = parameters.first + BITS_WORDS * parameters.count;
    let at = select(4u * parameters.count, at_end, parameters.is_last != 0u);
    chosen[at] = left.x;
    chosen[at + 1u] = left.y;
}

// The sum of all that stands up to and with mine.
fn scan(mine: vec2<u32>, local: u32) -> vec2<u32> {
    var until = mine;
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        sums[local] = until;
        workgroupBarrier();
        if (local >= distance) {
            until = add64(sums[local - distance], until);
        }
        workgroupBarrier();
    }
    return until;
}

fn leave(rank: u32, key: Bits, before: vec2<u32>) {
    if (parameters.is_last != 0u) {
        let bits = bits_to_words(bits_of_sort_key(turned(key)));
        let at = parameters.first + BITS_WORDS * rank;
        chosen[at] = bits.x;
        if (BITS_WORDS == 2u) {
            chosen[at + 1u] = bits.y;
        }
        return;
    }
    let known = bits_to_words(key);
    chosen[4u * rank] = known.x;
    chosen[4u * rank + 1u] = known.y;
    chosen[4u * rank + 2u] = before.x;
    chosen[4u * rank + 3u] = before.y;
}

fn choose(rank: u32, local: u32) {
    let alike = first_alike(rank);
    let digits = ((1u << parameters.bits) + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let first = min(local * digits, 1u << parameters.bits);
    let end = min(first + digits, 1u << parameters.bits);
    var mine = vec2<u32>(0u, 0u);
    for (var digit = first; digit < end; digit++) {
        mine = add64(mine, total_of(alike, digit));
    }
    let until = scan(mine, local);
    var before = given_rank(rank);
    var position = rank;
    if (OF_NUMBERS && parameters.is_first != 0u) {
        before = wanted_rank(rank, numbers());
        position = position_of(rank, numbers());
    }
    let at_mine = minus64(until, mine);
    // No invocation returns early, since all meet at the barriers of the next rank.
    let is_mine = less64(before, until) & !less64(before, at_mine);
    if (local == 0u && (before.y & EVERY_ALIKE) != 0u) {
        // Of indices: whatever follows wants no other.
        leave(rank, all_bits(), before);
    }
    before = minus64(before, at_mine);
    if (is_mine) {
        var digit = first;
        var total = total_of(alike, digit);
        while (digit + 1u < end && !less64(before, total)) {
            before = minus64(before, total);
            digit += 1u;
            total = total_of(alike, digit);
        }
        let is_last_alike = all(add64(before, vec2<u32>(1u, 0u)) == total);
        if (parameters.is_end != 0u && is_last_alike) {
            before.y |= EVERY_ALIKE;
        }
        leave(position, with_digit(known_of(rank), digit, parameters.shift), before);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = id.x + id.y * groups.x;
    if (workgroup < parameters.workgroups) {
        for (var rank = workgroup; rank < parameters.count; rank += parameters.workgroups) {
            choose(rank, local);
        }
        if (OF_NUMBERS && workgroup == 0u && local == 0u) {
            leave_numbers();
        }
        let invocations = parameters.workgroups * WORKGROUP_SIZE;
        let first = workgroup * WORKGROUP_SIZE + local;
        for (var index = first; index < parameters.cleared; index += invocations) {
            next_totals[index] = 0u;
        }
    }
}
