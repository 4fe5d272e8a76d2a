// Along an axis whose elements follow each other: a team of neighbouring invocations folds a row.
//
//   accumulator <- identity
//   for each quad of the row, or of my team's share of it, that is mine: append it, as tiles.wgsl or appended.wgsl say
//   what was put off until the last quad is done
//   my team adds the elements before and after the row's quads
//   indices behind the binding become indices in the row
//
// How the code differs from that, and why:
//  1. A team is LANES invocations, from one to a whole workgroup. Neighbouring lanes load neighbouring units, so what
//     a team has in flight lies side by side, and teams side by side have rows that are.
//  2. Units are quads, or single elements (QUADS is false) where rows are so short, and begin so, that there
//     may be no whole quad in one. ALIGNED rows are whole quads: they have no ends.
//  3. Where rows are few, several teams share one (SHARED): each has a run of units, the first the ends.

// Invocations of a workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;
// Invocations of a team: a power of two, no more than a workgroup has.
override LANES: u32 = 32u;
override QUADS: bool = true;
override ALIGNED: bool = false;
override SHARED: bool = false;

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
