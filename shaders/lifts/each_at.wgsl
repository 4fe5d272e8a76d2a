// Elements are lifted one by one, with their indices.

fn lift_word(word: u32, index: u32) -> Acc {
    return lift(element(word), index);
}

fn lift_quad(quad: vec4<u32>, index: u32) -> Acc {
    return combine(
        combine(lift(element(quad.x), index), lift(element(quad.y), index + 1u)),
        combine(lift(element(quad.z), index + 2u), lift(element(quad.w), index + 3u)),
    );
}
