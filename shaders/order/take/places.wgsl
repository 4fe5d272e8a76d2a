// Counts the next digit of the indices of elements that have the wanted key, and an index that begins as the wanted one.

struct Acc {
    counted: Counted,
    of_quad: Marks,
}

fn nothing_taken() -> Acc {
    return Acc(Counted(0u, 0u), no_marks());
}

fn complete(taken: Acc) {
    count(taken.counted);
}

fn take(before: Acc, value: Element) -> Acc {
    let is_alike = bits_same(key_of(value), known_key);
    return Acc(before.counted, marked(before.of_quad, is_alike));
}

// Counts so many elements with one digit.
fn take_alike(before: Acc, place: vec2<u32>, elements: u32) -> Acc {
    let end = parameters.shift + parameters.bits;
    if (!all(above64(place, end) == above64(known_place, end))) {
        return before;
    }
    let digit = above64(place, parameters.shift).x & ((1u << parameters.bits) - 1u);
    return Acc(counted_in(before.counted, digit, elements), no_marks());
}

fn take_quad(before: Acc, quad: vec4<u32>, at: u32) -> Acc {
    var marks = append_quad(Acc(before.counted, no_marks()), quad, 0u).of_quad.marks;
    let first = place_of(ELEMENTS_PER_QUAD * at);
    let last = add64(first, vec2<u32>(ELEMENTS_PER_QUAD - 1u, 0u));
    if (marks != 0u && all(above64(first, parameters.shift) == above64(last, parameters.shift))) {
        return take_alike(before, first, countOneBits(marks));
    }
    var taken = before;
    while (marks != 0u) {
        taken = take_alike(taken, add64(first, vec2<u32>(firstTrailingBit(marks), 0u)), 1u);
        marks &= marks - 1u;
    }
    return taken;
}

fn take_one(before: Acc, at: u32) -> Acc {
    if (bits_same(key_of(element_at(0u, at)), known_key)) {
        return take_alike(before, place_of(at), 1u);
    }
    return before;
}

// Those whose indices begin so.
fn body_to_take() -> vec2<u32> {
    if (is_each_wanted) {
        return vec2<u32>(0u, 0u);
    }
    if (IS_FIRST) {
        return vec2<u32>(parameters.body_first, parameters.body_end);
    }
    let end = parameters.shift + parameters.bits;
    let one = 1u << (end % 32u);
    let more = select(vec2<u32>(one, 0u), vec2<u32>(0u, one), end >= 32u);
    return quads_between(known_place, add64(known_place, more));
}

fn open_slots(local: u32) {
    open_known();
    clear_counters(local);
    workgroupBarrier();
}
