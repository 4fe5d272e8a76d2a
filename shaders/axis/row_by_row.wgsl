// A team has one item at a time, and the text one copy of what gathers it: for accumulators of so many words that
// several would not be in registers at once.

fn reduce_workgroup(workgroup: u32, me: Invocation) {
    let teams = WORKGROUP_SIZE / LANES;
    let last = parameters.rows * parameters.parts - 1u;
    let lane = local_of(me) % LANES;
    for (var turn = 0u; turn < parameters.turns; turn++) {
        let group = turn * parameters.workgroups + workgroup;
        let item = group * teams + local_of(me) / LANES;
        close(gather(min(item, last), lane), item, lane, me);
    }
}
