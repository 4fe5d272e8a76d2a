// A pass that another one follows: workgroups leave their accumulators side by side.

@group(0) @binding(2) var<storage, read_write> totals: array<Acc>;

fn reduce_workgroup(workgroup: u32, me: Invocation) {
    let total = fold_workgroup(gather(workgroup, me.local), me);
    if (leads(me) && workgroup < parameters.workgroups) {
        totals[parameters.first_slot + workgroup] = complete(total);
    }
}
