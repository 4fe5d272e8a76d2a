// The one segment of an input whose length lies on the device.

struct Parameters {
    // Where the length lies behind its binding, and what it is at most.
    first_count: u32,
    most: u32,
}

@group(0) @binding(0) var<storage, read> count: array<u32>;
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

@compute @workgroup_size(1)
fn reduce() {
    offsets[0] = 0u;
    offsets[1] = min(count[parameters.first_count], parameters.most);
}
