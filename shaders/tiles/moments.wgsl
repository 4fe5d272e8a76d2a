// Count, mean and sum of squared deviations.

alias Running = RunningFigures;

alias Tile = TileFigures;

fn begin_tiles() -> Running {
    return begin_figures();
}

fn begin_tile(running: Running) -> Tile {
    return begin_tile_figures(running);
}

fn append_to_tile(tile: Tile, quad: vec4<u32>, _index: u32) -> Tile {
    return append_figures(tile, quad);
}

fn end_tile(running: Running, tile: Tile, _first: u32) -> Running {
    return end_figures(running, tile);
}

fn end_tiles(running: Running) -> Acc {
    return figures_of_tiles(running);
}
