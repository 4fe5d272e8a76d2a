// Which of the wanted keys begin alike.

// What is known of them, in their order.
var<workgroup> beginnings: array<Bits, RANKS>;

// The first wanted key that begins so, or RANKS. Both halves of a search are looked at under no condition.
fn first_with(beginning: Bits) -> u32 {
    var first = 0u;
    for (var left = RANKS; left > 1u; left -= left / 2u) {
        let middle = first + left / 2u;
        first = select(first, middle, bits_less(beginnings[middle - 1u], beginning));
    }
    return select(RANKS, first, bits_same(beginnings[first], beginning));
}
