// Arithmetic of numbers that a device has. In parts/f64.wgsl and parts/reals_f64.wgsl are the same functions for one without f64.

// What is kept, as a number and back, which are the same here.
fn opened(value: Kept) -> Real {
    return value;
}

fn closed(value: Real) -> Kept {
    return value;
}

fn real(value: f32) -> Real {
    return Real(value);
}

// Integers, rounded: of one word, and of two.
fn real_of_word(value: u32) -> Real {
    return Real(value);
}

fn real_of_words(value: vec2<u32>) -> Real {
    return Real(value.x) + Real(value.y) * 4294967296.0;
}

// Whether a number is beyond what is kept of it. A device's numbers never are.
fn overflows(_a: Real) -> bool {
    return false;
}

// The number divided by 2^exponent where it is far, and multiplied by it. A device's numbers are far as they are kept.
fn brought_far(a: Real, _is_far: bool, _exponent: i32) -> Real {
    return a;
}

fn brought_near(a: Real, _is_far: bool, _exponent: i32) -> Real {
    return a;
}

const HAS_FAR: bool = true;

fn plus(a: Real, b: Real) -> Real {
    return a + b;
}

fn minus(a: Real, b: Real) -> Real {
    return a - b;
}

fn times(a: Real, b: Real) -> Real {
    return a * b;
}

fn over(a: Real, b: Real) -> Real {
    return a / b;
}

fn absolute(a: Real) -> Real {
    return abs(a);
}

// Of numbers without signs.
fn larger(a: Real, b: Real) -> Real {
    return max(a, b);
}

fn is_less(a: Real, b: Real) -> bool {
    return a < b;
}

// Four numbers.
alias Reals = vec4<Real>;

fn reals(a: Real, b: Real, c: Real, d: Real) -> Reals {
    return vec4<Real>(a, b, c, d);
}

fn reals_of(a: Element, b: Element, c: Element, d: Element) -> Reals {
    return reals(
        opened(kept_of(a)), opened(kept_of(b)), opened(kept_of(c)), opened(kept_of(d)),
    );
}

fn each_minus(numbers: Reals, b: Real) -> Reals {
    return numbers - b;
}

fn each_squared(numbers: Reals) -> Reals {
    return numbers * numbers;
}

fn sum_of_four(terms: Reals) -> Real {
    return (terms.x + terms.y) + (terms.z + terms.w);
}

// The numbers, but this one in some places.
fn replaced(numbers: Reals, by: Real, are_replaced: vec4<bool>) -> Reals {
    return select(numbers, vec4<Real>(by), are_replaced);
}
