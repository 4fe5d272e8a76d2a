// Every element of a tile counts.

fn append_to_tile(tile: Tile, quad: vec4<u32>, _index: u32) -> Tile {
    let a = element(quad.xy);
    let b = element(quad.zw);
    let exponent = max(exponent_of(bits_max(magnitude(a), magnitude(b))), tile.exponent);
    let near = vec4<u32>(divided(a, exponent), divided(b, exponent));
    return Tile(exponent, append_figures(tile_figures_at(tile, exponent), near));
}

fn end_tile(running: Running, tile: Tile, _first: u32) -> Running {
    return running_with(running, tile);
}
