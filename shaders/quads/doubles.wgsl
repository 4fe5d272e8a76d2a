// Quads of two elements.

fn append_quad(total: Acc, quad: vec4<u32>, index: u32) -> Acc {
    return append_two(total, element(quad.xy), element(quad.zw), index);
}
