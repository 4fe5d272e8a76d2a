// First pass: fold the elements of one window of the input into one accumulator per invocation.
//
//   accumulator[j] <- identity                                   j = 0 .. 3
//   for i <- my invocation, my invocation + grid, ... while a quad is left
//       accumulator[i mod 4] <- combine(accumulator[i mod 4], lift(the four elements of quad i))
//   fold the four accumulators; workgroup 0 adds the elements before and after the quads
//
// How the code differs from that, and why:
//  1. Four quads are loaded before any of them is used, so that four 16-byte loads are in flight
//     per invocation, and each goes to an accumulator of its own: four short chains instead of
//     one, which is faster and rounds less.
//  2. Neighbouring invocations load neighbouring quads, and the stride is the whole grid, so every
//     load of a subgroup is one contiguous run.
//  3. A window may start and end at any element, and a buffer may end inside a quad. The host
//     splits the window into head (before the first whole quad), body (whole quads) and tail; head
//     and tail are read through `words`, a second view of the same bytes.
//  4. The grid may be two-dimensional and larger than `parameters.workgroups`; what is beyond it
//     contributes the identity.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // Index of the first head element, counted in elements from the start of the binding.
    head_first: u32,
    head_count: u32,
    // Whole quads [body_first, body_end), counted in quads from the start of the binding.
    body_first: u32,
    body_end: u32,
    tail_first: u32,
    tail_count: u32,
    // Workgroups that share this window, and the slot of the first one's result.
    workgroups: u32,
    first_slot: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

fn lift_quad(quad: vec4<u32>) -> Acc {
    return combine(
        combine(lift(element(quad.x)), lift(element(quad.y))),
        combine(lift(element(quad.z)), lift(element(quad.w))),
    );
}

fn gather(workgroup: u32, local: u32) -> Acc {
    if (workgroup >= parameters.workgroups) {
        return identity();
    }
    var a = identity();
    var b = identity();
    var c = identity();
    var d = identity();
    let stride = parameters.workgroups * WORKGROUP_SIZE;
    let end = parameters.body_end;
    var i = parameters.body_first + workgroup * WORKGROUP_SIZE + local;
    while (i + 3u * stride < end) {
        let quad_a = quads[i];
        let quad_b = quads[i + stride];
        let quad_c = quads[i + 2u * stride];
        let quad_d = quads[i + 3u * stride];
        a = combine(a, lift_quad(quad_a));
        b = combine(b, lift_quad(quad_b));
        c = combine(c, lift_quad(quad_c));
        d = combine(d, lift_quad(quad_d));
        i += 4u * stride;
    }
    while (i < end) {
        a = combine(a, lift_quad(quads[i]));
        i += stride;
    }
    var total = combine(combine(a, b), combine(c, d));
    if (workgroup == 0u) {
        for (var k = local; k < parameters.head_count; k += WORKGROUP_SIZE) {
            total = combine(total, lift(element(words[parameters.head_first + k])));
        }
        for (var k = local; k < parameters.tail_count; k += WORKGROUP_SIZE) {
            total = combine(total, lift(element(words[parameters.tail_first + k])));
        }
    }
    return total;
}
