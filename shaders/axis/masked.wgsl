// Elements whose byte in a mask, which has the same view, is not zero. What does not count is never lifted, so NaN does
// not show. It is loaded, since loads under a condition would wait for each other.

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(6) var<storage, read> mask_words: array<u32>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

fn lift_at(at: u32, index: u32) -> Acc {
    let byte = at + parameters.delta;
    let value = element_at(0u, at);
    if (((mask_words[byte / 4u] >> (8u * (byte % 4u))) & 0xffu) == 0u) {
        return identity();
    }
    return lift_one(value, index);
}
