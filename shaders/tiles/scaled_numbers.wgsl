// NaN is left out of a tile: it has no magnitude, and stands at the pivot, so its distance is 0. Where one of two is NaN, the number takes
// both places of their mean. Nothing is far here.

fn append_to_tile(tile: Tile, quad: vec4<u32>, _index: u32) -> Tile {
    let a = element(quad.xy);
    let b = element(quad.zw);
    let no_a = is_nan(a);
    let no_b = is_nan(b);
    let most = bits_max(magnitude_or_none(a, no_a), magnitude_or_none(b, no_b));
    let exponent = max(exponent_of(most), tile.exponent);
    let figures = tile_figures_at(tile, exponent);
    let left = divided(select(a, b, no_a), exponent);
    let right = divided(select(b, a, no_b), exponent);
    let numbers = numbers_of(vec4<u32>(left, right));
    let is_first = figures.is_first && figures.count == 0u && !(no_a && no_b);
    let pivot = select(figures.pivot, pivot_of(closed(centre_of(numbers))), is_first);
    var apart = apart_from(numbers, opened(pivot));
    apart.left = select(apart.left, real(0.0), no_a);
    apart.right = select(apart.right, real(0.0), no_b);
    var with_both = added_up(figures, pivot, apart);
    with_both.count -= u32(no_a) + u32(no_b);
    return Tile(exponent, with_both);
}

fn end_tile(running: Running, tile: Tile, _first: u32) -> Running {
    if (tile.figures.count == 0u) {
        return running;
    }
    return running_with(running, tile);
}
