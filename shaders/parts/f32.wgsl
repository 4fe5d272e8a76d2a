// Numbers that are computed with, and what is kept of them, here both f32.

alias Real = f32;
alias Kept = f32;

fn kept_of(value: Element) -> Kept {
    return value;
}

fn opened(value: Kept) -> Real {
    return value;
}

fn closed(value: Real) -> Kept {
    return value;
}

fn real(value: f32) -> Real {
    return value;
}

// Integers, rounded: of one word, and of two.
fn real_of_word(value: u32) -> Real {
    return f32(value);
}

fn real_of_words(value: vec2<u32>) -> Real {
    return f32(value.x) + f32(value.y) * 4294967296.0;
}
