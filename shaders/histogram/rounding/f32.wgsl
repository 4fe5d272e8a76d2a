// Sums that are rounded to f32, one word.

const SIGNIFICAND_BITS: u32 = 24u;

// The upper words of infinity and NaN.
const INFINITY: u32 = 0x7f800000u;
const QUIET: u32 = 0x7fc00000u;

// The bits of a number that is not negative, with the significand from bit `below` on and `up` in its lowest bit.
fn number_of(words: ptr<function, array<u32, WORDS>>, below: u32, up: u32) -> vec2<u32> {
    let significand = bits_from(words, below) & 0xffffffu;
    // The leading bit of the significand adds 1 to the exponent.
    return vec2<u32>(min((min(below, 254u) << 23u) + significand + up, INFINITY), 0u);
}

fn leave(index: u32, number: vec2<u32>) {
    results[parameters.first + index] = number.x;
}
