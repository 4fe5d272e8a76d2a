// The text has one copy of what appends four elements, and one of what appends one: for accumulators whose arithmetic
// is so long that compilers take their time with each copy.

fn fold_columns(column: u32, part_begin: u32, end: u32, me: Invocation) -> Columns {
    let first = first_of(column);
    let begin = part_begin + row_among_lanes(me);
    var total = identity();
    let step = LANES * parameters.stride;
    var at = first + begin * parameters.stride;
    var r = begin;
    for (; r + 3u * LANES < end; r += 4u * LANES) {
        let a = column_at(at);
        let b = column_at(at + step);
        let c = column_at(at + 2u * step);
        let d = column_at(at + 3u * step);
        total = append_rows(
            total, element_of(a, 0u), element_of(b, 0u), element_of(c, 0u), element_of(d, 0u), r,
        );
        at += 4u * step;
    }
    for (; r < end; r += LANES) {
        total = combine(total, lift_one(element_of(column_at(at), 0u), r));
        at += step;
    }
    return total;
}
