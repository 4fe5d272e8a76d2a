// stats of f32. Later tiles stand later, so that what is smallest and largest so far runs on from tile to tile, and only where it is,
// within a tile, is the tile's. They are found on bits as they lie in memory, without keys: the largest as an unsigned number is the
// smallest of those with a sign, if there are any, the largest as a signed one the largest of those without, and if there are none the
// least as an unsigned one is it. Of the largest NaN with a sign are all one number, and so are those without: which was first counts.
//
// A tile adds up the distances from the mean of all tiles before, and their squares. The first tile takes the mean of its
// first quad, or its first element where the quad's sum is at the end of the range. What squares lose by that is no more than the tile's
// distance from the mean of those before, which has more elements: so much the sum of squares of both has anyway. What the mean lost when it
// became a pivot goes on beside it; lest a compiler that may reorder additions finds that this is nothing, the pivot and the step to it are of
// bits that no addition passes through. Then tiles are combined as by Chan, Golub and LeVeque (see `parts/moments.wgsl`), with the mean so far
// as the pivot, so that the mean is as exact as distances are. Tiles and what runs on become far as figures do (`parts/far.wgsl`).

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
    count: u32,
    pivot: f32,
    rest: f32,
    squares: f32,
    is_far: bool,
}

struct Tile {
    // Places count from the tile's first quad, and are nowhere while the tile has brought nothing new.
    extremes: Extremes,
    count: u32,
    pivot: f32,
    // The sum of distances from the pivot, and that of their squares.
    sum: f32,
    squares: f32,
    is_far: bool,
    is_first: bool,
}

const MOST_NAN: u32 = 0xff800001u;
const MOST_SIGNED_NAN: i32 = 0x7f800001;

fn begin_tiles() -> Running {
    let none = Extremes(0u, NOWHERE, bitcast<i32>(0x80000000u), NOWHERE, 0xffffffffu, NOWHERE);
    return Running(none, 0u, 0.0, 0.0, 0.0, false);
}

// Returns the number, but the compiler does not know that: an invocation comes to fewer than 2^31 elements.
fn hidden(number: f32, count: u32) -> f32 {
    return bitcast<f32>(bitcast<u32>(number) ^ (count >> 31u));
}

// The first tile's first quad has what is smallest and largest until another has it.
fn begin_tile(running: Running) -> Tile {
    let is_first = running.count == 0u;
    let nowhere = select(NOWHERE, 0u, is_first);
    var extremes = running.extremes;
    extremes.most_at = nowhere;
    extremes.most_signed_at = nowhere;
    extremes.least_at = nowhere;
    let centre = select(
        running.pivot + running.rest, from_far(running.pivot, running.rest), running.is_far,
    );
    return Tile(extremes, 0u, hidden(pivot_of(centre), running.count), 0.0, 0.0, false, is_first);
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
    let values = bitcast<vec4<f32>>(quad);
    let centre = sum_of_four(values) * 0.25;
    let first = select(pivot_of(values.x), centre, is_within(centre));
    let pivot = select(tile.pivot, first, tile.is_first && tile.count == 0u);
    let extremes = append_extremes(tile.extremes, quad, index);
    let near = added_up(tile, extremes, pivot, values - pivot);
    if (!tile.is_far && is_within(near.squares)) {
        return near;
    }
    return added_up(made_far_tile(tile), extremes, pivot, far_distances(values, pivot));
}

fn added_up(tile: Tile, extremes: Extremes, pivot: f32, apart: vec4<f32>) -> Tile {
    let squares = fma(apart.y, apart.y, fma(apart.x, apart.x, tile.squares));
    return Tile(
        extremes,
        tile.count + 4u,
        pivot,
        tile.sum + sum_of_four(apart),
        fma(apart.w, apart.w, fma(apart.z, apart.z, squares)),
        tile.is_far,
        tile.is_first,
    );
}

fn made_far_tile(tile: Tile) -> Tile {
    if (tile.is_far) {
        return tile;
    }
    var far = tile;
    far.sum = lowered(tile.sum, FAR_EXPONENT);
    far.squares = lowered(tile.squares, 2 * FAR_EXPONENT);
    far.is_far = true;
    return far;
}

fn made_far_running(running: Running) -> Running {
    if (running.is_far) {
        return running;
    }
    var far = running;
    far.rest = lowered(running.rest, FAR_EXPONENT);
    far.squares = lowered(running.squares, 2 * FAR_EXPONENT);
    far.is_far = true;
    return far;
}

fn end_tile(running: Running, tile: Tile, first: u32) -> Running {
    var extremes = tile.extremes;
    extremes.most_at = place_in(running.extremes.most_at, extremes.most_at, first);
    extremes.most_signed_at = place_in(running.extremes.most_signed_at, extremes.most_signed_at, first);
    extremes.least_at = place_in(running.extremes.least_at, extremes.least_at, first);
    let apart = tile.pivot - running.pivot;
    let near = with_tile(running, tile, extremes, hidden(apart, running.count));
    if (!running.is_far && !tile.is_far && is_within(near.squares)) {
        return near;
    }
    let far = far_apart(running.pivot, tile.pivot);
    return with_tile(made_far_running(running), made_far_tile(tile), extremes, far);
}

fn with_tile(running: Running, tile: Tile, extremes: Extremes, pivots_apart: f32) -> Running {
    let size = f32(tile.count);
    let count = running.count + tile.count;
    let of_tile = tile.sum / size;
    // The mean so far is the pivot but for what that rounded off.
    let before = select(running.rest - pivots_apart, 0.0, running.count == 0u);
    let apart = of_tile - before;
    let share = size / f32(count);
    let within = deviations_of(tile.squares, tile.sum * of_tile);
    let between = (apart * (f32(running.count) * share)) * apart;
    return Running(
        extremes,
        count,
        tile.pivot,
        before + apart * share,
        (running.squares + within) + between,
        running.is_far,
    );
}

fn end_tiles(running: Running) -> Acc {
    if (running.count == 0u) {
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
    let high = select(0u, FAR_BIT, running.is_far);
    let figures = Figures(running.count, high, running.pivot, running.rest, running.squares);
    return Acc(lowest, highest, figures);
}
