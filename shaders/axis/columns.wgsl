// Along an axis whose elements are apart: neighbouring invocations have neighbouring columns.
//
//   WIDTH x HEIGHT invocations have WIDTH units side by side; for each of them
//   accumulators of my unit's columns <- identity
//   for r <- my place among HEIGHT, + HEIGHT, ... while the axis, or my part of it, has an element left
//       accumulators <- with element r of each of my columns appended
//   the HEIGHT accumulators of a column become one through workgroup memory, in their own order
//
// How the code differs from that, and why:
//  1. A unit is as many columns as one load has (WIDE), or one column, where columns do not begin at multiples
//     of a load.
//  2. Four elements of a column are loaded before the first is used, and appended at once. The rest, up to
//     three, are loaded before the first is used, too (past the end the last again), and appended one by one.
//  3. Where few columns lie side by side a workgroup has several blocks of WIDTH x HEIGHT; where there are few
//     in all, several workgroups share a column's elements (SHARED), in runs.
//  4. Loads of whoever has no column are those of the last one; it goes all the way and leaves nothing, so
//     that barriers are in uniform control flow.
//  5. The columns of a unit have a variable each, and no array: compilers that do not unroll a loop over one
//     keep it in memory.

// Invocations of a workgroup, and of a block in both directions: powers of two. LANES is HEIGHT, and SPREAD
// is WIDTH, for axis/workgroup.wgsl.
override WORKGROUP_SIZE: u32 = 256u;
override LANES: u32 = 8u;
override WIDE: bool = false;
override SHARED: bool = false;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

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

// Elements [begin, end) of the columns that begin at `first`, every LANES-th.
fn fold_columns(first: u32, begin: u32, end: u32) -> Columns {
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

fn whole(total: Acc, me: Invocation) -> Acc {
    let base = vec2<u32>(parameters.axis_low, parameters.axis_high);
    return combine_team(rebase(total, base), me);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(me: Invocation, us: Workgroup) {
    let columns = columns_of_unit();
    let block = SPREAD * LANES;
    let blocks = WORKGROUP_SIZE / block;
    let x = local_of(me) % SPREAD;
    let y = local_of(me) / SPREAD % LANES;
    let items = parameters.rows * parameters.parts;
    for (var turn = 0u; turn < parameters.turns; turn++) {
        let group = turn * parameters.workgroups + number_of(us);
        let item = group * blocks + local_of(me) / block;
        let there = min(item, items - 1u);
        let part = part_of(there);
        let tile = row_of(there);
        let outer = tile / parameters.tiles;
        let unit = (tile - outer * parameters.tiles) * SPREAD + x;
        let last = parameters.units - 1u;
        let column = columns * (outer * parameters.units + min(unit, last));
        let begin = part * parameters.share;
        let end = min(parameters.length, begin + parameters.share);
        var totals = fold_columns(first_of(column), begin + y, end);
        totals.a = whole(totals.a, me);
        if (columns > 1u) {
            totals.b = whole(totals.b, me);
        }
        if (columns > 2u) {
            totals.c = whole(totals.c, me);
            totals.d = whole(totals.d, me);
        }
        if (y == 0u && unit <= last && item < items) {
            if (columns > 2u) {
                leave_four(column, part, totals.a, totals.b, totals.c, totals.d);
            } else {
                leave(column, part, totals.a);
                if (columns > 1u) {
                    leave(column + 1u, part, totals.b);
                }
            }
        }
    }
}
