// Squares of elements.

fn square(value: Element) -> vec2<u32> {
    return multiply32(magnitude(value), magnitude(value));
}

// The sum of four, 128 bits of it.
fn squares_of_four(a: Element, b: Element, c: Element, d: Element) -> vec4<u32> {
    let left = add128(vec4<u32>(square(a), 0u, 0u), vec4<u32>(square(b), 0u, 0u));
    let right = add128(vec4<u32>(square(c), 0u, 0u), vec4<u32>(square(d), 0u, 0u));
    return add128(left, right);
}
