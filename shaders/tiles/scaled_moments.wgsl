// Count, mean and sum of squared deviations of elements that are divided by a power of two. What runs on is divided again where a larger
// one comes.

struct Running {
    exponent: i32,
    figures: RunningFigures,
}

struct Tile {
    exponent: i32,
    figures: TileFigures,
}

fn begin_tiles() -> Running {
    return Running(0, begin_figures());
}

fn begin_tile(running: Running) -> Tile {
    return Tile(running.exponent, begin_tile_figures(running.figures));
}

fn append_to_tile(tile: Tile, quad: vec4<u32>, _index: u32) -> Tile {
    let a = element(quad.xy);
    let b = element(quad.zw);
    let exponent = max(exponent_of(bits_max(magnitude(a), magnitude(b))), tile.exponent);
    var figures = tile.figures;
    if (exponent != tile.exponent) {
        let down = exponent - tile.exponent;
        figures.pivot = lowered(figures.pivot, down);
        figures.sum = opened(lowered(closed(figures.sum), down));
        figures.squares = opened(lowered(closed(figures.squares), 2 * down));
    }
    let near = vec4<u32>(divided(a, exponent), divided(b, exponent));
    return Tile(exponent, append_figures(figures, near));
}

fn end_tile(running: Running, tile: Tile, _first: u32) -> Running {
    var figures = running.figures;
    if (tile.exponent != running.exponent) {
        let down = tile.exponent - running.exponent;
        figures.pivot = lowered(figures.pivot, down);
        figures.rest = opened(lowered(closed(figures.rest), down));
        figures.squares = opened(lowered(closed(figures.squares), 2 * down));
    }
    return Running(tile.exponent, end_figures(figures, tile.figures));
}

fn end_tiles(running: Running) -> Acc {
    return Acc(running.exponent, figures_of_tiles(running.figures));
}
