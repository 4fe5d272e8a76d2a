// What figures of tiles need to know of f32: the four of a quad.

alias Numbers = vec4<f32>;

fn numbers_of(quad: vec4<u32>) -> Numbers {
    return bitcast<vec4<f32>>(quad);
}

fn kept_of_first(quad: vec4<u32>) -> Kept {
    return bitcast<f32>(quad.x);
}

fn sum_of(numbers: Numbers) -> Real {
    return sum_of_four(numbers);
}

fn centre_of(numbers: Numbers) -> Real {
    return sum_of_four(numbers) * 0.25;
}

fn apart_from(numbers: Numbers, pivot: Real) -> Numbers {
    return numbers - pivot;
}

fn far_from(numbers: Numbers, pivot: Real) -> Numbers {
    return far_distances(numbers, pivot);
}

fn with_squares_of(squares: Real, apart: Numbers) -> Real {
    let two = fma(apart.y, apart.y, fma(apart.x, apart.x, squares));
    return fma(apart.w, apart.w, fma(apart.z, apart.z, two));
}

// Returns the number, but the compiler does not know that: an invocation comes to fewer than 2^31 elements.
fn hidden(number: Real, count: u32) -> Real {
    return bitcast<f32>(bitcast<u32>(number) ^ (count >> 31u));
}
