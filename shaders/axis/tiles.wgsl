// Units of a row by tiles, each with an accumulator of its own: roundings are few, and what an operation has for a
// tile alone serves.
//
//   for each tile of the share, LOADS runs of LANES units
//       of_tile <- my units of the tile, one appended after another
//       accumulator <- combine(accumulator, of_tile)
//
// Loads are under no condition (past the end the last unit is loaded again), so that all of a tile are under way
// before the first is used. A row that is one tile at most (SINGLE) has no loop: the loads of several rows can be
// under way together.

// Units that an invocation loads before it uses the first of them.
override LOADS: u32 = 4u;
override SINGLE: bool = false;
// Whether every team's share consists of whole tiles, so that no unit need be compared with the end.
override WHOLE: bool = false;

// Appends one tile's units of the units [.., end); the first of them is mine at `at`.
fn append_tile(at: u32, end: u32) -> Acc {
    var of_tile = identity();
    for (var k = 0u; k < LOADS; k++) {
        let unit = at + k * LANES;
        let there = min(unit, end - 1u);
        if (WHOLE) {
            of_tile = append_quad(of_tile, quads[unit], ELEMENTS_PER_QUAD * unit);
        } else if (QUADS) {
            let quad = quads[there];
            if (unit < end) {
                of_tile = append_quad(of_tile, quad, ELEMENTS_PER_QUAD * unit);
            }
        } else {
            let value = element_at(0u, there);
            if (unit < end) {
                of_tile = combine(of_tile, lift_one(value, unit));
            }
        }
    }
    return of_tile;
}

// The units [begin, end).
fn fold_units(begin: u32, end: u32, lane: u32) -> Acc {
    if (SINGLE) {
        return append_tile(begin + lane, end);
    }
    var total = identity();
    for (var at = begin + lane; at < end; at += LOADS * LANES) {
        total = combine(total, append_tile(at, end));
    }
    return total;
}
