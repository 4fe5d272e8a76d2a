// A key and the index where it stands: of two, the one with the lower key counts, and with equal keys
// the one with the lower index.
//
// Below `rebase` an index counts within the window and has one word; the second is then the same
// everywhere, which the compiler sees, and costs nothing.

struct Located {
    key: Bits,
    index_low: u32,
    index_high: u32,
}

// No window has an element with this index.
const NOWHERE: u32 = 0xffffffffu;

fn located_nowhere() -> Located {
    return Located(all_bits(), NOWHERE, 0u);
}

fn located_first(a: Located, b: Located) -> Located {
    let b_is_earlier = (b.index_high < a.index_high)
        | ((b.index_high == a.index_high) & (b.index_low < a.index_low));
    let is_b = bits_less(b.key, a.key) | (bits_same(a.key, b.key) & b_is_earlier);
    return Located(
        select(a.key, b.key, is_b),
        select(a.index_low, b.index_low, is_b),
        select(a.index_high, b.index_high, is_b),
    );
}

// The same, where all of what is appended stands later.
fn located_append(value: Located, key: Bits, index: u32) -> Located {
    if (bits_less(key, value.key) || (!is_opened() && value.index_low == NOWHERE)) {
        return Located(key, index, 0u);
    }
    return value;
}

// Indices within the window become indices within the input. What stands nowhere still does: it loses
// against the first element of all, whatever its key. Masks, which may leave that one out, end before index 2^32.
fn located_rebase(value: Located, base: vec2<u32>) -> Located {
    let index = add64(vec2<u32>(value.index_low, 0u), base);
    if (value.index_low == NOWHERE) {
        return value;
    }
    return Located(value.key, index.x, index.y);
}

// What a device leaves: the index, then the element's bits, each in two words.
fn located_output(value: Located, bits: Bits) -> vec4<u32> {
    return vec4<u32>(value.index_low, value.index_high, bits_to_words(bits));
}
