// As many bits as an element has, here 64 in two words, the lower first, as one unsigned number: keys
// that are ordered as elements are, magnitudes, sets of bits. WGSL's own integers have 32 bits.

alias Bits = vec2<u32>;

const BITS_WORDS: u32 = 2u;

// Functions, because naga takes no constants of vectors beside arrays whose length the pipeline sets.
fn no_bits() -> Bits {
    return vec2<u32>(0u, 0u);
}

fn all_bits() -> Bits {
    return vec2<u32>(0xffffffffu, 0xffffffffu);
}

// The bits of the NaN that results of floats have.
fn nan_bits() -> Bits {
    return vec2<u32>(0u, 0x7ff80000u);
}

// Without branches, which && and || make.
fn bits_same(a: Bits, b: Bits) -> bool {
    return (a.x == b.x) & (a.y == b.y);
}

fn bits_less(a: Bits, b: Bits) -> bool {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

fn bits_min(a: Bits, b: Bits) -> Bits {
    return select(a, b, bits_less(b, a));
}

fn bits_max(a: Bits, b: Bits) -> Bits {
    return select(a, b, bits_less(a, b));
}

fn bits_to_words(bits: Bits) -> vec2<u32> {
    return bits;
}

fn bits_from_words(words: vec2<u32>) -> Bits {
    return words;
}

// Two of them.
alias BitsPair = vec4<u32>;

fn bits_pair(first: Bits, second: Bits) -> BitsPair {
    return vec4<u32>(first, second);
}

fn first_bits(pair: BitsPair) -> Bits {
    return pair.xy;
}

fn second_bits(pair: BitsPair) -> Bits {
    return pair.zw;
}
