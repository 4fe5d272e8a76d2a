// What is lifted goes to the accumulator in fours, so that all loads of four are under way before the first is used.

fn fold_columns(column: u32, part_begin: u32, end: u32, me: Invocation) -> Columns {
    let step = LANES * parameters.stride;
    var total = identity();
    var r = part_begin + row_among_lanes(me);
    var at = first_of(column) + r * parameters.stride;
    for (; r + 3u * LANES < end; r += 4u * LANES) {
        let a = lift_at(at, r);
        let b = lift_at(at + step, r + LANES);
        let c = lift_at(at + 2u * step, r + 2u * LANES);
        let d = lift_at(at + 3u * step, r + 3u * LANES);
        total = combine(total, combine(combine(a, b), combine(c, d)));
        at += 4u * step;
    }
    for (; r < end; r += LANES) {
        total = combine(total, lift_at(at, r));
        at += step;
    }
    return total;
}
