// The four elements of a quad are lifted together, with the first one's index, where that is better
// than combining four.

fn lift_word(word: u32, index: u32) -> Acc {
    return lift(element(word), index);
}

fn lift_quad(quad: vec4<u32>, index: u32) -> Acc {
    return lift_four(
        element(quad.x), element(quad.y), element(quad.z), element(quad.w), index,
    );
}
