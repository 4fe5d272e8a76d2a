// Quads of four elements.

fn lift_quad(quad: vec4<u32>, index: u32) -> Acc {
    return lift_four(element(quad.x), element(quad.y), element(quad.z), element(quad.w), index);
}
