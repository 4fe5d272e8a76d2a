// How a workgroup's invocations become one value, where the device has subgroup operations.
//
//   every subgroup: a shuffle tree in registers; its first lane stores the subgroup's total
//   barrier
//   every subgroup: the totals, a run of them per lane, then the same shuffle tree
//   the first lane of the first subgroup has the total
//
// How the code differs from the CUDA original (a warp shuffle tree, then the first warp), and why:
//  1. The size of a subgroup is no constant: 4 to 128, it may vary between dispatches, and the last
//     subgroup of a workgroup may be partly filled. The lanes that take part are counted, and a
//     lane takes its neighbour's value only if that neighbour is one of them.
//  2. Nothing relates a lane to `local_invocation_index`, so only `subgroup_id` and
//     `subgroup_invocation_id` say who stores what, and there is a slot for as many subgroups as
//     there are invocations.
//  3. There may be more subgroups than lanes in one (64 subgroups of 4), so a lane takes a run of
//     totals. Runs, not strides: values are always combined in the order of their subgroups.
//  4. All subgroups do the last step, not only the first: WGSL wants subgroup operations in uniform
//     control flow, and the others would only wait.
//  5. Where all subgroups are known to be full no lane asks whether its neighbour takes part. The upper ones
//     then combine what is of no use, and none of it reaches lane 0.

// The smallest and the largest subgroup the device forms; powers of two.
override MIN_SUBGROUP_SIZE: u32 = 1u;
override MAX_SUBGROUP_SIZE: u32 = 128u;

var<workgroup> subgroup_totals: array<Acc, WORKGROUP_SIZE>;

// Whether it is known beforehand that all lanes of all subgroups take part. Code gets shorter by that, and short
// code is what small reductions are fast by: every instruction must be fetched first.
fn are_full() -> bool {
    return MIN_SUBGROUP_SIZE == MAX_SUBGROUP_SIZE && WORKGROUP_SIZE >= MAX_SUBGROUP_SIZE;
}

// Lanes that take part.
fn count_lanes() -> u32 {
    if (are_full()) {
        return MAX_SUBGROUP_SIZE;
    }
    return subgroupAdd(1u);
}

// The part of a workgroup's subgroup totals that falls to a lane: one, if there cannot be more than a
// subgroup has lanes.
fn gather_totals(me: Invocation, lanes: u32) -> Acc {
    var of_run = identity();
    if (WORKGROUP_SIZE <= MIN_SUBGROUP_SIZE * MIN_SUBGROUP_SIZE) {
        if (me.lane < me.subgroups) {
            of_run = subgroup_totals[me.lane];
        }
        return of_run;
    }
    let run = (me.subgroups + lanes - 1u) / lanes;
    let end = min(me.subgroups, (me.lane + 1u) * run);
    for (var i = me.lane * run; i < end; i++) {
        of_run = combine(of_run, subgroup_totals[i]);
    }
    return of_run;
}

// Combines `value` over the lanes in order; lane 0 holds the result. Lanes from `end` on, a power of two, have
// nothing but the identity.
fn subgroup_combine(value: Acc, lane: u32, lanes: u32, end: u32) -> Acc {
    var total = value;
    for (var distance = 1u; distance < min(end, MAX_SUBGROUP_SIZE); distance *= 2u) {
        let neighbour = shuffle_down(total, distance);
        if (are_full() || lane + distance < lanes) {
            total = combine(total, neighbour);
        }
    }
    return total;
}

fn leads(me: Invocation) -> bool {
    return me.subgroup == 0u && me.lane == 0u;
}

// Combines the values of a workgroup's invocations; the one that leads gets the result. A second
// call needs a barrier before it.
fn combine_workgroup(value: Acc, me: Invocation) -> Acc {
    let lanes = count_lanes();
    let of_subgroup = subgroup_combine(value, me.lane, lanes, MAX_SUBGROUP_SIZE);
    if (WORKGROUP_SIZE <= MIN_SUBGROUP_SIZE) {
        return of_subgroup;
    }
    if (me.lane == 0u) {
        subgroup_totals[me.subgroup] = of_subgroup;
    }
    workgroupBarrier();

    let most_subgroups = WORKGROUP_SIZE / MIN_SUBGROUP_SIZE;
    return subgroup_combine(gather_totals(me, lanes), me.lane, lanes, most_subgroups);
}
