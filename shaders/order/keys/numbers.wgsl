// Keys of numbers that are as long as keys: those of `numbers/`, but every NaN has the largest.

// Bits of a key that tell no elements apart.
const UNUSED: u32 = 0u;

fn sort_key(value: Element) -> Bits {
    return select(order_key(value), all_bits(), is_nan(value));
}

fn bits_of_sort_key(key: Bits) -> Bits {
    return bits_of_key(key);
}
