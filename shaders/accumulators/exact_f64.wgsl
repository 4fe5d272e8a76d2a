// f64 added without rounding: a number of 80 digits, and before it a window, parts/wide_window.wgsl.
//
// Digit k counts 2^(27 k - 1074). Of an accumulator that is at rest digits are -2^4 to 2^27 + 2^4, but for the
// last, which has what is left. An element is three digits side by side, a window five: of less than 2^28
// each, so that a digit stays far below 2^31 until they are tidied.

// Sixteen digits. All have names: compilers keep what is indexed in memory, and count the turns of loops.
struct Block {
    a: vec4<i32>,
    b: vec4<i32>,
    c: vec4<i32>,
    d: vec4<i32>,
}

struct Acc {
    first: Block,
    second: Block,
    third: Block,
    fourth: Block,
    fifth: Block,
    // Its `base` also has, in the lower bits, what has been seen.
    window: Window,
}

const ACC_WORDS: u32 = 84u;
// The last digit.
const TOP_DIGIT: u32 = 79u;

fn four_to_words(words: ptr<function, array<u32, ACC_WORDS>>, first: u32, four: vec4<i32>) {
    let bits = bitcast<vec4<u32>>(four);
    (*words)[first] = bits.x;
    (*words)[first + 1u] = bits.y;
    (*words)[first + 2u] = bits.z;
    (*words)[first + 3u] = bits.w;
}

fn block_to_words(words: ptr<function, array<u32, ACC_WORDS>>, first: u32, block: Block) {
    four_to_words(words, first, block.a);
    four_to_words(words, first + 4u, block.b);
    four_to_words(words, first + 8u, block.c);
    four_to_words(words, first + 12u, block.d);
}

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    var words: array<u32, ACC_WORDS>;
    block_to_words(&words, 0u, value.first);
    block_to_words(&words, 16u, value.second);
    block_to_words(&words, 32u, value.third);
    block_to_words(&words, 48u, value.fourth);
    block_to_words(&words, 64u, value.fifth);
    words[80] = value.window.base;
    words[81] = value.window.low;
    words[82] = value.window.middle;
    words[83] = u32(value.window.high);
    return words;
}

fn four_from_words(words: ptr<function, array<u32, ACC_WORDS>>, first: u32) -> vec4<i32> {
    let four = vec2<u32>((*words)[first], (*words)[first + 1u]);
    return bitcast<vec4<i32>>(vec4<u32>(four, (*words)[first + 2u], (*words)[first + 3u]));
}

fn block_from_words(words: ptr<function, array<u32, ACC_WORDS>>, first: u32) -> Block {
    return Block(
        four_from_words(words, first),
        four_from_words(words, first + 4u),
        four_from_words(words, first + 8u),
        four_from_words(words, first + 12u),
    );
}

fn acc_from_words(values: array<u32, ACC_WORDS>) -> Acc {
    var words = values;
    return Acc(
        block_from_words(&words, 0u),
        block_from_words(&words, 16u),
        block_from_words(&words, 32u),
        block_from_words(&words, 48u),
        block_from_words(&words, 64u),
        Window(words[80], words[81], words[82], i32(words[83])),
    );
}

const DIGIT_BITS: u32 = 27u;
const DIGIT: i32 = 0x7ffffff;

// The upper word of NaN.
const UPPER_NAN: u32 = 0x7ff80000u;

// All of what can have been seen (parts/kinds.wgsl).
const SEEN: u32 = 31u;

// The base of a window that takes nothing but zeros: it is above every exponent, and no distance from it fits.
const NO_WINDOW: u32 = SIGN;

fn acc_zero() -> Acc {
    return Acc(Block(), Block(), Block(), Block(), Block(), Window(NO_WINDOW, 0u, 0u, 0));
}

fn with_carry(four: vec4<i32>, carry: i32) -> vec4<i32> {
    let carries = four.xyz >> vec3(DIGIT_BITS);
    return (four & vec4(DIGIT)) + vec4<i32>(carry, carries);
}

// What its highest digit carries.
fn carry_of(four: vec4<i32>) -> i32 {
    return four.w >> DIGIT_BITS;
}

fn block_with_carry(block: Block, carry: i32) -> Block {
    return Block(
        with_carry(block.a, carry),
        with_carry(block.b, carry_of(block.a)),
        with_carry(block.c, carry_of(block.b)),
        with_carry(block.d, carry_of(block.c)),
    );
}

// Carries each digit to the next, once: not in turn, so that no digit waits for another.
fn tidied(total: Acc) -> Acc {
    var last = block_with_carry(total.fifth, carry_of(total.fourth.d));
    // The last digit has nowhere to carry to.
    last.d.w += carry_of(total.fifth.d) << DIGIT_BITS;
    return Acc(
        block_with_carry(total.first, 0),
        block_with_carry(total.second, carry_of(total.first.d)),
        block_with_carry(total.third, carry_of(total.second.d)),
        block_with_carry(total.fourth, carry_of(total.third.d)),
        last,
        total.window,
    );
}

// Eight digits side by side, of which the first four come `place` fours from the first of all.
struct Addend {
    here: vec4<i32>,
    above: vec4<i32>,
    place: u32,
}

fn four_at(addend: Addend, place: u32) -> vec4<i32> {
    let above = select(vec4<i32>(), addend.above, place == addend.place + 1u);
    return select(above, addend.here, place == addend.place);
}

fn block_with(block: Block, addend: Addend, place: u32) -> Block {
    return Block(
        block.a + four_at(addend, place),
        block.b + four_at(addend, place + 1u),
        block.c + four_at(addend, place + 2u),
        block.d + four_at(addend, place + 3u),
    );
}

// Adds five digits from digit `first` on, which is 75 at most.
fn with_digits(total: Acc, digits: vec4<i32>, fifth: i32, first: u32) -> Acc {
    let none = vec4<i32>();
    let by_one = (first & 1u) != 0u;
    let by_two = (first & 2u) != 0u;
    let a = select(digits, vec4<i32>(0, digits.xyz), by_one);
    let b = select(vec4<i32>(fifth, 0, 0, 0), vec4<i32>(digits.w, fifth, 0, 0), by_one);
    let here = select(a, vec4<i32>(0, 0, a.xy), by_two);
    let above = select(b, vec4<i32>(a.zw, b.xy), by_two);
    let addend = Addend(here, above, first / 4u);
    return Acc(
        block_with(total.first, addend, 0u),
        block_with(total.second, addend, 4u),
        block_with(total.third, addend, 8u),
        block_with(total.fourth, addend, 12u),
        block_with(total.fifth, addend, 16u),
        total.window,
    );
}

// Adds what a window has to the digits, which are not tidied.
fn with_window(total: Acc, window: Window) -> Acc {
    // Its bits 0 to 26, 27 to 53, 54 to 80, and from 81 on.
    let a = i32(window.low) & DIGIT;
    let b = i32((window.low >> 27u) | (window.middle << 5u)) & DIGIT;
    let c = i32((window.middle >> 22u) | (u32(window.high) << 10u)) & DIGIT;
    let d = window.high >> 17u;
    let place = (window.base >> EXPONENT_SHIFT) - 1u;
    let up = place % DIGIT_BITS;
    let down = DIGIT_BITS - up;
    let digits = vec4<i32>(
        (a << up) & DIGIT,
        (a >> down) + ((b << up) & DIGIT),
        (b >> down) + ((c << up) & DIGIT),
        (c >> down) + ((d << up) & DIGIT),
    );
    return with_digits(total, digits, d >> down, place / DIGIT_BITS);
}

// Moves what the window has to the digits, and gives it another base.
fn with_base(total: Acc, base: u32) -> Acc {
    var moved = tidied(with_window(total, total.window));
    moved.window = Window(base | (total.window.base & SEEN), 0u, 0u, 0);
    return moved;
}

// Adds an element to the digits, which are not tidied.
fn with_element(total: Acc, element: vec2<u32>) -> Acc {
    let magnitude = element.y & ~SIGN;
    let is_negative = element.y >= SIGN;
    var next = total;
    if (magnitude >= EXPONENT) {
        let infinity = select(POSITIVE_INFINITY, NEGATIVE_INFINITY, is_negative);
        let is_number = magnitude == EXPONENT && element.x == 0u;
        next.window.base |= NOT_NEGATIVE_ZERO | select(NOT_A_NUMBER, infinity, is_number);
        return next;
    }
    // Subnormal numbers have the exponent of the least normal ones, and no leading bit.
    let place = max(magnitude >> EXPONENT_SHIFT, 1u) - 1u;
    let significand = (element.y & FRACTION) | select(0u, LEADING, magnitude >= LEADING);
    let up = place % DIGIT_BITS;
    let down = DIGIT_BITS - up;
    let lower = i32(element.x) & DIGIT;
    let upper = i32((element.x >> 27u) | (significand << 5u));
    let low = (lower << up) & DIGIT;
    let middle = (lower >> down) + ((upper << up) & DIGIT);
    let high = upper >> down;
    let digits = vec4<i32>(low, middle, high, 0);
    next = with_digits(total, select(digits, -digits, is_negative), 0, place / DIGIT_BITS);
    let is_negative_zero = element.x == 0u && element.y == SIGN;
    next.window.base |= select(NOT_NEGATIVE_ZERO, NEGATIVE_ZERO, is_negative_zero);
    return next;
}

// Adds two elements to the window, if they fit it, or another that is made for them; else to the digits.
fn with_quad(total: Acc, quad: Terms) -> Acc {
    var next = total;
    var tile = empty_tile();
    add_terms(&tile, quad, next.window.base & ~SEEN);
    // Long before its 96 bits overflow.
    let is_full = u32(next.window.high + (1 << 29u)) > (1u << 30u);
    if (is_full || !fits(tile)) {
        // A little above the largest, for those to come.
        let top = largest(quad) + (2u << EXPONENT_SHIFT);
        let least = 23u << EXPONENT_SHIFT;
        next = with_base(next, clamp(top, least, 2046u << EXPONENT_SHIFT) - SPAN);
        tile = empty_tile();
        add_terms(&tile, quad, next.window.base & ~SEEN);
    }
    if (!fits(tile)) {
        // One copy of the code for both.
        var rest = quad;
        for (var k = 0u; k < 2u; k++) {
            next = with_element(next, rest.xy);
            rest = rest.zwxy;
        }
        return tidied(next);
    }
    next.window = add_parts(next.window, tile.low, tile.middle, tile.high, tile.negatives);
    next.window.base |= select(NEGATIVE_ZERO, NOT_NEGATIVE_ZERO, tile.others != 0u);
    return next;
}

fn block_sum(a: Block, b: Block) -> Block {
    return Block(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d);
}

// The digits of both, and what both windows have, tidied once: four terms for each digit.
fn acc_add(a: Acc, b: Acc) -> Acc {
    let seen = (a.window.base | b.window.base) & SEEN;
    let digits = Acc(
        block_sum(a.first, b.first),
        block_sum(a.second, b.second),
        block_sum(a.third, b.third),
        block_sum(a.fourth, b.fourth),
        block_sum(a.fifth, b.fifth),
        Window(NO_WINDOW | seen, 0u, 0u, 0),
    );
    return tidied(with_window(with_window(digits, a.window), b.window));
}

fn append_pair(total: Acc, a: vec2<u32>, b: vec2<u32>) -> Acc {
    return with_quad(total, vec4<u32>(a, b));
}

fn append(total: Acc, a: vec2<u32>, b: vec2<u32>, c: vec2<u32>, d: vec2<u32>) -> Acc {
    return append_pair(append_pair(total, a, b), c, d);
}
