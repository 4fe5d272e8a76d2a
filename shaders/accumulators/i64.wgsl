// 64-bit integers as two 32-bit limbs, the lower first: the memory layout of a little-endian i64 or
// u64, with no need of 64-bit integers in the shader. Sums wrap modulo 2^64; two's complement makes
// them right for signed and unsigned numbers alike.

alias Acc = vec2<u32>;

fn acc_zero() -> Acc {
    return vec2<u32>(0u, 0u);
}

fn acc_add(a: Acc, b: Acc) -> Acc {
    return add64(a, b);
}

const ACC_WORDS: u32 = 2u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(value.x, value.y);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return vec2<u32>(words[0], words[1]);
}
