// Products that go beyond no range on their way: a significand, and the exponent of the power of two that it is multiplied by, in 64 bits. The
// significand's magnitude is from 1 to 2, but where it is 0, infinite or NaN.

struct Acc {
    exponent_low: u32,
    exponent_high: u32,
    significand: Kept,
}

fn nothing_multiplied() -> Acc {
    return Acc(0u, 0u, closed(real(1.0)));
}

// The exponent, and that of a significand which is far from the ends of its type's range.
fn normalized(exponent: i32, significand: Kept) -> Acc {
    let field = exponent_field(significand);
    let is_number = field - 1u < FIELD_OF_INFINITY - 1u;
    let moved = exponent + select(0, bitcast<i32>(field - FIELD_OF_ONE), is_number);
    return Acc(
        bitcast<u32>(moved),
        bitcast<u32>(moved >> 31u),
        select(significand, with_exponent_of_one(significand), is_number),
    );
}

fn multiplied(a: Acc, b: Acc) -> Acc {
    let both = normalized(0, closed(times(opened(a.significand), opened(b.significand))));
    let exponents = add64(
        vec2<u32>(a.exponent_low, a.exponent_high), vec2<u32>(b.exponent_low, b.exponent_high),
    );
    let exponent = add64(exponents, vec2<u32>(both.exponent_low, both.exponent_high));
    return Acc(exponent.x, exponent.y, both.significand);
}

// Four of which at least one may be 0, subnormal, infinite or NaN.
fn multiplied_slowly(a: Element, b: Element, c: Element, d: Element) -> Acc {
    return multiplied(
        multiplied(taken_apart(a), taken_apart(b)), multiplied(taken_apart(c), taken_apart(d)),
    );
}

fn multiplied_four(a: Element, b: Element, c: Element, d: Element) -> Acc {
    let numbers = array<Kept, 4>(kept_of(a), kept_of(b), kept_of(c), kept_of(d));
    let fields = vec4<u32>(
        exponent_field(numbers[0]),
        exponent_field(numbers[1]),
        exponent_field(numbers[2]),
        exponent_field(numbers[3]),
    );
    let least = min(min(fields.x, fields.y), min(fields.z, fields.w));
    let most = max(max(fields.x, fields.y), max(fields.z, fields.w));
    if (least == 0u || most == FIELD_OF_INFINITY) {
        return multiplied_slowly(a, b, c, d);
    }
    let left = times(
        opened(with_exponent_of_one(numbers[0])), opened(with_exponent_of_one(numbers[1])),
    );
    let right = times(
        opened(with_exponent_of_one(numbers[2])), opened(with_exponent_of_one(numbers[3])),
    );
    let exponents = (fields.x + fields.y) + (fields.z + fields.w);
    return normalized(bitcast<i32>(exponents - 4u * FIELD_OF_ONE), closed(times(left, right)));
}

// Two of 64 bits.
fn multiplied_two(a: Element, b: Element) -> Acc {
    let fields = vec2<u32>(exponent_field(kept_of(a)), exponent_field(kept_of(b)));
    if (min(fields.x, fields.y) == 0u || max(fields.x, fields.y) == FIELD_OF_INFINITY) {
        return multiplied(taken_apart(a), taken_apart(b));
    }
    let both = times(
        opened(with_exponent_of_one(kept_of(a))), opened(with_exponent_of_one(kept_of(b))),
    );
    return normalized(bitcast<i32>(fields.x + fields.y - 2u * FIELD_OF_ONE), closed(both));
}

// The exponent, at least and at most so much that beyond it nothing but 0 and infinity is left.
fn near_exponent(total: Acc) -> i32 {
    const MOST = 2 * i32(FIELD_OF_ONE - 1u);
    let low = bitcast<i32>(total.exponent_low);
    let is_word = total.exponent_high == bitcast<u32>(low >> 31u);
    let beyond = select(MOST, -MOST, total.exponent_high >= 0x80000000u);
    return select(beyond, clamp(low, -MOST, MOST), is_word);
}
