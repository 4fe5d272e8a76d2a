// Brackets of keys, in order. Each has two bounds, and the class of a key says where it stands:
//
//   4 b: below bracket b, 4 b + 1: at its lower bound, 4 b + 2: between its bounds, 4 b + 3: at its upper bound
//
// A class is the number of edges below the key. Brackets with equal bounds leave classes empty: a key belongs to the first.

override BRACKETS: u32 = 1u;

// Whether the first bracket begins at the smallest key: 0, 1, or 2 if elements with that key are kept as those between bounds are.
override OPEN_BELOW: u32 = 0u;

// Whether the last bracket ends at the largest key: 0 or 1.
override OPEN_ABOVE: u32 = 0u;

fn bound_at(bound: u32) -> Bits {
    if (OPEN_BELOW > 0u && bound == 0u) {
        return no_bits();
    }
    if (OPEN_ABOVE > 0u && bound + 1u == 2u * BRACKETS) {
        return all_bits();
    }
    let at = BITS_WORDS * bound;
    if (BITS_WORDS == 2u) {
        return bits_from_words(vec2<u32>(ranks[at], ranks[at + 1u]));
    }
    return bits_from_words(vec2<u32>(ranks[at], 0u));
}

fn lowered(key: Bits) -> Bits {
    let one = bits_from_words(vec2<u32>(1u, 0u));
    return select(key_minus(key, one), key, bits_same(key, no_bits()));
}

// The number of an edge is that of the class it ends.
fn edge_at(edge: u32) -> Bits {
    let bracket = edge / 4u;
    let low = bound_at(2u * bracket);
    let high = bound_at(2u * bracket + 1u);
    if (edge % 4u >= 2u) {
        return select(high, bits_max(lowered(high), low), edge % 4u == 2u);
    }
    if (edge % 4u == 1u) {
        return low;
    }
    if (bracket == 0u) {
        return lowered(low);
    }
    return bits_max(lowered(low), bound_at(2u * bracket - 1u));
}

// The class of the smallest key, below which is no edge.
fn least_class() -> u32 {
    let is_upper = bits_same(bound_at(1u), no_bits());
    let is_lower = bits_same(bound_at(0u), no_bits());
    if (OPEN_BELOW == 2u) {
        return select(2u, 3u, is_upper);
    }
    return select(0u, 1u, is_lower);
}
