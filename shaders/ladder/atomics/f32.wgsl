// Adding to a result in memory, where the device has atomic addition of f32: an extension of native
// wgpu, on Vulkan and Metal only.

@group(0) @binding(2) var<storage, read_write> partials: array<atomic<f32>>;

fn add_to_total(slot: u32, value: T) {
    atomicAdd(&partials[slot], value);
}
