// What operations that leave NaN out ask of four elements.

fn which_are_nan(a: Element, b: Element, c: Element, d: Element) -> vec4<bool> {
    return vec4<bool>(is_nan(a), is_nan(b), is_nan(c), is_nan(d));
}

fn count_of_others(are_nan: vec4<bool>) -> u32 {
    let left_out = vec4<u32>(are_nan);
    return 4u - ((left_out.x + left_out.y) + (left_out.z + left_out.w));
}

// The first number, or the last element where none is one.
fn first_number(a: Element, b: Element, c: Element, d: Element, are_nan: vec4<bool>) -> Element {
    return select(a, select(b, select(c, d, are_nan.z), are_nan.y), are_nan.x);
}
