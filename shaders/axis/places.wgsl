// Where on several reduced axes a row begins: its first element's index among those of its result.

// The product, in 64 bits.
fn wide_times(a: u32, b: u32) -> vec2<u32> {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let middle = a_high * b_low + ((a_low * b_low) >> 16u);
    let rest = a_low * b_high + (middle & 0xffffu);
    return vec2<u32>(a * b, a_high * b_high + (middle >> 16u) + (rest >> 16u));
}

fn place_of(row: u32) -> vec2<u32> {
    var place = vec2<u32>(parameters.place_low, parameters.place_high);
    var rest = row;
    for (var k = 0u; k < DIMENSIONS; k++) {
        let dimension = parameters.dimensions[k];
        let before = rest / dimension.x;
        let by = wide_times(rest - before * dimension.x, dimension.w);
        let low = place.x + by.x;
        place = vec2<u32>(low, place.y + by.y + select(0u, 1u, low < by.x));
        rest = before;
    }
    return place;
}
