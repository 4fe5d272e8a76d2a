// The histogram of one window of the input: every element is counted in the bin that it belongs to.
//
//   for each tile that is my workgroup's
//       for each element of my quads of the tile: count it in the bin of its value and channel
//   workgroup 0 counts the elements before and after the quads
//   what the workgroup has counted is added to the totals
//
// How the code differs from that, and why:
//  1. Loads are as in kernels/elements.wgsl. The four of a whole tile are written out, so that all are under
//     way before the first element is counted: compilers do not move loads over atomic additions.
//  2. `quads/` hands over the elements of a quad by fours, with what it calls an accumulator. Here that is the
//     channel of the next element, which is all that one element leaves to the next.
//  3. The grid may be larger than `parameters.workgroups`; what is beyond it counts nothing.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Quads that an invocation loads before it uses the first of them: 1 or 4.
override LOADS: u32 = 4u;

struct Parameters {
    // Index of the first head element, counted in elements from the start of the binding.
    head_first: u32,
    head_count: u32,
    // Whole quads [body_first, body_end), counted in quads from the start of the binding.
    body_first: u32,
    body_end: u32,
    tail_first: u32,
    tail_count: u32,
    // Workgroups that share this window.
    workgroups: u32,
    @align(16) places: Places,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

// The channel of the next element.
alias Acc = u32;

fn after(channel: u32) -> u32 {
    return select(channel + 1u, 0u, channel + 1u == CHANNELS);
}

fn count(value: Element, channel: u32) {
    count_in(slot_of(value, channel));
}

fn append_four(first: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    let second = after(first);
    let third = after(second);
    let fourth = after(third);
    count(a, first);
    count(b, second);
    count(c, third);
    count(d, fourth);
    return after(fourth);
}

fn count_quad(quad: vec4<u32>, at: u32) {
    let index = ELEMENTS_PER_QUAD * at;
    _ = append_quad(channel_of(index), quad, index);
}

fn gather(workgroup: u32, local: u32) {
    let tile = LOADS * WORKGROUP_SIZE;
    let stride = parameters.workgroups * tile;
    let end = parameters.body_end;
    for (var at = parameters.body_first + workgroup * tile + local; at < end; at += stride) {
        if (LOADS == 4u && at + 3u * WORKGROUP_SIZE < end) {
            let a = quads[at];
            let b = quads[at + WORKGROUP_SIZE];
            let c = quads[at + 2u * WORKGROUP_SIZE];
            let d = quads[at + 3u * WORKGROUP_SIZE];
            count_quad(a, at);
            count_quad(b, at + WORKGROUP_SIZE);
            count_quad(c, at + 2u * WORKGROUP_SIZE);
            count_quad(d, at + 3u * WORKGROUP_SIZE);
        } else {
            for (var k = 0u; k < LOADS; k++) {
                let mine = at + k * WORKGROUP_SIZE;
                if (mine < end) {
                    count_quad(quads[mine], mine);
                }
            }
        }
    }
    if (workgroup == 0u) {
        for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
            let at = end_at(k);
            count(element_at(0u, at), channel_of(at));
        }
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = id.x + id.y * groups.x;
    open_slots(local);
    if (workgroup < parameters.workgroups) {
        gather(workgroup, local);
    }
    close_slots(local);
}
