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

// What a tile has, of elements that are divided by a larger power of two.
fn tile_figures_at(tile: Tile, exponent: i32) -> TileFigures {
    var figures = tile.figures;
    if (exponent != tile.exponent) {
        let down = exponent - tile.exponent;
        figures.pivot = lowered(figures.pivot, down);
        figures.sum = opened(lowered(closed(figures.sum), down));
        figures.squares = opened(lowered(closed(figures.squares), 2 * down));
    }
    return figures;
}

fn running_with(running: Running, tile: Tile) -> Running {
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
