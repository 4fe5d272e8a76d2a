// Places of a tile among those that run from tile to tile.

// Where the tile brought nothing new, what was there before.
fn place_in(before: u32, in_tile: u32, first: u32) -> u32 {
    return select(first + in_tile, before, in_tile == NOWHERE);
}
