// Along an axis whose elements follow each other: a team of neighbouring invocations folds a row.
//
//   accumulator <- identity
//   for each tile of the row, or of my team's share of it
//       of_tile <- my quads of the tile, one appended after another
//       accumulator <- combine(accumulator, of_tile)
//   what was put off until the last quad is done
//   my team adds the elements before and after the row's quads
//   indices behind the binding become indices in the row
//
// How the code differs from that, and why:
//  1. A team is LANES invocations, from one to a whole workgroup, and a tile is LOADS runs of LANES units.
//     Neighbouring lanes load neighbouring units, so what a team has in flight lies side by side, and
//     teams side by side have rows that are.
//  2. Loads are under no condition (past the end the last unit is loaded again), so that all of a tile are
//     under way before the first is used. A row that is one tile at most (SINGLE) has no loop: the loads of
//     several rows can be under way together.
//  3. Units are quads, or single elements (QUADS is false) where rows are so short, and begin so, that there
//     may be no whole quad in one. ALIGNED rows are whole quads: they have no ends.
//  4. Where rows are few, several teams share one (SHARED): each has a run of units, the first the ends.

// Invocations of a workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;
// Invocations of a team: a power of two, no more than a workgroup has.
override LANES: u32 = 32u;
// Units that an invocation loads before it uses the first of them.
override LOADS: u32 = 4u;
override SINGLE: bool = false;
override QUADS: bool = true;
override ALIGNED: bool = false;
override SHARED: bool = false;
// Whether every team's share consists of whole tiles, so that no unit need be compared with the end.
override WHOLE: bool = false;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

// Of the units [.., end) those of one tile, the first of which is mine at `at`.
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

fn gather(item: u32, lane: u32) -> Acc {
    let row = row_of(item);
    let part = part_of(item);
    let first = first_of(row);
    let end = first + parameters.length;
    var begin_unit = first;
    var end_unit = end;
    if (QUADS) {
        begin_unit = (first + ELEMENTS_PER_QUAD - 1u) / ELEMENTS_PER_QUAD;
        end_unit = end / ELEMENTS_PER_QUAD;
    }
    let begin = begin_unit + part * parameters.share;
    let share_end = select(end_unit, min(end_unit, begin + parameters.share), SHARED);
    var total = fold_units(begin, share_end, lane);
    if (QUADS) {
        total = settle(total);
    }
    if (QUADS && !ALIGNED && part == 0u) {
        let heads = begin_unit * ELEMENTS_PER_QUAD - first;
        let tail = end_unit * ELEMENTS_PER_QUAD;
        for (var k = lane; k < heads + (end - tail); k += LANES) {
            let at = select(tail + k - heads, first + k, k < heads);
            total = combine(total, lift_one(element_at(0u, at), at));
        }
    }
    return rebase(total, axis_base(first));
}
