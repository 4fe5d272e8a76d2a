// As many bits as an element has, here 32, as one unsigned number: keys that are ordered as elements are,
// magnitudes, sets of bits.

alias Bits = u32;

const BITS_WORDS: u32 = 1u;

fn no_bits() -> Bits {
    return 0u;
}

fn all_bits() -> Bits {
    return 0xffffffffu;
}

// The bits of the NaN that results of floats have.
fn nan_bits() -> Bits {
    return 0x7fc00000u;
}

fn bits_same(a: Bits, b: Bits) -> bool {
    return a == b;
}

fn bits_less(a: Bits, b: Bits) -> bool {
    return a < b;
}

fn bits_min(a: Bits, b: Bits) -> Bits {
    return min(a, b);
}

fn bits_max(a: Bits, b: Bits) -> Bits {
    return max(a, b);
}

// Returns two words, the lower first, of which the bits take one.
fn bits_to_words(bits: Bits) -> vec2<u32> {
    return vec2<u32>(bits, 0u);
}

fn bits_from_words(words: vec2<u32>) -> Bits {
    return words.x;
}

// Two of them.
alias BitsPair = vec2<u32>;

fn bits_pair(first: Bits, second: Bits) -> BitsPair {
    return vec2<u32>(first, second);
}

fn first_bits(pair: BitsPair) -> Bits {
    return pair.x;
}

fn second_bits(pair: BitsPair) -> Bits {
    return pair.y;
}
