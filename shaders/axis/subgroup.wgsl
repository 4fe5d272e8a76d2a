// How a team becomes one value, where the device has subgroups of one size and workgroups consist of whole
// ones.
//
//   a team within a subgroup: a shuffle tree in registers
//   a team of several: each subgroup's first lane stores its total; barrier; a shuffle tree over those
//   the first lane of the team, or of its subgroups, has the result
//
// Lanes beyond a team's end are shuffled in and combined, too, but never into what reaches its first lane.

// Lanes of every subgroup; a team has no more than their square.
override SUBGROUP_SIZE: u32 = 32u;

var<workgroup> subgroup_totals: array<Acc, WORKGROUP_SIZE>;

// Nothing ties a lane to `local_invocation_index`, so teams are made of lanes.
fn local_of(me: Invocation) -> u32 {
    return me.subgroup * SUBGROUP_SIZE + me.lane;
}

fn shuffle_tree(value: Acc, lanes: u32) -> Acc {
    var total = value;
    for (var distance = 1u; distance < lanes; distance *= 2u) {
        total = combine(total, shuffle_down(total, distance));
    }
    return total;
}

// The first invocation of each team gets the result.
fn combine_team(value: Acc, me: Invocation) -> Acc {
    let of_subgroup = shuffle_tree(value, min(LANES, SUBGROUP_SIZE));
    if (LANES <= SUBGROUP_SIZE) {
        return of_subgroup;
    }
    // One at least, because compilers see a division by it even where none is reached.
    let subgroups = max(1u, LANES / SUBGROUP_SIZE);
    workgroupBarrier();
    if (me.lane == 0u) {
        subgroup_totals[me.subgroup] = of_subgroup;
    }
    workgroupBarrier();
    var total = identity();
    if (me.lane < subgroups) {
        total = subgroup_totals[me.subgroup / subgroups * subgroups + me.lane];
    }
    return shuffle_tree(total, subgroups);
}
