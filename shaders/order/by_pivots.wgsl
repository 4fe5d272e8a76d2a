// Keys of ranks in rows that the registers of a subgroup hold.
//
//   each invocation keeps the keys of its elements
//   for each wanted rank, the least first
//       low, high <- the keys between which the rank's is: the row's least and its largest
//       until both are the same
//           pivot <- a key from low on, below high
//           if the keys up to the pivot are more than stand before the rank
//               high <- the pivot
//           else
//               low <- the key behind the pivot
//
// How the code differs from that, and why:
//  1. A workgroup is one subgroup, which adds up and compares without a barrier.
//  2. A pivot stands where the rank would if values, or keys, were spread evenly from low to high. Every fifth is half way.
//  3. Now and then low or high becomes a key that the row has. Where no more than elements are wanted, the first or the last of those
//     between them is then known.
//  4. The next rank's key is sought between the last low and high, if it is there.
//  5. What follows is read from workgroup memory, since compilers know of no other number that it is the same for all.
//  6. What lies behind the row has the largest key there is; pivots are less.

// Quads of keys that an invocation has: 1 to 8.
override QUADS: u32 = 8u;

var<private> keys: array<vec4<u32>, 8>;

// My largest key that has a rank, and how many have one.
var<private> my_largest: u32;
var<private> my_numbers: u32;

// Where a key is sought: the keys that it lies between, how many are less than low, how many are not above high, and whether the row
// has low, and high.
struct Range {
    low: u32,
    high: u32,
    below: u32,
    until: u32,
    has_low: bool,
    has_high: bool,
}

// What follows in the search.
const IS_FOUND: u32 = 0u;
const BY_VALUES: u32 = 1u;
const BY_KEYS: u32 = 2u;
const BY_HALVES: u32 = 3u;
const TO_LEAST: u32 = 4u;
const TO_LARGEST: u32 = 5u;
var<workgroup> next_step: u32;

// Of five steps one halves 32 bits.
const MOST_STEPS: u32 = 165u;

fn least_key() -> Bits {
    return no_bits();
}

fn own_key(first: u32, k: u32) -> u32 {
    let key = whole_key_at(first, min(k, parameters.length - 1u));
    let is_mine = k < parameters.length && !(OF_NUMBERS && key == nan_key());
    my_largest = max(my_largest, select(0u, key, is_mine));
    my_numbers += u32(is_mine);
    return select(all_bits(), key, k < parameters.length);
}

fn own_quad(first: u32, k: u32) -> vec4<u32> {
    let a = own_key(first, k);
    let b = own_key(first, k + WORKGROUP_SIZE);
    let c = own_key(first, k + 2u * WORKGROUP_SIZE);
    return vec4<u32>(a, b, c, own_key(first, k + 3u * WORKGROUP_SIZE));
}

fn keep_keys(first: u32, local: u32) {
    my_largest = 0u;
    my_numbers = 0u;
    for (var quad = 0u; quad < QUADS; quad++) {
        keys[quad] = own_quad(first, local + 4u * quad * WORKGROUP_SIZE);
    }
}

// How many keys of the row are not above the pivot.
fn count_until(pivot: u32) -> u32 {
    var counts = vec4<u32>(0u);
    for (var quad = 0u; quad < QUADS; quad++) {
        counts += vec4<u32>(keys[quad] <= vec4<u32>(pivot));
    }
    return subgroupAdd(counts.x + counts.y + counts.z + counts.w);
}

// The row's least key from low on.
fn least_from(low: u32) -> u32 {
    var least = vec4<u32>(all_bits());
    for (var quad = 0u; quad < QUADS; quad++) {
        let mine = keys[quad];
        least = min(least, select(vec4<u32>(all_bits()), mine, mine >= vec4<u32>(low)));
    }
    return subgroupMin(min(min(least.x, least.y), min(least.z, least.w)));
}

// The row's largest key up to high.
fn largest_until(high: u32) -> u32 {
    var largest = vec4<u32>(0u);
    for (var quad = 0u; quad < QUADS; quad++) {
        let mine = keys[quad];
        largest = max(largest, select(vec4<u32>(0u), mine, mine <= vec4<u32>(high)));
    }
    return subgroupMax(max(max(largest.x, largest.y), max(largest.z, largest.w)));
}

// All keys that have ranks.
fn whole_row() -> Range {
    let until = max(subgroupAdd(my_numbers), 1u);
    let low = least_from(0u);
    return Range(low, max(low, subgroupMax(my_largest)), 0u, until, true, true);
}

// Whether low is the key once the row has it, and whether high is.
fn is_first(range: Range, rank: u32) -> bool {
    let is_alone = range.below + 1u == range.until;
    return is_alone || (WANTED == OF_RANKS && rank == range.below);
}

fn is_last(range: Range, rank: u32) -> bool {
    return WANTED == OF_RANKS && rank + 1u == range.until;
}

fn is_known(range: Range, rank: u32) -> bool {
    let is_low = is_first(range, rank) && range.has_low;
    return range.low == range.high || is_low || (is_last(range, rank) && range.has_high);
}

fn step_after(range: Range, rank: u32, steps: u32) -> u32 {
    if (is_known(range, rank)) {
        return IS_FOUND;
    }
    if (is_first(range, rank)) {
        return TO_LEAST;
    }
    if (is_last(range, rank)) {
        return TO_LARGEST;
    }
    let is_due = range.until - range.below <= 2u || steps % 5u == 4u;
    if (is_due && !(range.has_low && range.has_high)) {
        return select(TO_LEAST, TO_LARGEST, range.has_low);
    }
    if (steps % 5u == 3u) {
        return BY_HALVES;
    }
    return select(BY_VALUES, BY_KEYS, steps % 5u == 1u);
}

// A key from low on, below high.
fn pivot_in(range: Range, rank: u32, step: u32) -> u32 {
    let width = range.high - range.low;
    if (step == BY_HALVES) {
        return range.low + width / 2u;
    }
    let share = (f32(rank - range.below) + 0.5) / f32(range.until - range.below);
    if (step == BY_VALUES) {
        return clamp(key_between(range.low, range.high, share), range.low, range.high - 1u);
    }
    return range.low + min(u32(f32(width) * share), width - 1u);
}

fn narrowed(before: Range, rank: u32, step: u32) -> Range {
    var range = before;
    if (step == TO_LEAST) {
        range.low = least_from(range.low);
        range.has_low = true;
        return range;
    }
    if (step == TO_LARGEST) {
        range.high = largest_until(range.high);
        range.has_high = true;
        return range;
    }
    let pivot = pivot_in(range, rank, step);
    let until = count_until(pivot);
    if (until > rank) {
        range.high = pivot;
        range.until = until;
        range.has_high = false;
    } else {
        range.low = pivot + 1u;
        range.below = until;
        range.has_low = false;
    }
    return range;
}

fn find_keys(row: u32, local: u32) {
    keep_keys(first_of(row), local);
    let whole = whole_row();
    if (local == 0u) {
        numbers = whole.until;
    }
    workgroupBarrier();
    find_ranks(local);
    workgroupBarrier();
    var range = whole;
    for (var slot = 0u; slot < RANKS; slot++) {
        let rank = before[slot];
        if (rank >= range.until) {
            range = Range(range.high + 1u, whole.high, range.until, whole.until, false, true);
        }
        for (var steps = 0u; steps < MOST_STEPS; steps++) {
            if (local == 0u) {
                next_step = step_after(range, rank, steps);
            }
            let step = workgroupUniformLoad(&next_step);
            if (step == IS_FOUND) {
                break;
            }
            range = narrowed(range, rank, step);
        }
        if (local == 0u) {
            known[slot] = select(range.high, range.low, is_first(range, rank) && range.has_low);
            before[slot] = rank - range.below;
            choices[slot].alike = range.until - range.below;
        }
    }
    workgroupBarrier();
}

// In any order: the host sorts them.
fn leave_places(row: u32, local: u32) {
    open_list(local);
    for (var quad = 0u; quad < QUADS; quad++) {
        let mine = keys[quad];
        if (any(mine <= vec4<u32>(known[0]))) {
            for (var turn = 0u; turn < 4u; turn++) {
                let k = local + (4u * quad + turn) * WORKGROUP_SIZE;
                if (k < parameters.length) {
                    leave_place(row, k, mine[turn]);
                }
            }
        }
    }
    workgroupBarrier();
}
