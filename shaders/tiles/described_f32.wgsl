// stats of f32. Later tiles stand later, so that what is smallest and largest so far runs on from tile to tile, and only where it is,
// within a tile, is the tile's. They are found on bits as they lie in memory, without keys: the largest as an unsigned number is the
// smallest of those with a sign, if there are any, the largest as a signed one the largest of those without, and if there are none the
// least as an unsigned one is it. Of the largest NaN with a sign are all one number, and so are those without: which was first counts.

struct Extremes {
    // The largest of all bits, of those with a sign, and the least, and their quads' first elements.
    most: u32,
    most_at: u32,
    most_signed: i32,
    most_signed_at: u32,
    least: u32,
    least_at: u32,
}

struct Running {
    extremes: Extremes,
    figures: RunningFigures,
}

struct Tile {
    // Places count from the tile's first quad, and are nowhere while the tile has brought nothing new.
    extremes: Extremes,
    figures: TileFigures,
}

const MOST_NAN: u32 = 0xff800001u;
const MOST_SIGNED_NAN: i32 = 0x7f800001;

fn begin_tiles() -> Running {
    let none = Extremes(0u, NOWHERE, bitcast<i32>(0x80000000u), NOWHERE, 0xffffffffu, NOWHERE);
    return Running(none, begin_figures());
}

// The first tile's first quad has what is smallest and largest until another has it.
fn begin_tile(running: Running) -> Tile {
    let nowhere = select(NOWHERE, 0u, running.figures.count == 0u);
    var extremes = running.extremes;
    extremes.most_at = nowhere;
    extremes.most_signed_at = nowhere;
    extremes.least_at = nowhere;
    return Tile(extremes, begin_tile_figures(running.figures));
}

// What the smallest and the largest are, in the end: with a sign among all `most`, else `least`; without one among all
// `most_signed`, else `least`.
fn append_extremes(old: Extremes, quad: vec4<u32>, index: u32) -> Extremes {
    let bits = bitcast<vec4<i32>>(quad);
    let most = min(max(max(max(max(old.most, quad.x), quad.y), quad.z), quad.w), MOST_NAN);
    let highest = max(max(max(max(old.most_signed, bits.x), bits.y), bits.z), bits.w);
    let most_signed = min(highest, MOST_SIGNED_NAN);
    let least = min(min(min(min(old.least, quad.x), quad.y), quad.z), quad.w);
    return Extremes(
        most,
        select(old.most_at, index, most != old.most),
        most_signed,
        select(old.most_signed_at, index, most_signed != old.most_signed),
        least,
        select(old.least_at, index, least != old.least),
    );
}

fn append_to_tile(tile: Tile, quad: vec4<u32>, index: u32) -> Tile {
    return Tile(append_extremes(tile.extremes, quad, index), append_figures(tile.figures, quad));
}

fn end_tile(running: Running, tile: Tile, first: u32) -> Running {
    var extremes = tile.extremes;
    extremes.most_at = place_in(running.extremes.most_at, extremes.most_at, first);
    extremes.most_signed_at = place_in(running.extremes.most_signed_at, extremes.most_signed_at, first);
    extremes.least_at = place_in(running.extremes.least_at, extremes.least_at, first);
    return Running(extremes, end_figures(running.figures, tile.figures));
}

fn end_tiles(running: Running) -> Acc {
    if (running.figures.count == 0u) {
        return identity();
    }
    let found = running.extremes;
    let has_signs = found.most >= 0x80000000u;
    let has_others = found.most_signed >= 0;
    let lowest = Located(
        order_key(bitcast<f32>(select(found.least, found.most, has_signs))),
        select(found.least_at, found.most_at, has_signs),
        0u,
    );
    let highest = Located(
        ~order_key(bitcast<f32>(select(found.least, bitcast<u32>(found.most_signed), has_others))),
        select(found.least_at, found.most_signed_at, has_others),
        0u,
    );
    return Acc(lowest, highest, figures_of_tiles(running.figures));
}
