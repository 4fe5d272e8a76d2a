// stats of integers of a word each. Later tiles stand later, so that what is smallest and largest so far runs on from tile to tile,
// and only where it is, within a tile, is the tile's; and sums have room for all that an invocation comes to.

struct Running {
    // The least key and the largest, and their quads' first elements.
    least: u32,
    least_at: u32,
    most: u32,
    most_at: u32,
    // The sums of keys, of the lower words of squares, and of their upper ones, of 64 bits each.
    sum: vec2<u32>,
    lower: vec2<u32>,
    upper: vec2<u32>,
    is_begun: bool,
}

// Places count from the tile's first quad, and are nowhere while the tile has brought nothing new.
alias Tile = Running;

fn begin_tiles() -> Running {
    let none = vec2<u32>();
    return Running(0xffffffffu, NOWHERE, 0u, NOWHERE, none, none, none, false);
}

// The first tile's first quad has what is smallest and largest until another has it.
fn begin_tile(running: Running) -> Tile {
    var tile = running;
    tile.least_at = select(0u, NOWHERE, running.is_begun);
    tile.most_at = tile.least_at;
    return tile;
}

fn append_to_tile(tile: Tile, quad: vec4<u32>, index: u32) -> Tile {
    let a = element(quad.x);
    let b = element(quad.y);
    let c = element(quad.z);
    let d = element(quad.w);
    let keys = vec4<u32>(order_key(a), order_key(b), order_key(c), order_key(d));
    let least = min(min(min(min(tile.least, keys.x), keys.y), keys.z), keys.w);
    let most = max(max(max(max(tile.most, keys.x), keys.y), keys.z), keys.w);
    let left = add64(vec2<u32>(keys.x, 0u), vec2<u32>(keys.y, 0u));
    let right = add64(vec2<u32>(keys.z, 0u), vec2<u32>(keys.w, 0u));
    let squares = open_signed_squares(centred(a), centred(b), centred(c), centred(d));
    return Tile(
        least,
        select(tile.least_at, index, least != tile.least),
        most,
        select(tile.most_at, index, most != tile.most),
        add64(tile.sum, add64(left, right)),
        add64(tile.lower, squares.xy),
        add64(tile.upper, squares.zw),
        true,
    );
}

fn end_tile(running: Running, tile: Tile, first: u32) -> Running {
    var ended = tile;
    ended.least_at = place_in(running.least_at, tile.least_at, first);
    ended.most_at = place_in(running.most_at, tile.most_at, first);
    return ended;
}

fn end_tiles(running: Running) -> Acc {
    if (!running.is_begun) {
        return identity();
    }
    let upper = add64(running.upper, vec2<u32>(running.lower.y, 0u));
    return Acc(
        Located(running.least, running.least_at, 0u),
        Located(~running.most, running.most_at, 0u),
        figures_of(running.sum, vec4<u32>(running.lower.x, upper, 0u)),
    );
}
