// One of the two elements of a quad.

fn element_in(quad: vec4<u32>, k: u32) -> Element {
    return element(select(quad.xy, quad.zw, k != 0u));
}
