// The last pass: its one workgroup finishes the accumulator and leaves the result.

@group(0) @binding(2) var<storage, read_write> results: array<Output>;

fn reduce_workgroup(workgroup: u32, me: Invocation) {
    let total = fold_workgroup(gather(workgroup, me.local), me);
    if (leads(me) && workgroup < parameters.workgroups) {
        results[parameters.first_slot + workgroup] = finish(complete(total));
    }
}
