// stats of f64. As of f32 what is smallest and largest so far runs on from tile to tile. A NaN at the end that it shows at has the key 0 here,
// so that no later one takes its place.

struct Running {
    lowest: Located,
    highest: Located,
    figures: RunningFigures,
}

// Places count from the tile's first quad, and are nowhere while the tile has brought nothing new.
struct Tile {
    lowest: Located,
    highest: Located,
    figures: TileFigures,
}

fn begin_tiles() -> Running {
    return Running(located_nowhere(), located_nowhere(), begin_figures());
}

// The first tile's first quad has what is smallest and largest until another has it.
fn begin_tile(running: Running) -> Tile {
    let nowhere = select(NOWHERE, 0u, running.figures.count == 0u);
    return Tile(
        Located(running.lowest.key, nowhere, 0u),
        Located(running.highest.key, nowhere, 0u),
        begin_tile_figures(running.figures),
    );
}

fn append_to_tile(tile: Tile, quad: vec4<u32>, index: u32) -> Tile {
    let left = order_key(element(quad.xy));
    let right = order_key(element(quad.zw));
    let least = bits_min(left, right);
    let most = ~bits_max(left, right);
    var lowest = tile.lowest;
    if (bits_less(least, lowest.key)) {
        let is_nan = bits_same(floored_key(least), floored_key(no_bits()));
        lowest = Located(select(least, no_bits(), is_nan), index, 0u);
    }
    var highest = tile.highest;
    if (bits_less(most, highest.key)) {
        let is_nan = bits_same(capped_key(~most), capped_key(all_bits()));
        highest = Located(select(most, no_bits(), is_nan), index, 0u);
    }
    return Tile(lowest, highest, append_figures(tile.figures, quad));
}

fn end_tile(running: Running, tile: Tile, first: u32) -> Running {
    var lowest = tile.lowest;
    var highest = tile.highest;
    lowest.index_low = place_in(running.lowest.index_low, lowest.index_low, first);
    highest.index_low = place_in(running.highest.index_low, highest.index_low, first);
    return Running(lowest, highest, end_figures(running.figures, tile.figures));
}

fn end_tiles(running: Running) -> Acc {
    if (running.figures.count == 0u) {
        return identity();
    }
    var lowest = running.lowest;
    var highest = running.highest;
    lowest.key = floored_key(lowest.key);
    highest.key = ~capped_key(~highest.key);
    return Acc(lowest, highest, figures_of_tiles(running.figures));
}
