// A sum of squares that neither overflows nor underflows: those of the elements divided by a power of
// two, which the largest magnitude so far gives. Infinity and NaN are magnitudes, too.

struct Acc {
    // The bits of the largest magnitude.
    top: u32,
    squares: f32,
}

const ACC_WORDS: u32 = 2u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.top,
        bitcast<u32>(value.squares),
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        words[0],
        bitcast<f32>(words[1]),
    );
}
