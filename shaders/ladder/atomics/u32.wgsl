// Adding to a result in memory: atomics of u32 are part of WGSL.

@group(0) @binding(2) var<storage, read_write> partials: array<atomic<u32>>;

fn add_to_total(slot: u32, value: T) {
    atomicAdd(&partials[slot], value);
}
