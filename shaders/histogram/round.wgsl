// Last pass of weights that are floats: each sum is rounded once, to the nearest number (rounding/), ties to even, and its
// digits (digits.wgsl) are zero again. Everything is an integer.

override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // Sums of all channels.
    count: u32,
    // The word where the first one goes.
    first: u32,
    // Invocations of all workgroups.
    invocations: u32,
}

@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> totals: array<u32>;

const SIGN: u32 = 0x80000000u;

fn negate(words: ptr<function, array<u32, WORDS>>) {
    var carry = 1u;
    for (var k = 0u; k < WORDS; k++) {
        let word = ~(*words)[k] + carry;
        carry = select(0u, carry, word == 0u);
        (*words)[k] = word;
    }
}

// The 32 bits from bit `first` on. Sums of fewer than 2^31 weights have at most 308 bits (f32) or 2129 (f64), so that `word + 1` is below
// WORDS.
fn bits_from(words: ptr<function, array<u32, WORDS>>, first: u32) -> u32 {
    let word = first / 32u;
    let up = first % 32u;
    // Shifted in two steps, since none is by 32.
    let upper = ((*words)[word + 1u] << 1u) << (31u - up);
    return ((*words)[word] >> up) | upper;
}

// The bits of a number that is not negative, the upper word first.
fn rounded(words: ptr<function, array<u32, WORDS>>) -> vec2<u32> {
    var top = 0u;
    for (var k = 1u; k < WORDS; k++) {
        top = select(top, k, (*words)[k] != 0u);
    }
    let bits = 32u * (top + 1u) - countLeadingZeros((*words)[top]);
    if (bits <= SIGNIFICAND_BITS) {
        // The significand of a number that is subnormal or next to it is all of it.
        return number_of(words, 0u, 0u);
    }
    // Bits below the significand, of which the highest is half of its lowest.
    let below = bits - SIGNIFICAND_BITS;
    let place = (below - 1u) / 32u;
    let half = 1u << ((below - 1u) % 32u);
    var rest = (*words)[place] & (half - 1u);
    for (var k = 0u; k < place; k++) {
        rest |= (*words)[k];
    }
    let is_half = ((*words)[place] & half) != 0u;
    let is_odd = (bits_from(words, below) & 1u) != 0u;
    return number_of(words, below, u32(is_half && (rest != 0u || is_odd)));
}

// The bits of the result, the upper word first.
fn result_of(sum: u32) -> vec2<u32> {
    let kinds = totals[sum + KINDS];
    let infinities = kinds & (POSITIVE_INFINITY | NEGATIVE_INFINITY);
    if ((kinds & NOT_A_NUMBER) != 0u || infinities == (POSITIVE_INFINITY | NEGATIVE_INFINITY)) {
        return vec2<u32>(QUIET, 0u);
    }
    if (infinities != 0u) {
        let sign = select(0u, SIGN, infinities == NEGATIVE_INFINITY);
        return vec2<u32>(INFINITY | sign, 0u);
    }
    var words = carried_out(sum);
    let is_negative = words[DIGITS] >= SIGN;
    if (is_negative) {
        negate(&words);
    }
    let magnitude = rounded(&words);
    // A sum of -0 alone is -0, of nothing it is +0, and so is any other that is 0.
    let is_zero = (magnitude.x | magnitude.y) == 0u;
    let has_sign = select(is_negative, kinds == NEGATIVE_ZERO, is_zero);
    return vec2<u32>(magnitude.x | select(0u, SIGN, has_sign), magnitude.y);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = (id.x + id.y * groups.x) * WORKGROUP_SIZE + local;
    for (var index = first; index < parameters.count; index += parameters.invocations) {
        let sum = index * TOTAL_WORDS;
        leave(index, result_of(sum));
        for (var k = 0u; k < TOTAL_WORDS; k++) {
            totals[sum + k] = 0u;
        }
    }
}
