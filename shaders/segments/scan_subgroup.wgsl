// What stands before each invocation's stretch in its workgroup, by shuffles.
//
//   every subgroup: an inclusive scan in registers, as far back as the last lane with a cut; its last lane stores
//       the subgroup's total
//   barrier
//   every invocation: the totals of the subgroups before its own, then what is before it in its own
//
// Only for subgroups of one size that workgroups consist of: then subgroup and lane number the invocations.

var<workgroup> subgroup_cuts: array<u32, WORKGROUP_SIZE>;

fn place_of(me: Invocation) -> u32 {
    return me.subgroup * MAX_SUBGROUP_SIZE + me.lane;
}

// The last lane at or before mine whose stretch has a cut, and one more; 0 if there is none.
fn last_cut(cut: u32, lane: u32) -> u32 {
    let cuts = subgroupBallot(cut != 0u);
    var last = 0u;
    for (var word = 0u; 32u * word < MAX_SUBGROUP_SIZE; word++) {
        let of_word = min(max(lane + 1u, 32u * word) - 32u * word, 32u);
        let before = cuts[word] & select((1u << (of_word & 31u)) - 1u, 0xffffffffu, of_word == 32u);
        last = select(last, 32u * word + 32u - countLeadingZeros(before), before != 0u);
    }
    return last;
}

// A second call needs a barrier before it.
fn scan_before(mine: Stretch, me: Invocation) -> Stretch {
    let last = last_cut(mine.cut, me.lane);
    var until = mine.value;
    for (var distance = 1u; distance < MAX_SUBGROUP_SIZE; distance *= 2u) {
        let earlier = shuffle_up(until, distance);
        if (me.lane >= distance && me.lane + 1u >= last + distance) {
            until = combine(earlier, until);
        }
    }
    let in_subgroup = shuffle_up(until, 1u);
    let cut_before = subgroupShuffleUp(last, 1u);
    if (me.lane == MAX_SUBGROUP_SIZE - 1u) {
        subgroup_totals[me.subgroup] = until;
        subgroup_cuts[me.subgroup] = u32(last != 0u);
    }
    workgroupBarrier();

    var before = nothing();
    for (var i = 0u; i < me.subgroup; i++) {
        before = join(before, Stretch(subgroup_totals[i], subgroup_cuts[i]));
    }
    if (me.lane > 0u) {
        before = join(before, Stretch(in_subgroup, u32(cut_before != 0u)));
    }
    return before;
}
