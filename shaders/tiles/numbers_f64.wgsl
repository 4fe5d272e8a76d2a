// What figures of tiles need to know of f64: the two of a quad, as in numbers_f32.wgsl.

struct Numbers {
    left: Real,
    right: Real,
}

fn numbers_of(quad: vec4<u32>) -> Numbers {
    return Numbers(opened(kept_of(quad.xy)), opened(kept_of(quad.zw)));
}

fn kept_of_first(quad: vec4<u32>) -> Kept {
    return kept_of(quad.xy);
}

fn sum_of(numbers: Numbers) -> Real {
    return plus(numbers.left, numbers.right);
}

fn centre_of(numbers: Numbers) -> Real {
    return times(sum_of(numbers), real(0.5));
}

fn apart_from(numbers: Numbers, pivot: Real) -> Numbers {
    return Numbers(minus(numbers.left, pivot), minus(numbers.right, pivot));
}

fn far_from(numbers: Numbers, pivot: Real) -> Numbers {
    return apart_from(Numbers(made_far(numbers.left), made_far(numbers.right)), made_far(pivot));
}

fn with_squares_of(squares: Real, apart: Numbers) -> Real {
    return plus(plus(squares, times(apart.left, apart.left)), times(apart.right, apart.right));
}

// A device's numbers alone are what a compiler may reorder.
fn hidden(number: Real, count: u32) -> Real {
    if (!HAS_FAR) {
        return number;
    }
    return opened(kept_of(words_of_kept(closed(number)) ^ vec2<u32>(count >> 31u, 0u)));
}
