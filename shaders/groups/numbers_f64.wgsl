// f64 in a window: a significand of 53 bits and a sign touches three words of it.

const WINDOW_WORDS: u32 = 4u;

// The place of infinity and NaN, which no window takes.
const PLACE_BEYOND: u32 = 2046u;

// Numbers in a window are at most so many places above its lowest.
const MOST_UP: u32 = 39u;

// Subnormal numbers have the place of the least normal ones.
fn place_of_number(value: vec2<u32>) -> u32 {
    return max((value.y >> 20u) & 0x7ffu, 1u) - 1u;
}

fn is_zero_number(value: vec2<u32>) -> bool {
    return ((value.y << 1u) | value.x) == 0u;
}

fn is_negative_number(value: vec2<u32>) -> bool {
    return value.y >= 0x80000000u;
}

// The words of a number, so many places up, MOST_UP at most. No shift is by 32.
fn window_words(value: vec2<u32>, up: u32) -> array<u32, WINDOW_WORDS> {
    let sign = u32(i32(value.y) >> 31u);
    let leading = select(0u, 0x100000u, ((value.y >> 20u) & 0x7ffu) > 0u);
    let low = (value.x ^ sign) - sign;
    // What is turned round carries to the upper word if the lower one is 0.
    let carry = select(0u, 1u, sign != 0u && value.x == 0u);
    let high = (((value.y & 0xfffffu) | leading) ^ sign) + carry;
    let by = up & 31u;
    let a = low << by;
    let b = ((low >> 1u) >> (31u - by)) | (high << by);
    let c = u32((i32(high) >> 1u) >> (31u - by));
    let is_up = up > 31u;
    return array<u32, WINDOW_WORDS>(
        select(a, 0u, is_up), select(b, a, is_up), select(c, b, is_up), select(sign, c, is_up),
    );
}
