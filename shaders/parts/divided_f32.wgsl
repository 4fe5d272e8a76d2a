// Numbers divided by powers of two.

// The element divided by the power of two that brings the largest magnitude with this exponent to between 2 and 4. A device may take
// a subnormal one for 0.
fn divided(value: Element, exponent: i32) -> Element {
    return value * power_of_two(128 - exponent);
}
