// The sum of the numbers of the invocations before each in its workgroup, by subgroups of one size that workgroups
// consist of. By shuffles: NVIDIA's compiler makes a longer way of `subgroupExclusiveAdd`.

var<workgroup> subgroup_counts: array<u32, WORKGROUP_SIZE>;

// A second call needs a barrier before it.
fn count_before(mine: u32, me: Invocation) -> u32 {
    var until = mine;
    for (var distance = 1u; distance < MAX_SUBGROUP_SIZE; distance *= 2u) {
        let earlier = subgroupShuffleUp(until, distance);
        until += select(0u, earlier, me.lane >= distance);
    }
    var before = until - mine;
    if (WORKGROUP_SIZE == MAX_SUBGROUP_SIZE) {
        return before;
    }
    if (me.lane == MAX_SUBGROUP_SIZE - 1u) {
        subgroup_counts[me.subgroup] = until;
    }
    workgroupBarrier();
    for (var i = 0u; i < me.subgroup; i++) {
        before += subgroup_counts[i];
    }
    return before;
}
