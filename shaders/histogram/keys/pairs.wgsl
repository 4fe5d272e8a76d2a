// Keys of two words, the lower first.

fn edge_at(index: u32) -> Bits {
    return vec2<u32>(edges[2u * index], edges[2u * index + 1u]);
}

fn lowest_key() -> Bits {
    return vec2<u32>(parameters.places.lowest, parameters.places.lowest_high);
}

fn highest_key() -> Bits {
    return vec2<u32>(parameters.places.highest, parameters.places.highest_high);
}

// No method that keys of two words have asks for it.
fn ahead(key: Bits) -> u32 {
    return key.x - parameters.places.lowest;
}
