// Rows of one or two elements of a word each, side by side: a load has several whole ones.
//
//   for each of my groups of four rows
//       leave(the four, each folded from its LENGTH elements of the group's LENGTH quads)
//
// How the code differs from that, and why:
//  1. An invocation has four quads, of four groups or two, and loads all before it uses the first.
//  2. Past the end the last group is loaded again, under no condition, and left once.

// Invocations of a workgroup: a power of two. The others are for files that kernels with teams share.
override WORKGROUP_SIZE: u32 = 256u;
override LANES: u32 = 1u;
override SHARED: bool = false;
// Elements of a row: 1 or 2.
override LENGTH: u32 = 1u;

@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;

fn only(word: u32) -> Acc {
    let base = vec2<u32>(parameters.axis_low, parameters.axis_high);
    return rebase(lift_one(element(word), 0u), base);
}

fn both(first: u32, second: u32) -> Acc {
    let base = vec2<u32>(parameters.axis_low, parameters.axis_high);
    return rebase(combine(lift_one(element(first), 0u), lift_one(element(second), 1u)), base);
}

fn leave_quad(group: u32, quad: vec4<u32>) {
    if (group < parameters.units) {
        leave_four(4u * group, 0u, only(quad.x), only(quad.y), only(quad.z), only(quad.w));
    }
}

fn leave_quads(group: u32, a: vec4<u32>, b: vec4<u32>) {
    if (group < parameters.units) {
        leave_four(4u * group, 0u, both(a.x, a.y), both(a.z, a.w), both(b.x, b.y), both(b.z, b.w));
    }
}

fn reduce_workgroup(workgroup: u32, me: Invocation) {
    let last = parameters.units - 1u;
    let quad = parameters.first / 4u;
    for (var turn = 0u; turn < parameters.turns; turn++) {
        let group = turn * parameters.workgroups + workgroup;
        let i = group * (4u / LENGTH) * WORKGROUP_SIZE + local_of(me);
        let j = i + WORKGROUP_SIZE;
        if (LENGTH == 1u) {
            let k = j + WORKGROUP_SIZE;
            let l = k + WORKGROUP_SIZE;
            let a = quads[quad + min(i, last)];
            let b = quads[quad + min(j, last)];
            let c = quads[quad + min(k, last)];
            let d = quads[quad + min(l, last)];
            leave_quad(i, a);
            leave_quad(j, b);
            leave_quad(k, c);
            leave_quad(l, d);
        } else {
            let first = quad + 2u * min(i, last);
            let second = quad + 2u * min(j, last);
            let a = quads[first];
            let b = quads[first + 1u];
            let c = quads[second];
            let d = quads[second + 1u];
            leave_quads(i, a, b);
            leave_quads(j, c, d);
        }
    }
}
