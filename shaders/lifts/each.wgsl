// Elements are lifted one by one, wherever they stand.

fn lift_word(word: u32, _index: u32) -> Acc {
    return lift(element(word));
}

fn lift_quad(quad: vec4<u32>, _index: u32) -> Acc {
    return combine(
        combine(lift(element(quad.x)), lift(element(quad.y))),
        combine(lift(element(quad.z)), lift(element(quad.w))),
    );
}

fn rebase(total: Acc, _base: vec2<u32>) -> Acc {
    return total;
}
