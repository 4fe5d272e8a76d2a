// An accumulator runs from tile to tile, and each tile is one, folded apart.

alias Running = Acc;

alias Tile = Acc;

fn begin_tiles() -> Running {
    return identity();
}

fn begin_tile(_running: Running) -> Tile {
    return open_tile();
}

fn append_to_tile(tile: Tile, quad: vec4<u32>, index: u32) -> Tile {
    return append_quad(tile, quad, index);
}

fn end_tile(running: Running, tile: Tile, first: u32) -> Running {
    return combine(running, place_tile(tile, first));
}

fn end_tiles(running: Running) -> Acc {
    return running;
}
