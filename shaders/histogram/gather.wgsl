// The histogram of one window of the input: every element is counted in the bin that it belongs to.
//
//   for each tile that is my workgroup's
//       if the bins of all elements of my quads of the tile are certain: count in those
//       else for each element: count it in the bin of its value and channel
//   workgroup 0 counts the elements before and after the quads
//   what the workgroup has counted is added to the totals
//
// How the code differs from that, and why:
//  1. Loads are under no condition, and past the end the last quad is loaded again. There is one condition for all four,
//     because compilers wait at the first condition for what has been loaded, and do not move loads over it or
//     over atomic additions.
//  2. `quads/` hands over the elements of a quad by fours, with what it calls an accumulator. Here that is the
//     channel of the next element, what is to be done with it, and whether all so far were certain.
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
    // Copies of the counters, if they have any.
    copies: u32,
    @align(16) places: Places,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

// What may be done with an element: its bin is looked at, it is counted there, or where it belongs.
const CHECK: u32 = 0u;
const COUNT_QUICKLY: u32 = 1u;
const COUNT: u32 = 2u;

struct Acc {
    channel: u32,
    task: u32,
    are_certain: bool,
}

fn after(channel: u32) -> u32 {
    return select(channel + 1u, 0u, channel + 1u == CHANNELS);
}

fn take(before: Acc, value: Element) -> Acc {
    var are_certain = before.are_certain;
    let quick = quick_bin_of(value);
    if (before.task == CHECK) {
        are_certain &= quick.is_certain;
    } else if (before.task == COUNT_QUICKLY) {
        // It is the bin that was looked at (`ROUNDING`). Whatever it were, it must be a slot.
        let slot = min(quick.bin, parameters.places.slots - 1u);
        count_in(before.channel * parameters.places.slots + slot);
    } else {
        count_in(slot_of(value, before.channel));
    }
    return Acc(after(before.channel), before.task, are_certain);
}

fn append_four(first: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return take(take(take(take(first, a), b), c), d);
}

fn are_certain(quad: vec4<u32>) -> bool {
    return append_quad(Acc(0u, CHECK, true), quad, 0u).are_certain;
}

fn count_quad(quad: vec4<u32>, at: u32, task: u32) {
    let index = ELEMENTS_PER_QUAD * at;
    _ = append_quad(Acc(channel_of(index), task, true), quad, index);
}

// Counts what is mine of a tile of four quads for each invocation.
fn count_tile(at: u32, end: u32) {
    let a = quads[at];
    let b = quads[min(at + WORKGROUP_SIZE, end - 1u)];
    let c = quads[min(at + 2u * WORKGROUP_SIZE, end - 1u)];
    let d = quads[min(at + 3u * WORKGROUP_SIZE, end - 1u)];
    let is_whole = at + 3u * WORKGROUP_SIZE < end;
    if (is_whole & are_certain(a) & are_certain(b) & are_certain(c) & are_certain(d)) {
        count_quad(a, at, COUNT_QUICKLY);
        count_quad(b, at + WORKGROUP_SIZE, COUNT_QUICKLY);
        count_quad(c, at + 2u * WORKGROUP_SIZE, COUNT_QUICKLY);
        count_quad(d, at + 3u * WORKGROUP_SIZE, COUNT_QUICKLY);
        return;
    }
    var quad = a;
    for (var k = 0u; k < 4u; k++) {
        let mine = at + k * WORKGROUP_SIZE;
        if (mine < end) {
            count_quad(quad, mine, COUNT);
        }
        quad = select(select(b, c, k == 1u), d, k == 2u);
    }
}

fn gather(workgroup: u32, local: u32) {
    let tile = LOADS * WORKGROUP_SIZE;
    let stride = parameters.workgroups * tile;
    let end = parameters.body_end;
    for (var at = parameters.body_first + workgroup * tile + local; at < end; at += stride) {
        if (LOADS == 4u) {
            count_tile(at, end);
        } else {
            count_quad(quads[at], at, COUNT);
        }
    }
    if (workgroup == 0u) {
        for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
            let at = end_at(k);
            count_in(slot_of(element_at(0u, at), channel_of(at)));
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
