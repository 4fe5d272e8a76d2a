// Each operation has its own way through a tile, and from tile to tile.

struct Running {
    first: of_first_Running,
    second: of_second_Running,
}

struct Tile {
    first: of_first_Tile,
    second: of_second_Tile,
}

fn begin_tiles() -> Running {
    return Running(of_first_begin_tiles(), of_second_begin_tiles());
}

fn begin_tile(running: Running) -> Tile {
    return Tile(of_first_begin_tile(running.first), of_second_begin_tile(running.second));
}

fn append_to_tile(tile: Tile, quad: vec4<u32>, index: u32) -> Tile {
    return Tile(
        of_first_append_to_tile(tile.first, quad, index),
        of_second_append_to_tile(tile.second, quad, index),
    );
}

fn end_tile(running: Running, tile: Tile, first: u32) -> Running {
    return Running(
        of_first_end_tile(running.first, tile.first, first),
        of_second_end_tile(running.second, tile.second, first),
    );
}

fn end_tiles(running: Running) -> Acc {
    return Acc(of_first_end_tiles(running.first), of_second_end_tiles(running.second));
}
