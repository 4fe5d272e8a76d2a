// A team gathers ROWS items before it combines the first of them, so that their loads are under way together. Each
// of them has a variable, and no place in an array: compilers that do not unroll a loop over one keep it in
// memory.

// 1, 2 or 4.
override ROWS: u32 = 1u;

fn reduce_workgroup(workgroup: u32, me: Invocation) {
    let teams = WORKGROUP_SIZE / LANES;
    let last = parameters.rows * parameters.parts - 1u;
    let lane = local_of(me) % LANES;
    for (var turn = 0u; turn < parameters.turns; turn++) {
        let group = turn * parameters.workgroups + workgroup;
        let i = group * teams * ROWS + local_of(me) / LANES;
        let j = i + teams;
        let k = j + teams;
        let l = k + teams;
        let a = gather(min(i, last), lane);
        var b = identity();
        var c = identity();
        var d = identity();
        if (ROWS > 1u) {
            b = gather(min(j, last), lane);
        }
        if (ROWS > 2u) {
            c = gather(min(k, last), lane);
            d = gather(min(l, last), lane);
        }
        close(a, i, lane, me);
        if (ROWS > 1u) {
            close(b, j, lane, me);
        }
        if (ROWS > 2u) {
            close(c, k, lane, me);
            close(d, l, lane, me);
        }
    }
}
