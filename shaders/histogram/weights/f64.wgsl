// Numbers that are f64, as two words, added to the digits of a sum (digits.wgsl).
//
//   value = mantissa * 2^place units, with a mantissa of 53 bits: it lies in digit place / 32 and the next two

fn add_number(sum: u32, number: vec2<u32>) {
    let lower = number.x;
    let upper = number.y;
    let exponent = (upper >> 20u) & 0x7ffu;
    let fraction = upper & 0xfffffu;
    let is_negative = upper >= 0x80000000u;
    let is_finite = exponent < 2047u;
    let infinity = select(POSITIVE_INFINITY, NEGATIVE_INFINITY, is_negative);
    let beyond = select(infinity, NOT_A_NUMBER, (fraction | lower) > 0u);
    let is_negative_zero = upper == 0x80000000u && lower == 0u;
    let of_finite = select(NOT_NEGATIVE_ZERO, NEGATIVE_ZERO, is_negative_zero);
    note_in_sum(sum + KINDS, select(beyond, of_finite, is_finite));

    let low = select(0u, lower, is_finite);
    let high = select(0u, fraction | select(0u, 0x100000u, exponent > 0u), is_finite);
    let place = max(exponent, 1u) - 1u;
    let up = place & 31u;
    let digit = sum + 2u * (min(place, 2047u) >> 5u);
    // What leaves a word upwards, in two steps, since no shift is by 32.
    let first = low << up;
    let second = ((low >> 1u) >> (31u - up)) | (high << up);
    let third = (high >> 1u) >> (31u - up);
    if (is_negative) {
        take_from_sum(digit, first);
        take_from_sum(digit + 2u, second);
        take_from_sum(digit + 4u, third);
    } else {
        add_to_sum(digit, first);
        add_to_sum(digit + 2u, second);
        add_to_sum(digit + 4u, third);
    }
}

fn is_no_number(number: vec2<u32>) -> bool {
    let upper = number.y & 0x7fffffffu;
    return upper > 0x7ff00000u || (upper == 0x7ff00000u && number.x > 0u);
}
