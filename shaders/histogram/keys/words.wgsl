// Keys of a word.

fn edge_at(index: u32) -> Bits {
    return edges[index];
}

fn lowest_key() -> Bits {
    return parameters.places.lowest;
}

fn highest_key() -> Bits {
    return parameters.places.highest;
}

// How many keys one is above the lowest, if that is a word.
fn ahead(key: Bits) -> u32 {
    return key - parameters.places.lowest;
}
