// Quads of four elements.

fn append_quad(total: Acc, quad: vec4<u32>, index: u32) -> Acc {
    return append_four(
        total, element(quad.x), element(quad.y), element(quad.z), element(quad.w), index,
    );
}
