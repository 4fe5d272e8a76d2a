// By key, third pass: the lists of the shares are moved together.
//
// A workgroup moves a share's list: the keys of all its runs, and the totals of all but the last, which the second
// pass has left. They are words, whatever they mean. A share with more runs than its list has room for is left alone.

override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    shares: u32,
    // Words of a share, and runs that a list has room for.
    share_words: u32,
    room: u32,
    // Where the first key and the first result go.
    key_slot: u32,
    first_slot: u32,
}

@group(0) @binding(0) var<storage, read> listed_keys: array<u32>;
@group(0) @binding(1) var<storage, read> shares: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> run_keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> report: array<u32>;
@group(0) @binding(6) var<storage, read> listed_totals: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let share = workgroup.x + workgroup.y * workgroups.x;
    if (share >= parameters.shares) {
        return;
    }
    if (share == 0u && local == 0u) {
        // No offset is wrong, since there is none.
        report[0] = 0u;
    }
    let count = shares[parameters.share_words * share];
    let before = shares[parameters.share_words * share + 1u];
    let list = parameters.room * share;
    if (count > parameters.room) {
        return;
    }
    for (var k = local; k < count; k += WORKGROUP_SIZE) {
        run_keys[parameters.key_slot + before + k] = listed_keys[list + k];
        if (k + 1u < count) {
            results[parameters.first_slot + before + k] = listed_totals[list + k];
        }
    }
}
