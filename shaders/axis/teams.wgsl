// Rows by teams: the teams of the grid take as many items each as there are turns.
//
// An item is a row, or a team's part of one. A team gathers ROWS items before it combines the first of them,
// so that their loads are under way together. Whoever has no item left goes all the way with the last one,
// and leaves nothing: loads are under no condition, barriers and shuffles in uniform control flow.

// No more than 4.
override ROWS: u32 = 1u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(me: Invocation, us: Workgroup) {
    let teams = WORKGROUP_SIZE / LANES;
    let items = parameters.rows * parameters.parts;
    let lane = local_of(me) % LANES;
    for (var turn = 0u; turn < parameters.turns; turn++) {
        let group = turn * parameters.workgroups + number_of(us);
        let first = group * teams * ROWS + local_of(me) / LANES;
        var totals = array<Acc, 4>();
        for (var k = 0u; k < ROWS; k++) {
            totals[k] = gather(min(first + k * teams, items - 1u), lane);
        }
        for (var k = 0u; k < ROWS; k++) {
            let item = first + k * teams;
            let total = combine_team(totals[k], me);
            if (lane == 0u && item < items) {
                leave(row_of(item), part_of(item), total);
            }
        }
    }
}
