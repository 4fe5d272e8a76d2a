// What stands before each invocation's stretch in its workgroup, by shuffles.
//
//   every subgroup: an inclusive scan in registers; its last lane stores the subgroup's total
//   barrier
//   every invocation: the totals of the subgroups before its own, then what is before it in its own
//
// Only for subgroups of one size that workgroups consist of: then subgroup and lane number the invocations.

var<workgroup> subgroup_cuts: array<u32, WORKGROUP_SIZE>;

fn place_of(me: Invocation) -> u32 {
    return me.subgroup * MAX_SUBGROUP_SIZE + me.lane;
}

fn stretch_from(value: Stretch, distance: u32) -> Stretch {
    return Stretch(shuffle_up(value.value, distance), subgroupShuffleUp(value.cut, distance));
}

// A second call needs a barrier before it.
fn scan_before(mine: Stretch, me: Invocation) -> Stretch {
    var until = mine;
    for (var distance = 1u; distance < MAX_SUBGROUP_SIZE; distance *= 2u) {
        let earlier = stretch_from(until, distance);
        if (me.lane >= distance) {
            until = join(earlier, until);
        }
    }
    let in_subgroup = stretch_from(until, 1u);
    if (me.lane == MAX_SUBGROUP_SIZE - 1u) {
        subgroup_totals[me.subgroup] = until.value;
        subgroup_cuts[me.subgroup] = until.cut;
    }
    workgroupBarrier();

    var before = nothing();
    for (var i = 0u; i < me.subgroup; i++) {
        before = join(before, Stretch(subgroup_totals[i], subgroup_cuts[i]));
    }
    if (me.lane > 0u) {
        before = join(before, in_subgroup);
    }
    return before;
}
