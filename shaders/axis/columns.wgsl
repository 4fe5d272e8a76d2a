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
//     three, are appended one by one.
//  3. Where few columns lie side by side a workgroup has several blocks of WIDTH x HEIGHT; where there are few
//     in all, several workgroups share a column's elements (SHARED), in runs.
//  4. Loads of whoever has no column are those of the last one; it goes all the way and leaves nothing, so
//     that barriers are in uniform control flow.

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

// Elements [begin, end) of the columns that begin at `first`, every LANES-th.
fn fold_columns(first: u32, begin: u32, end: u32) -> array<Acc, 4> {
    var totals: array<Acc, 4>;
    for (var c = 0u; c < 4u; c++) {
        totals[c] = identity();
    }
    let columns = select(1u, COLUMNS, WIDE);
    let step = LANES * parameters.stride;
    var at = first + begin * parameters.stride;
    var r = begin;
    while (r + 3u * LANES < end) {
        let a = unit_at(at);
        let b = unit_at(at + step);
        let c = unit_at(at + 2u * step);
        let d = unit_at(at + 3u * step);
        for (var k = 0u; k < columns; k++) {
            totals[k] = append_rows(
                totals[k], element_of(a, k), element_of(b, k), element_of(c, k), element_of(d, k), r,
            );
        }
        at += 4u * step;
        r += 4u * LANES;
    }
    while (r < end) {
        let a = unit_at(at);
        for (var k = 0u; k < columns; k++) {
            totals[k] = combine(totals[k], lift_one(element_of(a, k), r));
        }
        at += step;
        r += LANES;
    }
    return totals;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(me: Invocation, us: Workgroup) {
    let columns = select(1u, COLUMNS, WIDE);
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
        let base = vec2<u32>(parameters.axis_low, parameters.axis_high);
        for (var k = 0u; k < columns; k++) {
            let total = combine_team(rebase(totals[k], base), me);
            if (y == 0u && unit <= last && item < items) {
                leave(column + k, part, total);
            }
        }
    }
}
