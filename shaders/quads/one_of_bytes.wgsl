// One of the sixteen elements of a quad, four in each word.

fn element_in(quad: vec4<u32>, k: u32) -> Element {
    return element(quad[k >> 2u] >> (8u * (k & 3u)));
}
