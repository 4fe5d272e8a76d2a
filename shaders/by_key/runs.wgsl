// By key, third pass: where each run begins, and its key.
//
//   next <- runs before my workgroup's share
//   for each tile of the share
//       list in workgroup memory <- numbers of its keys that begin runs, in order: each invocation has a
//           word of bits, and a scan says where its first goes
//       the n-th of the list begins run next + n: leave its number, and its key
//       next <- next + length of the list
//
// A tile is WORKGROUP_SIZE words of bits. The list is there so that neighbouring invocations leave
// neighbouring runs, and so that several loads are under way together: an invocation that went through the
// bits of its word would wait for each.

override WORKGROUP_SIZE: u32 = 64u;
// Words of a key: 1 or 2.
override KEY_WORDS: u32 = 1u;

struct Parameters {
    // The first key behind the binding.
    first_key: u32,
    // Words of bits, and how many of them a share has.
    words: u32,
    words_per_share: u32,
    // Where the first run's key goes.
    key_slot: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> bits: array<u32>;
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(5) var<storage, read_write> run_keys: array<u32>;
@group(0) @binding(6) var<storage, read> counts: array<u32>;

const WORD_BITS: u32 = 32u;
const RUNS_AT_ONCE: u32 = 4u;

var<workgroup> heads: array<u32, WORKGROUP_SIZE * WORD_BITS>;
var<workgroup> heads_count: u32;

fn leave_run(run: u32, end: u32, at: u32, key: u32) {
    if (run < end) {
        offsets[run] = at - parameters.first_key;
        let slot = KEY_WORDS * (parameters.key_slot + run);
        run_keys[slot] = key;
        if (KEY_WORDS == 2u) {
            run_keys[slot + 1u] = keys[2u * at + 1u];
        }
    }
}

// Past the end of the list the last is fetched again, and not left.
fn leave_runs(next: u32, count: u32, local: u32) {
    let end = next + count;
    for (var first = local; first < count; first += RUNS_AT_ONCE * WORKGROUP_SIZE) {
        let numbers = vec4<u32>(first) + WORKGROUP_SIZE * vec4<u32>(0u, 1u, 2u, 3u);
        let places = min(numbers, vec4<u32>(count - 1u));
        let at = vec4<u32>(heads[places.x], heads[places.y], heads[places.z], heads[places.w]);
        let words = KEY_WORDS * at;
        let of_runs = vec4<u32>(keys[words.x], keys[words.y], keys[words.z], keys[words.w]);
        let run = next + numbers;
        leave_run(run.x, end, at.x, of_runs.x);
        leave_run(run.y, end, at.y, of_runs.y);
        leave_run(run.z, end, at.z, of_runs.z);
        leave_run(run.w, end, at.w, of_runs.w);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let share = workgroup.x + workgroup.y * workgroups.x;
    let first_word = min(share * parameters.words_per_share, parameters.words);
    let end_word = min(first_word + parameters.words_per_share, parameters.words);
    if (first_word >= end_word) {
        return;
    }
    var next = counts[share];
    for (var tile = first_word; tile < end_word; tile += WORKGROUP_SIZE) {
        var word = bits[tile + local];
        let mine = countOneBits(word);
        var before = scanned_before(mine, local);
        if (local == WORKGROUP_SIZE - 1u) {
            heads_count = before + mine;
        }
        while (word != 0u) {
            heads[before] = (tile + local) * WORD_BITS + firstTrailingBit(word);
            before += 1u;
            word &= word - 1u;
        }
        let count = workgroupUniformLoad(&heads_count);
        leave_runs(next, count, local);
        next += count;
        workgroupBarrier();
    }
}
