// 64-bit integers as two 32-bit limbs, the lower first: the memory layout of a little-endian i64 or
// u64, with no need of 64-bit integers in the shader. Sums wrap modulo 2^64; two's complement makes
// them right for signed and unsigned numbers alike.

alias Wide = vec2<u32>;

fn wide_zero() -> Wide {
    return vec2<u32>(0u, 0u);
}

fn wide_add(a: Wide, b: Wide) -> Wide {
    let low = a.x + b.x;
    let carry = select(0u, 1u, low < a.x);
    return vec2<u32>(low, a.y + b.y + carry);
}

const WIDE_WORDS: u32 = 2u;

fn wide_to_words(value: Wide) -> array<u32, WIDE_WORDS> {
    return array<u32, WIDE_WORDS>(value.x, value.y);
}

fn wide_from_words(words: array<u32, WIDE_WORDS>) -> Wide {
    return vec2<u32>(words[0], words[1]);
}
