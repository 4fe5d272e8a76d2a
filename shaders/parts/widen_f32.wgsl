// A number that needs no widening.

fn widen(value: Element) -> f32 {
    return value;
}
