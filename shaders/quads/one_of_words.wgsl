// One of the four elements of a quad.

fn element_in(quad: vec4<u32>, k: u32) -> Element {
    return element(quad[k]);
}
