// What stands before each invocation's stretch in its workgroup, through workgroup memory alone.
//
//   slot[local] <- my stretch
//   for distance <- 1, 2, 4, ... WORKGROUP_SIZE / 2
//       barrier; slot[local] <- join(slot[local - distance], slot[local]), if there is such a slot
//   mine is slot[local - 1]

var<workgroup> slot_cuts: array<u32, WORKGROUP_SIZE>;

fn place_of(me: Invocation) -> u32 {
    return me.local;
}

// A second call needs a barrier before it.
fn scan_before(mine: Stretch, me: Invocation) -> Stretch {
    var until = mine;
    slots[me.local] = until.value;
    slot_cuts[me.local] = until.cut;
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        workgroupBarrier();
        if (me.local >= distance) {
            let at = me.local - distance;
            until = join(Stretch(slots[at], slot_cuts[at]), until);
        }
        workgroupBarrier();
        slots[me.local] = until.value;
        slot_cuts[me.local] = until.cut;
    }
    workgroupBarrier();
    var before = nothing();
    if (me.local > 0u) {
        before = Stretch(slots[me.local - 1u], slot_cuts[me.local - 1u]);
    }
    return before;
}
