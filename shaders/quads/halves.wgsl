// Quads of eight elements, two in each word.

fn append_words(total: Acc, a: u32, b: u32, index: u32) -> Acc {
    return append_four(
        total, element(a), element(a >> 16u), element(b), element(b >> 16u), index,
    );
}

fn append_quad(total: Acc, quad: vec4<u32>, index: u32) -> Acc {
    let first = append_words(total, quad.x, quad.y, index);
    return append_words(first, quad.z, quad.w, index + 4u);
}
