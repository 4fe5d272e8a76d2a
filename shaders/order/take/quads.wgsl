// The quads of a tile are taken one after another.

fn take_quads(before: Acc, a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>, at: u32) -> Acc {
    var taken = take_quad(before, a, at);
    taken = take_quad(taken, b, at + WORKGROUP_SIZE);
    taken = take_quad(taken, c, at + 2u * WORKGROUP_SIZE);
    return take_quad(taken, d, at + 3u * WORKGROUP_SIZE);
}
