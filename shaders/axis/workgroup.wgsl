// How a team becomes one value through workgroup memory alone.
//
//   slot[local] <- my value
//   for distance <- LANES / 2, ... 2, 1
//       barrier; if I am one of the first `distance` of my team: my slot <- combine(my slot, that of the one
//       so far on)
//   the first of the team has the result
//
// The members of a team are SPREAD invocations apart: 1 but for columns, where those of a row lie between.

override SPREAD: u32 = 1u;

var<workgroup> slots: array<Acc, WORKGROUP_SIZE>;

fn local_of(me: Invocation) -> u32 {
    return me.local;
}

// The first invocation of each team gets the result. One call may follow another.
fn combine_team(value: Acc, me: Invocation) -> Acc {
    if (LANES == 1u) {
        return value;
    }
    let member = me.local / SPREAD % LANES;
    workgroupBarrier();
    slots[me.local] = value;
    for (var distance = LANES / 2u; distance > 0u; distance /= 2u) {
        workgroupBarrier();
        if (member < distance) {
            slots[me.local] = combine(slots[me.local], slots[me.local + distance * SPREAD]);
        }
    }
    return slots[me.local];
}
