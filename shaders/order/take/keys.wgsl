// Counts the next digit of keys that begin as a wanted one. Wanted keys that begin alike share counters, those of the first of them.

// At least as many as ranks are wanted; of the first digit there is one for all.
override RANKS: u32 = 1u;

alias Acc = Counted;

fn nothing_taken() -> Acc {
    return Counted(0u, 0u);
}

fn complete(taken: Acc) {
    count(taken);
}

fn take_quad(before: Acc, quad: vec4<u32>, _at: u32) -> Acc {
    return append_quad(before, quad, 0u);
}

fn take_one(before: Acc, at: u32) -> Acc {
    return take(before, element_at(0u, at));
}

fn take(before: Acc, value: Element) -> Acc {
    if (COUNTS_NAN && is_nan(value)) {
        return counted_in(before, RANKS << parameters.bits, 1u);
    }
    return take_key(before, turned(sort_key(value)), 1u);
}

// Counts so many elements with one key.
fn take_key(before: Acc, key: Bits, elements: u32) -> Acc {
    var wanted = 0u;
    if (!IS_FIRST) {
        wanted = first_with(bits_above(key, parameters.shift + parameters.bits));
        if (wanted == RANKS) {
            return before;
        }
    }
    let digit = bits_to_words(bits_above(key, parameters.shift)).x & ((1u << parameters.bits) - 1u);
    return counted_in(before, (wanted << parameters.bits) | digit, elements);
}

fn body_to_take() -> vec2<u32> {
    return vec2<u32>(parameters.body_first, parameters.body_end);
}

fn open_slots(local: u32) {
    clear_counters(local);
    for (var number = local; number < RANKS; number += WORKGROUP_SIZE) {
        let rank = min(number, parameters.ranks - 1u);
        let known = bits_from_words(vec2<u32>(ranks[4u * rank], ranks[4u * rank + 1u]));
        beginnings[number] = bits_above(known, (parameters.shift + parameters.bits) % KEY_BITS);
    }
    workgroupBarrier();
}
