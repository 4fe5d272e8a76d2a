// The wanted ranks are those beside quantiles of elements that are not NaN, once it is known how many these are.
//
//   place <- (numbers - LESS) q + what is added - HALVES / 2
//   rank of an even slot <- place, as a whole number from 0 to numbers - 1
//   rank of the next slot <- one more, if there is one
//
// Each step is rounded as f64, so that the host, which has the same in `src/op/ranks.rs`, finds these ranks.
//
// How the code differs from that, and why:
//  1. Each slot has four words: q, and what is added to its product with the numbers. Two neighbours have the same.
//  2. Ranks are left in their order, and those of two quantiles may overlap. Even slots by themselves are in order, and so are the others:
//     a search in those others tells how many come before a slot.

const OF_NUMBERS: bool = true;

override LESS: u32 = 1u;

override HALVES: u32 = 0u;

fn rounded(value: Real) -> Real {
    return opened(closed(value));
}

// From 0 on, without the digits behind the point. Of a number below 2^63.
fn whole(value: Real) -> vec2<u32> {
    let places = 1023 + 63 - exponent_in(value);
    let is_whole = (value.w == 0u) & (places > 0) & (places < 64);
    return select(vec2<u32>(0u, 0u), above64(value.xy, u32(clamp(places, 0, 63))), is_whole);
}

fn rank_below(pair: u32, numbers: vec2<u32>) -> vec2<u32> {
    let q = opened(given_words(2u * pair, 0u));
    let added = opened(given_words(2u * pair, 1u));
    let count = rounded(minus(rounded(real_of_words(numbers)), real(f32(LESS))));
    let scaled = rounded(plus(rounded(times(count, q)), added));
    let place = whole(rounded(minus(scaled, real(0.5 * f32(HALVES)))));
    return smaller(place, minus64(numbers, vec2<u32>(1u, 0u)));
}

fn smaller(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, less64(a, b));
}

fn wanted_rank(slot: u32, numbers: vec2<u32>) -> vec2<u32> {
    let below = rank_below(slot / 2u, numbers);
    let above = smaller(add64(below, vec2<u32>(1u, 0u)), minus64(numbers, vec2<u32>(1u, 0u)));
    return select(below, above, slot % 2u == 1u);
}

// How many even slots, or others, have ranks below this one. Equal ranks count where `same` says so.
fn slots_before(parity: u32, rank: vec2<u32>, same: bool, numbers: vec2<u32>) -> u32 {
    var first = 0u;
    var end = slots() / 2u;
    while (first < end) {
        let middle = first + (end - first) / 2u;
        let other = found_rank(2u * middle + parity, numbers);
        if (less64(other, rank) || (same && all(other == rank))) {
            first = middle + 1u;
        } else {
            end = middle;
        }
    }
    return first;
}

// Equal ranks of even slots come before those of others. Where there are two slots, they are in their order.
fn position_of(slot: u32, numbers: vec2<u32>) -> u32 {
    var position = slot;
    if (slots() != 2u) {
        let is_above = slot % 2u == 1u;
        let rank = found_rank(slot, numbers);
        position = slot / 2u + slots_before(1u - slot % 2u, rank, is_above, numbers);
    }
    return position;
}
