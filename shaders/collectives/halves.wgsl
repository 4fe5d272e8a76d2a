// One value of a workgroup's, where combining takes many instructions and the order does not matter.
//
//   for half <- WORKGROUP_SIZE / 2, ... until a subgroup is left
//       the upper half leaves its values; barrier; the lower half combines them with its own
//   the first subgroup: its lanes become one
//
// A shuffle tree combines in every lane at every step. Here half of the invocations combine, then a quarter, and so on, and of the last
// steps one subgroup alone: a GPU has so much less to do when all its workgroups come to their end. Compilers that prove control
// flow to be uniform must be told that a subgroup is in it as a whole or not at all.
//
// Only where all subgroups are known to be full; elsewhere as in the collective.

// A second call needs a barrier before it.
fn fold_workgroup(value: Acc, me: Invocation) -> Acc {
    if (!are_full()) {
        return combine_workgroup(value, me);
    }
    var total = value;
    let own = me.subgroup * MAX_SUBGROUP_SIZE + me.lane;
    for (var half = WORKGROUP_SIZE / 2u; half >= MAX_SUBGROUP_SIZE; half /= 2u) {
        if (own >= half && own < 2u * half) {
            subgroup_totals[own] = total;
        }
        workgroupBarrier();
        if (own < half) {
            total = combine(total, subgroup_totals[own + half]);
        }
    }
    if (me.subgroup == 0u) {
        total = combine_lanes(total, me.lane);
    }
    return total;
}
