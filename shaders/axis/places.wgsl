// Where on several reduced axes a row begins: its first element's index among those of its result.

fn place_of(row: u32) -> vec2<u32> {
    var place = vec2<u32>(parameters.place_low, parameters.place_high);
    var rest = row;
    for (var k = 0u; k < DIMENSIONS; k++) {
        let dimension = parameters.dimensions[k];
        let before = rest / dimension.x;
        let by = multiply32(rest - before * dimension.x, dimension.w);
        let low = place.x + by.x;
        place = vec2<u32>(low, place.y + by.y + select(0u, 1u, low < by.x));
        rest = before;
    }
    return place;
}
