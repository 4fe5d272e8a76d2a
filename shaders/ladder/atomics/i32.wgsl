// Adding to a result in memory: atomics of i32 are part of WGSL.

@group(0) @binding(2) var<storage, read_write> partials: array<atomic<i32>>;

fn add_to_total(slot: u32, value: T) {
    atomicAdd(&partials[slot], value);
}
