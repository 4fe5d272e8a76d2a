// Figures of elements, tile by tile. A tile adds up the distances from the mean of all tiles before, and their squares. The first tile takes
// the mean of its first quad, or its first element where the quad's sum is at the end of the range. What squares lose by that is no more than
// the tile's distance from the mean of those before, which has more elements: so much the sum of squares of both has anyway. What the mean
// lost when it became a pivot goes on beside it; lest a compiler that may reorder additions finds that this is nothing, the pivot and the step
// to it are of bits that no addition passes through. Then tiles are combined as by Chan, Golub and LeVeque (see `parts/moments.wgsl`), with
// the mean so far as the pivot, so that the mean is as exact as distances are. Tiles and what runs on become far as figures do
// (`parts/far.wgsl`).

struct RunningFigures {
    count: u32,
    pivot: Kept,
    rest: Real,
    squares: Real,
    is_far: bool,
}

struct TileFigures {
    count: u32,
    pivot: Kept,
    // The sum of distances from the pivot, and that of their squares.
    sum: Real,
    squares: Real,
    is_far: bool,
    is_first: bool,
}

fn begin_figures() -> RunningFigures {
    let zero = real(0.0);
    return RunningFigures(0u, closed(zero), zero, zero, false);
}

fn begin_tile_figures(running: RunningFigures) -> TileFigures {
    let pivot = opened(running.pivot);
    let centre = select(plus(pivot, running.rest), from_far(pivot, running.rest), running.is_far);
    let hidden_centre = closed(hidden(centre, running.count));
    let zero = real(0.0);
    return TileFigures(0u, pivot_of(hidden_centre), zero, zero, false, running.count == 0u);
}

fn append_figures(tile: TileFigures, quad: vec4<u32>) -> TileFigures {
    let numbers = numbers_of(quad);
    let centre = closed(centre_of(numbers));
    let first = select(pivot_of(kept_of_first(quad)), centre, is_within(centre));
    let pivot = select(tile.pivot, first, tile.is_first && tile.count == 0u);
    let near = added_up(tile, pivot, apart_from(numbers, opened(pivot)));
    if (!HAS_FAR || (!tile.is_far && is_within(closed(near.squares)))) {
        return near;
    }
    return added_up(made_far_tile(tile), pivot, far_from(numbers, opened(pivot)));
}

fn added_up(tile: TileFigures, pivot: Kept, apart: Numbers) -> TileFigures {
    return TileFigures(
        tile.count + ELEMENTS_PER_QUAD,
        pivot,
        plus(tile.sum, sum_of(apart)),
        with_squares_of(tile.squares, apart),
        tile.is_far,
        tile.is_first,
    );
}

fn made_far_tile(tile: TileFigures) -> TileFigures {
    if (tile.is_far) {
        return tile;
    }
    var far = tile;
    far.sum = made_far(tile.sum);
    far.squares = made_far_square(tile.squares);
    far.is_far = true;
    return far;
}

fn made_far_running(running: RunningFigures) -> RunningFigures {
    if (running.is_far) {
        return running;
    }
    var far = running;
    far.rest = made_far(running.rest);
    far.squares = made_far_square(running.squares);
    far.is_far = true;
    return far;
}

fn made_far_square(value: Real) -> Real {
    return opened(lowered(closed(value), 2 * FAR_EXPONENT));
}

fn end_figures(running: RunningFigures, tile: TileFigures) -> RunningFigures {
    let apart = minus(opened(tile.pivot), opened(running.pivot));
    let near = with_tile(running, tile, hidden(apart, running.count));
    if (!HAS_FAR || (!running.is_far && !tile.is_far && is_within(closed(near.squares)))) {
        return near;
    }
    let far = far_apart(running.pivot, tile.pivot);
    return with_tile(made_far_running(running), made_far_tile(tile), far);
}

fn with_tile(running: RunningFigures, tile: TileFigures, pivots_apart: Real) -> RunningFigures {
    let size = real_of_word(tile.count);
    let count = running.count + tile.count;
    let of_tile = over(tile.sum, size);
    // The mean so far is the pivot but for what that rounded off.
    let before = select(minus(running.rest, pivots_apart), real(0.0), running.count == 0u);
    let apart = minus(of_tile, before);
    let share = over(size, real_of_word(count));
    let within = deviations_of(tile.squares, times(tile.sum, of_tile));
    let between = times(times(apart, times(real_of_word(running.count), share)), apart);
    return RunningFigures(
        count,
        tile.pivot,
        plus(before, times(apart, share)),
        plus(plus(running.squares, within), between),
        running.is_far,
    );
}

fn figures_of_tiles(running: RunningFigures) -> Figures {
    let is_far = running.is_far || overflows(running.squares);
    return Figures(
        running.count,
        select(0u, FAR_BIT, is_far),
        running.pivot,
        closed(brought_far(running.rest, is_far, FAR_EXPONENT)),
        closed(brought_far(running.squares, is_far, 2 * FAR_EXPONENT)),
    );
}
