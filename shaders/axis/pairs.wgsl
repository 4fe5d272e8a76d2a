// Pairs of elements of two inputs, which have the same view.

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(6) var<storage, read> partner_words: array<u32>;

fn word_of(input: u32, index: u32) -> u32 {
    if (input == 0u) {
        return words[index];
    }
    return partner_words[index];
}

fn lift_at(at: u32, index: u32) -> Acc {
    return lift_pair(element_at(0u, at), element_at(1u, at + parameters.delta), index);
}
