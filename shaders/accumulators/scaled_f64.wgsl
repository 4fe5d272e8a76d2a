// A sum of squares of f64 that neither overflows nor underflows, as in scaled.wgsl.

struct Acc {
    // The bits of the largest magnitude.
    top: vec2<u32>,
    squares: Kept,
}

const ACC_WORDS: u32 = 4u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let squares = words_of_kept(value.squares);
    return array<u32, ACC_WORDS>(value.top.x, value.top.y, squares.x, squares.y);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(vec2<u32>(words[0], words[1]), kept_of(vec2<u32>(words[2], words[3])));
}
