// f32 in a window: a significand of 24 bits and a sign touches two words of it.

const WINDOW_WORDS: u32 = 3u;

// The place of infinity and NaN, which no window takes.
const PLACE_BEYOND: u32 = 254u;

// Numbers in a window are at most so many places above its lowest.
const MOST_UP: u32 = 39u;

// Subnormal numbers have the place of the least normal ones.
fn place_of_number(value: u32) -> u32 {
    return max((value >> 23u) & 0xffu, 1u) - 1u;
}

fn is_zero_number(value: u32) -> bool {
    return (value << 1u) == 0u;
}

fn is_negative_number(value: u32) -> bool {
    return value >= 0x80000000u;
}

// The words of a number, so many places up, MOST_UP at most. No shift is by 32.
fn window_words(value: u32, up: u32) -> array<u32, WINDOW_WORDS> {
    let sign = i32(value) >> 31u;
    let leading = select(0u, 0x800000u, ((value >> 23u) & 0xffu) > 0u);
    let significand = (i32((value & 0x7fffffu) | leading) ^ sign) - sign;
    let by = up & 31u;
    let low = u32(significand) << by;
    let high = u32((significand >> 1u) >> (31u - by));
    let is_up = up > 31u;
    return array<u32, WINDOW_WORDS>(select(low, 0u, is_up), select(high, low, is_up), u32(sign));
}
