// Quads of two elements.

fn lift_quad(quad: vec4<u32>, index: u32) -> Acc {
    return lift_two(element(quad.xy), element(quad.zw), index);
}
