// Along an axis whose elements are apart: neighbouring invocations have neighbouring columns.
//
//   WIDTH x HEIGHT invocations have WIDTH units side by side; for each of them
//   accumulators of my unit's columns <- identity
//   for r <- my place among HEIGHT, + HEIGHT, ... while the axis, or my part of it, has an element left
//       accumulators <- with element r of each of my columns appended
//   the HEIGHT accumulators of a column become one through workgroup memory, in their own order
//
// How the code differs from that, and why:
//  1. A unit is what columns_of_load.wgsl or lone_column.wgsl make of it: as many columns as one load has, or one.
//     in_order.wgsl has elements that follow each other for each of HEIGHT instead of every HEIGHT-th.
//  2. Where few columns lie side by side a workgroup has several blocks of WIDTH x HEIGHT; where there are few
//     in all, several workgroups share a column's elements (SHARED), in runs.
//  3. Loads of whoever has no column are those of the last one; it goes all the way and leaves nothing, so
//     that barriers are in uniform control flow.

// Invocations of a workgroup, and of a block in both directions: powers of two. LANES is HEIGHT, and SPREAD
// is WIDTH, for axis/workgroup.wgsl.
override WORKGROUP_SIZE: u32 = 256u;
override LANES: u32 = 8u;
override SHARED: bool = false;

fn whole(total: Acc, me: Invocation) -> Acc {
    let base = vec2<u32>(parameters.axis_low, parameters.axis_high);
    return combine_team(rebase(total, base), me);
}

// My place among HEIGHT.
fn row_among_lanes(me: Invocation) -> u32 {
    return local_of(me) / SPREAD % LANES;
}

fn reduce_workgroup(workgroup: u32, me: Invocation) {
    let columns = columns_of_unit();
    let block = SPREAD * LANES;
    let blocks = WORKGROUP_SIZE / block;
    let x = local_of(me) % SPREAD;
    let y = row_among_lanes(me);
    let items = parameters.rows * parameters.parts;
    for (var turn = 0u; turn < parameters.turns; turn++) {
        let group = turn * parameters.workgroups + workgroup;
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
        let totals = whole_columns(fold_columns(column, begin, end, me), me);
        if (y == 0u && unit <= last && item < items) {
            leave_columns(column, part, totals);
        }
    }
}
