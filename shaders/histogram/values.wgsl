// Last pass of elements with 8 bits: the first has counted each of the 256 values, and a bin is a range of them.
// Each total is read by one bin, and is zero again.

override WORKGROUP_SIZE: u32 = 256u;

// Whether totals have two words, as results do.
override CARRIES: bool = true;

struct Parameters {
    // Bins of a channel, and slots of all channels: each has three more than bins.
    bins: u32,
    slots: u32,
    // The word where the first one goes.
    first: u32,
    // Invocations of all workgroups.
    invocations: u32,
}

@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> totals: array<u32>;

// The first value of each bin, and behind them the end of the last one.
@group(0) @binding(8) var<storage, read> edges: array<u32>;

const VALUES: u32 = 256u;

// First value and end of what a slot counts: bins, then what is below, above, and not a number.
fn values_of(slot: u32) -> vec2<u32> {
    let bins = parameters.bins;
    let of_bin = min(slot, bins - 1u);
    let below = vec2<u32>(0u, edges[0]);
    let above = vec2<u32>(edges[bins], VALUES);
    let outside = select(vec2<u32>(), select(above, below, slot == bins), slot < bins + 2u);
    return select(outside, vec2<u32>(edges[of_bin], edges[of_bin + 1u]), slot < bins);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = (id.x + id.y * groups.x) * WORKGROUP_SIZE + local;
    for (var index = first; index < parameters.slots; index += parameters.invocations) {
        let channel = index / (parameters.bins + 3u);
        let values = values_of(index % (parameters.bins + 3u));
        var low = 0u;
        var high = 0u;
        for (var value = values.x; value < values.y; value++) {
            let at = select(1u, 2u, CARRIES) * (channel * VALUES + value);
            let sum = low + totals[at];
            high += u32(sum < low);
            low = sum;
            totals[at] = 0u;
            if (CARRIES) {
                high += totals[at + 1u];
                totals[at + 1u] = 0u;
            }
        }
        results[parameters.first + 2u * index] = low;
        results[parameters.first + 2u * index + 1u] = high;
    }
}
