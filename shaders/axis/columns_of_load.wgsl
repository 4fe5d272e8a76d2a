// The columns of a unit are those of a load (WIDE), or one, where columns do not begin at multiples of a load.
//
//  1. Four elements of a column are loaded before the first is used, and appended at once. The rest, up to
//     three, are loaded before the first is used, too (past the end the last again), and appended one by one.
//  2. The columns have a variable each, and no array: compilers that do not unroll a loop over one keep it in
//     memory.

override WIDE: bool = false;

// What is loaded at once of a unit.
fn unit_at(index: u32) -> vec4<u32> {
    if (WIDE) {
        return columns_at(index);
    }
    return column_at(index);
}

// Accumulators of a unit's columns.
struct Columns {
    a: Acc,
    b: Acc,
    c: Acc,
    d: Acc,
}

fn columns_of_unit() -> u32 {
    return select(1u, COLUMNS, WIDE);
}

// Four rows of one column, by its place in the unit.
fn with_rows(
    total: Acc, k: u32, a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>, index: u32,
) -> Acc {
    return append_rows(
        total, element_of(a, k), element_of(b, k), element_of(c, k), element_of(d, k), index,
    );
}

fn with_one(total: Acc, k: u32, unit: vec4<u32>, index: u32) -> Acc {
    return combine(total, lift_one(element_of(unit, k), index));
}

fn with_row(totals: Columns, unit: vec4<u32>, index: u32) -> Columns {
    var next = totals;
    next.a = with_one(next.a, 0u, unit, index);
    if (columns_of_unit() > 1u) {
        next.b = with_one(next.b, 1u, unit, index);
    }
    if (columns_of_unit() > 2u) {
        next.c = with_one(next.c, 2u, unit, index);
        next.d = with_one(next.d, 3u, unit, index);
    }
    return next;
}

// Elements [part_begin, end) of the unit's columns, every LANES-th, of which mine is one.
fn fold_columns(column: u32, part_begin: u32, end: u32, me: Invocation) -> Columns {
    let first = first_of(column);
    let begin = part_begin + row_among_lanes(me);
    var totals = Columns(identity(), identity(), identity(), identity());
    let step = LANES * parameters.stride;
    var at = first + begin * parameters.stride;
    var r = begin;
    while (r + 3u * LANES < end) {
        let a = unit_at(at);
        let b = unit_at(at + step);
        let c = unit_at(at + 2u * step);
        let d = unit_at(at + 3u * step);
        totals.a = with_rows(totals.a, 0u, a, b, c, d, r);
        if (columns_of_unit() > 1u) {
            totals.b = with_rows(totals.b, 1u, a, b, c, d, r);
        }
        if (columns_of_unit() > 2u) {
            totals.c = with_rows(totals.c, 2u, a, b, c, d, r);
            totals.d = with_rows(totals.d, 3u, a, b, c, d, r);
        }
        at += 4u * step;
        r += 4u * LANES;
    }
    if (r < end) {
        let last = first + (end - 1u) * parameters.stride;
        let a = unit_at(at);
        let b = unit_at(select(last, at + step, r + LANES < end));
        let c = unit_at(select(last, at + 2u * step, r + 2u * LANES < end));
        totals = with_row(totals, a, r);
        if (r + LANES < end) {
            totals = with_row(totals, b, r + LANES);
        }
        if (r + 2u * LANES < end) {
            totals = with_row(totals, c, r + 2u * LANES);
        }
    }
    return totals;
}

fn whole_columns(of_mine: Columns, me: Invocation) -> Columns {
    var totals = of_mine;
    totals.a = whole(totals.a, me);
    if (columns_of_unit() > 1u) {
        totals.b = whole(totals.b, me);
    }
    if (columns_of_unit() > 2u) {
        totals.c = whole(totals.c, me);
        totals.d = whole(totals.d, me);
    }
    return totals;
}

fn leave_columns(column: u32, part: u32, totals: Columns) {
    if (columns_of_unit() > 2u) {
        leave_four(column, part, totals.a, totals.b, totals.c, totals.d);
    } else {
        leave(column, part, totals.a);
        if (columns_of_unit() > 1u) {
            leave(column + 1u, part, totals.b);
        }
    }
}
