// The parameters of a pass over the first elements of an input. A number on the device says how many elements count.
//
//   left <- how many of the window's elements are among these
//   cut the elements before the window's quads, the quads and the elements behind them to what is left, in this order
//
// A workgroup whose quads are cut has nothing, and leaves the identity.

struct Parameters {
    // What the pass would be told of the whole window.
    told: array<vec4<u32>, 4>,
    // Where the number lies behind its binding.
    first_count: u32,
    // Elements of the input before the window; where they do not fit a word, the largest one.
    before: u32,
    per_quad: u32,
}

@group(0) @binding(0) var<storage, read> count: array<u32>;
@group(0) @binding(2) var<storage, read_write> told: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

@compute @workgroup_size(1)
fn reduce() {
    // head_first, head_count, body_first, body_end, and then tail_first, tail_count.
    var first = parameters.told[0];
    var second = parameters.told[1];
    var left = max(count[parameters.first_count], parameters.before) - parameters.before;
    first.y = min(first.y, left);
    left -= first.y;
    let quads = min(first.w - first.z, left / parameters.per_quad);
    left -= quads * parameters.per_quad;
    if (first.z + quads < first.w) {
        first.w = first.z + quads;
        second.x = first.w * parameters.per_quad;
        second.y = left;
    } else {
        second.y = min(second.y, left);
    }
    told[0] = first;
    told[1] = second;
    told[2] = parameters.told[2];
    told[3] = parameters.told[3];
}
