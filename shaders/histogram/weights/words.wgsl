// Weights of one word that are numbers.

fn add_weight(sum: u32, at: u32) {
    add_number(sum, weights[at]);
}
