// mean_exact: of the exact sum all that a quotient depends on, which the host divides once and rounds (parts/digits.wgsl).
//
// A number between two neighbouring means has 54 bits, and times up to 2^42 elements 96. Where something is below six digits, the
// lowest one's unit divides each such product, so that it is enough to know whether there is something. Five digits would do; eight
// words lie better in memory.

const MEAN_DIGITS: u32 = 6u;

struct Output {
    // What has been seen, and two bits more.
    seen: u32,
    // The place of the lowest digit.
    lowest: u32,
    digits: array<u32, MEAN_DIGITS>,
}

const IS_NEGATIVE: u32 = 32u;
// Something is below the lowest digit.
const HAS_REST: u32 = 64u;

fn output_of(
    seen: u32,
    is_negative: bool,
    digits: ptr<function, array<u32, ACC_WORDS>>,
) -> Output {
    // The highest digit that is not 0 becomes the last of the six, if it has five below it.
    var lowest = 0u;
    for (var k = MEAN_DIGITS; k <= TOP_DIGIT; k++) {
        lowest = select(lowest, k + 1u - MEAN_DIGITS, (*digits)[k] != 0u);
    }
    var has_rest = false;
    for (var k = 0u; k < lowest; k++) {
        has_rest = has_rest || (*digits)[k] != 0u;
    }
    var left = array<u32, MEAN_DIGITS>();
    for (var k = 0u; k < MEAN_DIGITS; k++) {
        left[k] = (*digits)[lowest + k];
    }
    let all_seen = seen | select(0u, IS_NEGATIVE, is_negative) | select(0u, HAS_REST, has_rest);
    return Output(all_seen, lowest, left);
}
