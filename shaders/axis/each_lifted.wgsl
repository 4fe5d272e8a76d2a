// What is lifted goes to the accumulator one by one, and the text has one copy of that: for accumulators whose arithmetic is so
// long that compilers take their time with each copy.

fn fold_columns(column: u32, part_begin: u32, end: u32, me: Invocation) -> Columns {
    let step = LANES * parameters.stride;
    var total = identity();
    var r = part_begin + row_among_lanes(me);
    var at = first_of(column) + r * parameters.stride;
    for (; r < end; r += LANES) {
        total = combine(total, lift_at(at, r));
        at += step;
    }
    return total;
}
