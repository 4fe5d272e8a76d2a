// A pass reads the elements that were kept, if all that it looks for are among them.
//
//   elements of my workgroup's region: take each
//   workgroup 0 of one window takes keys of bounds, each as many times as elements have it, and all workgroups of it take elements that
//   found no room in regions
//
// How the code differs from that, and why:
//  1. Four loads are under no condition, so that they wait together.

override BRACKETS: u32 = 1u;

// Words of the index that is kept with a key.
override INDEX_WORDS: u32 = 0u;

@group(0) @binding(10) var<storage, read> kept: array<u32>;

fn entry_words() -> u32 {
    return BITS_WORDS + INDEX_WORDS;
}

fn is_settled() -> bool {
    return kept[0] != 0u;
}

fn bound_word(bound: u32, word: u32) -> u32 {
    return kept[4u + 4u * bound + word];
}

fn kept_bound(bound: u32) -> Bits {
    return bits_from_words(vec2<u32>(bound_word(bound, 0u), bound_word(bound, 1u)));
}

// How many elements have the key of a bound.
fn elements_of_bound(bound: u32) -> u32 {
    return bound_word(bound, 2u);
}

// Whether elements with a key were counted and not kept.
fn is_of_bound(key: Bits) -> bool {
    var is_one = false;
    for (var bound = 0u; bound < 2u * BRACKETS; bound++) {
        is_one |= bits_same(kept_bound(bound), key) & (elements_of_bound(bound) > 0u);
    }
    return is_one;
}

fn kept_key(at: u32) -> Bits {
    if (BITS_WORDS == 2u) {
        return bits_from_words(vec2<u32>(kept[at], kept[at + 1u]));
    }
    return bits_from_words(vec2<u32>(kept[at], 0u));
}

// The index of an element is counted from the first of the input.
fn kept_place(at: u32) -> vec2<u32> {
    return vec2<u32>(kept[at + BITS_WORDS], 0u);
}

// Takes every so many of some entries that lie one behind another.
fn take_entries(before: Acc, first: u32, count: u32, mine: u32, stride: u32) -> Acc {
    var taken = before;
    let size = entry_words();
    for (var number = mine; number < count; number += 4u * stride) {
        let last = count - 1u;
        let a = first + size * number;
        let b = first + size * min(number + stride, last);
        let c = first + size * min(number + 2u * stride, last);
        let d = first + size * min(number + 3u * stride, last);
        let key_a = kept_key(a);
        let key_b = kept_key(b);
        let key_c = kept_key(c);
        let key_d = kept_key(d);
        taken = take_entry(taken, key_a, a);
        if (number + stride < count) {
            taken = take_entry(taken, key_b, b);
        }
        if (number + 2u * stride < count) {
            taken = take_entry(taken, key_c, c);
        }
        if (number + 3u * stride < count) {
            taken = take_entry(taken, key_d, d);
        }
    }
    return taken;
}

fn take_first(before: Acc, workgroup: u32, local: u32) -> Acc {
    if (!takes_entries()) {
        return before;
    }
    let region = parameters.kept_first + workgroup * (1u + parameters.kept_room * entry_words());
    var taken = take_entries(before, region + 1u, kept[region], local, WORKGROUP_SIZE);
    if (parameters.spilled_room > 0u) {
        let mine = workgroup * WORKGROUP_SIZE + local;
        let stride = parameters.workgroups * WORKGROUP_SIZE;
        taken = take_entries(taken, parameters.spilled_first, kept[1], mine, stride);
        if (workgroup == 0u) {
            taken = take_bounds(taken, local);
        }
    }
    return taken;
}
