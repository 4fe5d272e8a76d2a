// Sums that are rounded to f64, two words, the lower one first.

const SIGNIFICAND_BITS: u32 = 53u;

// The upper words of infinity and NaN.
const INFINITY: u32 = 0x7ff00000u;
const QUIET: u32 = 0x7ff80000u;

// The bits of a number that is not negative, the upper word first, with the significand from bit `below` on and `up` in its
// lowest bit.
fn number_of(words: ptr<function, array<u32, WORDS>>, below: u32, up: u32) -> vec2<u32> {
    let lower = bits_from(words, below) + up;
    let carry = select(0u, up, lower == 0u);
    let significand = bits_from(words, below + 32u) & 0x1fffffu;
    // The leading bit of the significand adds 1 to the exponent.
    let upper = (min(below, 2046u) << 20u) + significand + carry;
    return select(vec2<u32>(INFINITY, 0u), vec2<u32>(upper, lower), upper < INFINITY);
}

fn leave(index: u32, number: vec2<u32>) {
    let at = parameters.first + 2u * index;
    results[at] = number.y;
    results[at + 1u] = number.x;
}
