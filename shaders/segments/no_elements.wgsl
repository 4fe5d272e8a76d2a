// Lifts are there for their `rebase`, and find no elements.

fn word_of(_place: u32, _index: u32) -> u32 {
    return 0u;
}
