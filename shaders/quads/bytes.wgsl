// Quads of sixteen elements, four in each word.

fn append_word(total: Acc, word: u32, index: u32) -> Acc {
    return append_four(
        total,
        element(word),
        element(word >> 8u),
        element(word >> 16u),
        element(word >> 24u),
        index,
    );
}

// A loop, because four times the same is more code than some compilers can take.
fn append_quad(total: Acc, quad: vec4<u32>, index: u32) -> Acc {
    var appended = total;
    for (var k = 0u; k < 4u; k++) {
        appended = append_word(appended, quad[k], index + 4u * k);
    }
    return appended;
}
