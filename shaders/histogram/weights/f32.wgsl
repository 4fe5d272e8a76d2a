// Numbers that are f32, as words, added to the digits of a sum (digits.wgsl).
//
//   value = mantissa * 2^place units, with a mantissa of 24 bits: it lies in digit place / 32 and the next one

fn add_number(sum: u32, number: u32) {
    let exponent = (number >> 23u) & 0xffu;
    let fraction = number & 0x7fffffu;
    let is_negative = number >= 0x80000000u;
    let is_finite = exponent < 255u;
    let infinity = select(POSITIVE_INFINITY, NEGATIVE_INFINITY, is_negative);
    let beyond = select(infinity, NOT_A_NUMBER, fraction > 0u);
    let of_finite = select(NOT_NEGATIVE_ZERO, NEGATIVE_ZERO, number == 0x80000000u);
    note_in_sum(sum + KINDS, select(beyond, of_finite, is_finite));

    let mantissa = select(0u, fraction | select(0u, 0x800000u, exponent > 0u), is_finite);
    let place = max(exponent, 1u) - 1u;
    let up = place & 31u;
    let digit = sum + 2u * (min(place, 255u) >> 5u);
    let low = mantissa << up;
    let high = (mantissa >> 1u) >> (31u - up);
    if (is_negative) {
        take_from_sum(digit, low);
        take_from_sum(digit + 2u, high);
    } else {
        add_to_sum(digit, low);
        add_to_sum(digit + 2u, high);
    }
}

fn is_no_number(number: u32) -> bool {
    return (number & 0x7fffffffu) > 0x7f800000u;
}
