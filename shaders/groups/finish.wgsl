// Groups, last pass: each total becomes a result, and is zero again.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    groups: u32,
    // Where the first result goes.
    first_slot: u32,
    // Invocations of all workgroups.
    invocations: u32,
    // Whether there is room to report how many elements each group has.
    has_lengths: u32,
}

@group(0) @binding(2) var<storage, read_write> results: array<Output>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> totals: array<u32>;
// What is noted of wrong keys, and behind that the lengths.
@group(0) @binding(5) var<storage, read_write> report: array<u32>;

fn length_at(first: u32) -> u32 {
    if (BESIDE == A_COUNT) {
        return totals[first + KEPT_WORDS];
    }
    var shows = 0u;
    for (var k = 0u; k < slot_words(); k++) {
        shows |= totals[first + k];
    }
    return u32(shows != 0u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let mine = (id.x + id.y * groups.x) * WORKGROUP_SIZE + local;
    if (mine == 0u) {
        report[0] = totals[0];
        totals[0] = 0u;
    }
    for (var group = mine; group < parameters.groups; group += parameters.invocations) {
        let first = total_of(group);
        results[parameters.first_slot + group] = finish(acc_at(group));
        if (parameters.has_lengths != 0u) {
            report[1u + group] = length_at(first);
        }
        for (var k = 0u; k < slot_words(); k++) {
            totals[first + k] = 0u;
        }
    }
}
