// Keys of floats of 16 bits, which are f32 by now: those of `numbers/`, but every NaN has the largest. The digits end before the lowest
// bits, which are 0 in numbers, and in keys of numbers with a sign 1.

// Bits of a word that an element has not.
override UNUSED: u32 = 16u;

fn sort_key(value: Element) -> Bits {
    return select(order_key(value), all_bits(), is_nan(value));
}

fn bits_of_sort_key(key: Bits) -> Bits {
    return bits_of_key(select(key | ((1u << UNUSED) - 1u), key, key >= 0x80000000u));
}
