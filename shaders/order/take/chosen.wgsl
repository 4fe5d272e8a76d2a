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
    let key = key_of(value);
    return marked(before, !bits_less(known_key, key) & is_sought(key));
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
    let key = key_of(value);
    if (is_wanted(key, place) && is_sought(key)) {
        leave(place, turned(sort_key(value)));
    }
    return before;
}

fn leave(place: vec2<u32>, key: Bits) {
    let slot = atomicAdd(&totals[0], 1u);
    if (slot < parameters.ranks) {
        let bits = bits_to_words(bits_of_sort_key(turned(key)));
        let first = parameters.first + 4u * slot;
        results[first] = place.x;
        results[first + 1u] = place.y;
        results[first + 2u] = bits.x;
        results[first + 3u] = bits.y;
    }
}

fn take_quad(before: Acc, quad: vec4<u32>, at: u32) -> Acc {
    var marks = append_quad(no_marks(), quad, 0u).marks;
    while (marks != 0u) {
        _ = take_one(before, ELEMENTS_PER_QUAD * at + firstTrailingBit(marks));
        marks &= marks - 1u;
    }
    return before;
}

fn open_slots(_local: u32) {
    open_known();
}

fn close_slots(_local: u32) {}
