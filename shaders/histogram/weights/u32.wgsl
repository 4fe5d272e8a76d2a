// Weights that are u32: a sum has 64 bits.

const TOTAL_WORDS: u32 = 2u;

// Words of a sum before those that are sets of bits.
const NUMBER_WORDS: u32 = 2u;

fn add_weight(sum: u32, at: u32) {
    add_to_sum(sum, weights[at]);
}
