// The accumulator whose key is the smallest or the largest counts. Of a key with several words a pass settles one, the highest
// first: only accumulators that have all words before it as they were settled take part.

// Which word of keys this pass settles, from the highest.
override ROUND: u32 = 0u;

// Keys of an accumulator, side by side, the lowest word of each first.
override KEYS: u32 = 1u;

// Words of a key.
override KEY_WORDS: u32 = 1u;

// Where the word lies that a round settles.
fn place_of(key: u32, round: u32) -> u32 {
    return select(INDEX_WORDS + (key + 1u) * KEY_WORDS - 1u - round, 0u, round == KEY_WORDS);
}

// Whether an earlier pass has settled a word. The index is the last.
fn is_settled(k: u32) -> bool {
    let of_key = (k - INDEX_WORDS) % KEY_WORDS;
    return k >= INDEX_WORDS && KEY_WORDS - 1u - of_key < ROUND;
}

// Looking is quicker than raising, and few elements are larger than all before.
fn raise(at: Slot, k: u32, word: u32) {
    if (word > load_word(at, k)) {
        raise_word(at, k, word);
    }
}

fn merge(at: Slot, kept: ptr<function, array<u32, MERGED_WORDS>>) -> bool {
    for (var key = 0u; key < KEYS; key++) {
        var takes_part = true;
        for (var round = 0u; round < ROUND; round++) {
            let k = place_of(key, round);
            takes_part = takes_part && settled_word(at, k) == (*kept)[k];
        }
        let k = place_of(key, ROUND);
        if (takes_part) {
            raise(at, k, (*kept)[k]);
        }
    }
    return false;
}

// Merges a slot, whose elements have taken part.
fn join(total: Slot, kept: ptr<function, array<u32, MERGED_WORDS>>) {
    for (var key = 0u; key < KEYS; key++) {
        let k = place_of(key, ROUND);
        raise(total, k, (*kept)[k]);
    }
}
