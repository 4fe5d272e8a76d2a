// Keys of packed integers, in the upper bits of a word.

// Bits of a word that an element has not.
override UNUSED: u32 = 24u;

fn sign_bit() -> u32 {
    return select(0u, 0x80000000u, HAVE_SIGN);
}

fn sort_key(value: Element) -> Bits {
    return (low_word(value) << UNUSED) ^ sign_bit();
}

fn bits_of_sort_key(key: Bits) -> Bits {
    let bits = key ^ sign_bit();
    return select(bits >> UNUSED, bitcast<u32>(bitcast<i32>(bits) >> UNUSED), HAVE_SIGN);
}
