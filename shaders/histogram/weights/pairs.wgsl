// Weights of two words that are numbers.

fn add_weight(sum: u32, at: u32) {
    add_number(sum, vec2<u32>(weights[2u * at], weights[2u * at + 1u]));
}
