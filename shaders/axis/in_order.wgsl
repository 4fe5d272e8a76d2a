// Elements of a row or column folded in their order, for operations that need not be commutative.
//
//   for each tile of LANES runs of RUN neighbouring elements
//       of_run <- the elements of my run, one after another
//       for step <- 1, 2, 4, ... LANES / 2
//           every other of the lanes that are left <- itself and its neighbour, combined
//       lane 0: total <- total and that, combined
//
// The lanes of a row are SPREAD invocations apart. A run is as long as what a cache loads at once has room for, so
// that lanes of a row whose elements are neighbours use all of it.

const RUN: u32 = 16u;

alias Columns = Acc;

fn columns_of_unit() -> u32 {
    return 1u;
}

// One value of my row's lanes, in their order. Lane 0 gets it; there may be another call behind it.
fn combine_in_order(value: Acc, lane: u32, me: Invocation) -> Acc {
    if (LANES == 1u) {
        return value;
    }
    let place = local_of(me);
    workgroupBarrier();
    slots[place] = value;
    for (var step = 1u; step < LANES; step *= 2u) {
        workgroupBarrier();
        if (lane % (2u * step) == 0u) {
            slots[place] = combine(slots[place], slots[place + step * SPREAD]);
        }
    }
    return slots[place];
}

fn fold_columns(column: u32, part_begin: u32, end: u32, me: Invocation) -> Columns {
    let first = first_item(column);
    let lane = row_among_lanes(me);
    var total = identity();
    for (var tile = 0u; tile < parameters.share; tile += LANES * RUN) {
        let begin = part_begin + tile + lane * RUN;
        var of_run = identity();
        for (var r = begin; r < min(begin + RUN, end); r++) {
            of_run = combine(of_run, item_at(first + r * parameters.stride, r));
        }
        let of_tile = combine_in_order(of_run, lane, me);
        if (lane == 0u) {
            total = combine(total, of_tile);
        }
    }
    return total;
}

fn whole_columns(of_mine: Columns, _me: Invocation) -> Columns {
    return of_mine;
}

fn leave_columns(column: u32, part: u32, total: Columns) {
    leave(column, part, total);
}
