// What statistics of f64 do with the numbers of `f64.wgsl`.

// Numbers are as large as they like until they are kept, so that far figures are brought near when they are opened.
const HAS_FAR: bool = false;

fn overflows(a: Real) -> bool {
    return (exponent_in(a) >= 2046) & (exponent_in(a) < BEYOND);
}

fn brought_far(a: Real, is_far: bool, exponent: i32) -> Real {
    let moves = is_far & (a.y != 0u) & (exponent_in(a) < BEYOND);
    return real_with(a.xy, exponent_in(a) - select(0, exponent, moves), a.w);
}

fn brought_near(a: Real, is_far: bool, exponent: i32) -> Real {
    return brought_far(a, is_far, -exponent);
}

fn absolute(a: Real) -> Real {
    return vec4<u32>(a.xyz, 0u);
}

// Of numbers without signs.
fn larger(a: Real, b: Real) -> Real {
    return select(a, b, is_less(a, b));
}

// Of numbers without signs.
fn is_less(a: Real, b: Real) -> bool {
    let are_same = a.z == b.z;
    return (exponent_in(a) < exponent_in(b)) | (are_same & is_below(a.xy, b.xy));
}

// Four numbers. Elements of f64 are appended by two, and what stands beside them adds nothing.
struct Reals {
    x: Real,
    y: Real,
    z: Real,
    w: Real,
}

fn reals(a: Real, b: Real, c: Real, d: Real) -> Reals {
    return Reals(a, b, c, d);
}

fn reals_of(a: Element, b: Element, c: Element, d: Element) -> Reals {
    return reals(
        opened(kept_of(a)), opened(kept_of(b)), opened(kept_of(c)), opened(kept_of(d)),
    );
}

fn each_minus(numbers: Reals, b: Real) -> Reals {
    return Reals(minus(numbers.x, b), minus(numbers.y, b), minus(numbers.z, b), minus(numbers.w, b));
}

fn each_squared(numbers: Reals) -> Reals {
    return Reals(
        times(numbers.x, numbers.x),
        times(numbers.y, numbers.y),
        times(numbers.z, numbers.z),
        times(numbers.w, numbers.w),
    );
}

fn sum_of_four(terms: Reals) -> Real {
    return plus(plus(terms.x, terms.y), plus(terms.z, terms.w));
}

fn replaced(numbers: Reals, by: Real, are_replaced: vec4<bool>) -> Reals {
    return Reals(
        select(numbers.x, by, are_replaced.x),
        select(numbers.y, by, are_replaced.y),
        select(numbers.z, by, are_replaced.z),
        select(numbers.w, by, are_replaced.w),
    );
}
