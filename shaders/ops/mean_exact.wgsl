// mean_exact: of the exact sum all that a quotient depends on, which the host divides once and rounds (parts/digits.wgsl).
//
// Half of a unit of a mean's last place, times a number of elements below 2^42, has 96 bits at most. Of six digits the lower five
// have 120, so that what is below them decides no more than whether the sum is above such a number or the number itself.

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
    // Digits that are 0 below the first that is not do no harm.
    var lowest = 0u;
    for (var k = MEAN_DIGITS; k <= TOP_DIGIT; k++) {
        lowest = select(lowest, k + 1u - MEAN_DIGITS, (*digits)[k] != 0u);
    }
    var has_rest = false;
    for (var k = 0u; k < lowest; k++) {
        has_rest = has_rest || (*digits)[k] != 0u;
    }
    var output = Output();
    output.seen = seen | select(0u, IS_NEGATIVE, is_negative) | select(0u, HAS_REST, has_rest);
    output.lowest = lowest;
    for (var k = 0u; k < MEAN_DIGITS; k++) {
        output.digits[k] = (*digits)[lowest + k];
    }
    return output;
}
