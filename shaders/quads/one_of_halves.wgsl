// One of the eight elements of a quad, two in each word.

fn element_in(quad: vec4<u32>, k: u32) -> Element {
    return element(quad[k >> 1u] >> (16u * (k & 1u)));
}
