// A unit is one column, and the text has one copy of what appends four elements, and one of what appends one:
// for accumulators whose arithmetic is so long that compilers take their time with each copy. Neighbouring
// invocations have neighbouring columns, so their loads lie side by side as well.

alias Columns = Acc;

fn columns_of_unit() -> u32 {
    return 1u;
}

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

fn whole_columns(of_mine: Columns, me: Invocation) -> Columns {
    return whole(of_mine, me);
}

fn leave_columns(column: u32, part: u32, total: Columns) {
    leave(column, part, total);
}
