// Last pass of weights that are f32: each sum is rounded once, to the nearest number, ties to even, and its digits
// (digits.wgsl) are zero again. Everything is an integer.

override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // Sums of all channels.
    count: u32,
    // Where the first one goes.
    first: u32,
    // Invocations of all workgroups.
    invocations: u32,
}

@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> totals: array<u32>;

const SIGN: u32 = 0x80000000u;
const INFINITY: u32 = 0x7f800000u;

// Words of a sum whose carries have been carried out, the last with its sign.
const WORDS: u32 = DIGITS + 1u;

// Takes the digits of the sum from word `sum` on out of the totals, each carried to the next.
fn carried_out(sum: u32) -> array<u32, WORDS> {
    var words: array<u32, WORDS>;
    var carry = 0;
    for (var k = 0u; k < DIGITS; k++) {
        let low = totals[sum + 2u * k];
        let word = low + u32(carry);
        // A negative carry is 2^32 too much, as a word.
        carry = i32(totals[sum + 2u * k + 1u]) + select(0, 1, word < low) - select(0, 1, carry < 0);
        words[k] = word;
    }
    words[DIGITS] = u32(carry);
    return words;
}

fn negate(words: ptr<function, array<u32, WORDS>>) {
    var carry = 1u;
    for (var k = 0u; k < WORDS; k++) {
        let word = ~(*words)[k] + carry;
        carry = select(0u, carry, word == 0u);
        (*words)[k] = word;
    }
}

// The bits of a number that is not negative.
fn rounded(words: ptr<function, array<u32, WORDS>>) -> u32 {
    var top = 0u;
    for (var k = 1u; k < WORDS; k++) {
        top = select(top, k, (*words)[k] != 0u);
    }
    let bits = 32u * (top + 1u) - countLeadingZeros((*words)[top]);
    if (bits <= 24u) {
        // The significand of a number that is subnormal or next to it is all of it.
        return (*words)[0];
    }
    // Bits below the significand, of which the highest is half of its lowest.
    let below = bits - 24u;
    let word = below / 32u;
    let up = below % 32u;
    // Shifted in two steps, since none is by 32.
    let upper = ((*words)[word + 1u] << 1u) << (31u - up);
    let significand = (((*words)[word] >> up) | upper) & 0xffffffu;
    let place = (below - 1u) / 32u;
    let half = 1u << ((below - 1u) % 32u);
    var rest = (*words)[place] & (half - 1u);
    for (var k = 0u; k < place; k++) {
        rest |= (*words)[k];
    }
    let is_half = ((*words)[place] & half) != 0u;
    let is_up = is_half && (rest != 0u || (significand & 1u) != 0u);
    // The leading bit of the significand adds 1 to the exponent.
    return min((min(below, 254u) << 23u) + significand + u32(is_up), INFINITY);
}

fn result_of(sum: u32) -> u32 {
    let kinds = totals[sum + KINDS];
    let infinities = kinds & (POSITIVE_INFINITY | NEGATIVE_INFINITY);
    if ((kinds & NOT_A_NUMBER) != 0u || infinities == (POSITIVE_INFINITY | NEGATIVE_INFINITY)) {
        return 0x7fc00000u;
    }
    if (infinities != 0u) {
        return select(INFINITY, SIGN | INFINITY, infinities == NEGATIVE_INFINITY);
    }
    var words = carried_out(sum);
    let is_negative = words[DIGITS] >= SIGN;
    if (is_negative) {
        negate(&words);
    }
    let magnitude = rounded(&words);
    // A sum of -0 alone is -0, of nothing it is +0, and so is any other that is 0.
    let has_sign = select(is_negative, kinds == NEGATIVE_ZERO, magnitude == 0u);
    return magnitude | select(0u, SIGN, has_sign);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = (id.x + id.y * groups.x) * WORKGROUP_SIZE + local;
    for (var index = first; index < parameters.count; index += parameters.invocations) {
        let sum = index * SUM_WORDS;
        results[parameters.first + index] = result_of(sum);
        for (var k = 0u; k < SUM_WORDS; k++) {
            totals[sum + k] = 0u;
        }
    }
}
