// f32 added without rounding: a number of 13 digits, and before it a window, parts/window.wgsl.
//
// Digit k counts 2^(24 k - 149). Of an accumulator that is at rest digits are -2^7 to 2^24 + 2^7, but for the
// last, which has what is left. An element is two digits side by side, a window four: of less than 2^25
// each, so that a digit stays far below 2^31 until they are tidied.

struct Acc {
    low: vec4<i32>,
    middle: vec4<i32>,
    high: vec4<i32>,
    last: i32,
    // Its `base` also has, in the lower bits, what has been seen.
    window: Window,
}

const ACC_WORDS: u32 = 16u;
// The last digit.
const TOP_DIGIT: u32 = 12u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let low = bitcast<vec4<u32>>(value.low);
    let middle = bitcast<vec4<u32>>(value.middle);
    let high = bitcast<vec4<u32>>(value.high);
    let window = value.window;
    return array<u32, ACC_WORDS>(
        low.x, low.y, low.z, low.w, middle.x, middle.y, middle.z, middle.w,
        high.x, high.y, high.z, high.w, u32(value.last), window.base, window.low, u32(window.high),
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        bitcast<vec4<i32>>(vec4<u32>(words[0], words[1], words[2], words[3])),
        bitcast<vec4<i32>>(vec4<u32>(words[4], words[5], words[6], words[7])),
        bitcast<vec4<i32>>(vec4<u32>(words[8], words[9], words[10], words[11])),
        i32(words[12]),
        Window(words[13], words[14], i32(words[15])),
    );
}

const DIGIT_BITS: u32 = 24u;
const DIGIT: i32 = 0xffffff;

// The upper word of NaN.
const UPPER_NAN: u32 = 0x7fc00000u;

// All of what can have been seen (parts/kinds.wgsl).
const SEEN: u32 = 31u;

// The base of a window that takes nothing: it is above every exponent, and no distance from it fits.
const NO_WINDOW: u32 = SIGN;

fn acc_zero() -> Acc {
    return Acc(vec4<i32>(), vec4<i32>(), vec4<i32>(), 0, Window(NO_WINDOW, 0u, 0));
}

// Carries each digit to the next, once: not in turn, so that no digit waits for another.
fn tidied(total: Acc) -> Acc {
    let low = total.low >> vec4(24u);
    let middle = total.middle >> vec4(24u);
    let high = total.high >> vec4(24u);
    return Acc(
        (total.low & vec4(DIGIT)) + vec4<i32>(0, low.xyz),
        (total.middle & vec4(DIGIT)) + vec4<i32>(low.w, middle.xyz),
        (total.high & vec4(DIGIT)) + vec4<i32>(middle.w, high.xyz),
        total.last + high.w,
        total.window,
    );
}

// Adds four digits from digit `first` on, which is 10 at most. What is beyond the last is 0.
fn with_digits(total: Acc, digits: vec4<i32>, first: u32) -> Acc {
    let none = vec4<i32>();
    let by_one = (first & 1u) != 0u;
    let by_two = (first & 2u) != 0u;
    let a = select(digits, vec4<i32>(0, digits.xyz), by_one);
    let b = select(0, digits.w, by_one);
    let here = select(a, vec4<i32>(0, 0, a.xy), by_two);
    let next = select(vec4<i32>(b, 0, 0, 0), vec4<i32>(a.zw, b, 0), by_two);
    let block = first / 4u;
    return Acc(
        total.low + select(none, here, block == 0u),
        total.middle + select(select(none, next, block == 0u), here, block == 1u),
        total.high + select(select(none, next, block == 1u), here, block == 2u),
        total.last + select(0, next.x, block == 2u),
        total.window,
    );
}

// Adds what a window has to the digits, which are not tidied.
fn with_window(total: Acc, window: Window) -> Acc {
    let pieces = pieces_of(window);
    let place = (window.base >> 23u) - 1u;
    let first = place / DIGIT_BITS;
    let up = place % DIGIT_BITS;
    let down = DIGIT_BITS - up;
    let digits = vec4<i32>(
        i32(pieces.low << up) & DIGIT,
        i32(pieces.low >> down) + (i32(pieces.middle << up) & DIGIT),
        i32(pieces.middle >> down) + (i32(u32(pieces.high) << up) & DIGIT),
        pieces.high >> down,
    );
    return with_digits(total, digits, first);
}

// Moves what the window has to the digits, and gives it another base.
fn with_base(total: Acc, base: u32) -> Acc {
    var moved = tidied(with_window(total, total.window));
    moved.window = Window(base | (total.window.base & SEEN), 0u, 0);
    return moved;
}

// Adds an element to the digits, which are not tidied.
fn with_element(total: Acc, element: u32) -> Acc {
    let magnitude = element & ~SIGN;
    let is_negative = element > SIGN;
    var next = total;
    if (magnitude >= EXPONENT) {
        let infinity = select(POSITIVE_INFINITY, NEGATIVE_INFINITY, is_negative);
        next.window.base |= NOT_NEGATIVE_ZERO | select(infinity, NOT_A_NUMBER, magnitude > EXPONENT);
        return next;
    }
    // Subnormal numbers have the exponent of the least normal ones, and no leading bit.
    let place = max(magnitude >> 23u, 1u) - 1u;
    let significand = (element & FRACTION) | select(0u, LEADING, magnitude >= LEADING);
    let up = place % DIGIT_BITS;
    let lower = i32(significand << up) & DIGIT;
    let upper = i32(significand >> (DIGIT_BITS - up));
    let digits = select(vec4<i32>(lower, upper, 0, 0), vec4<i32>(-lower, -upper, 0, 0), is_negative);
    next = with_digits(total, digits, place / DIGIT_BITS);
    next.window.base |= select(NOT_NEGATIVE_ZERO, NEGATIVE_ZERO, element == SIGN);
    return next;
}

fn largest_of(values: vec4<u32>) -> u32 {
    return max(max(values.x, values.y), max(values.z, values.w));
}

// Adds four elements to the window, if they fit it, or another that is made for them; else to the digits.
fn with_quad(total: Acc, quad: vec4<u32>) -> Acc {
    let exponents = quad & vec4(EXPONENT);
    let largest = largest_of(exponents);
    var next = total;
    // Long before its 64 bits overflow.
    let is_full = u32(total.window.high + (1 << 29u)) > (1u << 30u);
    if (is_full || largest_of(exponents - vec4(total.window.base & ~SEEN)) > SPAN) {
        // A little above the largest, for those to come.
        let top = clamp(largest + (2u << 23u), 25u << 23u, 254u << 23u);
        next = with_base(total, top - SPAN);
    }
    let above = exponents - vec4(next.window.base & ~SEEN);
    if (largest_of(above) > SPAN) {
        // One copy of the code for each of them.
        var rest = quad;
        for (var k = 0u; k < 4u; k++) {
            next = with_element(next, rest.x);
            rest = rest.yzwx;
        }
        return tidied(next);
    }
    let up = above >> vec4(23u);
    let sign = bitcast<vec4<i32>>(quad) >> vec4(31u);
    let significand = (bitcast<vec4<i32>>((quad & vec4(FRACTION)) | vec4(LEADING)) ^ sign) - sign;
    let low = bitcast<vec4<u32>>(significand) << up;
    let high = significand >> (vec4(24u) - up);
    let low_sum = (low.x + low.y) + (low.z + low.w);
    let high_sum = (high.x + high.y) + (high.z + high.w);
    next.window = add_halves(next.window, low_sum, high_sum);
    next.window.base |= NOT_NEGATIVE_ZERO;
    return next;
}

// The digits of both, and what both windows have, tidied once: four terms for each digit.
fn acc_add(a: Acc, b: Acc) -> Acc {
    let seen = (a.window.base | b.window.base) & SEEN;
    let window = Window(NO_WINDOW | seen, 0u, 0);
    let digits = Acc(a.low + b.low, a.middle + b.middle, a.high + b.high, a.last + b.last, window);
    return tidied(with_window(with_window(digits, a.window), b.window));
}

fn append(total: Acc, a: u32, b: u32, c: u32, d: u32) -> Acc {
    return with_quad(total, vec4<u32>(a, b, c, d));
}
