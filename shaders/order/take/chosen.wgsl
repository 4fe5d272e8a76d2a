// Leaves the element of the rank, or with it all that stand before it, each with its index, in any order.

// Whether there is but one.
override IS_ALONE: bool = false;

@group(0) @binding(2) var<storage, read_write> results: array<u32>;

alias Acc = Marks;

fn nothing_taken() -> Acc {
    return no_marks();
}

fn complete(_taken: Acc) {}

fn take(before: Acc, value: Element) -> Acc {
    return marked(before, !bits_less(known_key, key_of(value)));
}

fn is_wanted(key: Bits, place: vec2<u32>) -> bool {
    let is_alike = bits_same(key, known_key);
    if (IS_ALONE) {
        return is_alike & all(place == known_place);
    }
    return bits_less(key, known_key) | (is_alike & !less64(known_place, place));
}

fn take_one(before: Acc, at: u32) -> Acc {
    let value = element_at(0u, at);
    let place = place_of(at);
    if (!is_wanted(key_of(value), place)) {
        return before;
    }
    let slot = atomicAdd(&totals[0], 1u);
    if (slot < parameters.ranks) {
        let bits = bits_to_words(bits_of_sort_key(sort_key(value)));
        let first = parameters.first + 4u * slot;
        results[first] = place.x;
        results[first + 1u] = place.y;
        results[first + 2u] = bits.x;
        results[first + 3u] = bits.y;
    }
    return before;
}

fn take_quad(before: Acc, quad: vec4<u32>, at: u32) -> Acc {
    var marks = append_quad(no_marks(), quad, 0u).marks;
    while (marks != 0u) {
        _ = take_one(before, ELEMENTS_PER_QUAD * at + firstTrailingBit(marks));
        marks &= marks - 1u;
    }
    return before;
}

fn body_to_take() -> vec2<u32> {
    if (IS_ALONE) {
        return quads_between(known_place, add64(known_place, vec2<u32>(1u, 0u)));
    }
    return vec2<u32>(parameters.body_first, parameters.body_end);
}

fn open_slots(_local: u32) {
    open_known();
}

fn close_slots(_local: u32) {}
