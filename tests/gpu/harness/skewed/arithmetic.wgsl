// Arithmetic as WGSL and Vulkan allow it to be. Where a device has a choice, the choice is drawn from the operands and from where the
// operation stands in the text. `Real` is f32 or f64, `Bits` an unsigned number of its size. There are no branches: SwiftShader's compiler
// opens each call, and took gigabytes for texts of many blocks.

fn skewed_draw(a: Real, b: Real, site: u32) -> u32 {
    let first = skewed_fold(skewed_bits(a));
    var hash = (first * 0x9e3779b1u) ^ (skewed_fold(skewed_bits(b)) + site * 0x85ebca6bu);
    hash = (hash ^ (hash >> 15u)) * 0x2c1b3c6du;
    return hash ^ (hash >> 15u);
}

fn skewed_bits(x: Real) -> Bits {
    return bitcast<Bits>(x);
}

fn skewed_exponent(x: Real) -> u32 {
    return u32(skewed_bits(x) >> skewed_FRACTION) & skewed_EXPONENTS;
}

fn skewed_is_nan(x: Real) -> bool {
    return (skewed_bits(x) & skewed_MAGNITUDE) > skewed_INFINITY;
}

// A subnormal number becomes zero.
fn skewed_flush(x: Real) -> Real {
    let bits = skewed_bits(x);
    return bitcast<Real>(select(bits, bits & ~skewed_MAGNITUDE, (bits & skewed_INFINITY) == 0));
}

// Moves a normal number by so many units of its last place, if it stays normal.
fn skewed_off(x: Real, steps: i32) -> Real {
    let exponent = skewed_exponent(x);
    let up = skewed_bits(x) + Bits(max(steps, 0));
    let moved = bitcast<Real>(up - Bits(max(-steps, 0)));
    return select(x, moved, (exponent > 1u) & (exponent < skewed_EXPONENTS - 1u));
}

fn skewed_add(a: Real, b: Real, _site: u32) -> Real {
    return skewed_flush(skewed_flush(a) + skewed_flush(b));
}

fn skewed_subtract(a: Real, b: Real, _site: u32) -> Real {
    return skewed_flush(skewed_flush(a) - skewed_flush(b));
}

fn skewed_multiply(a: Real, b: Real, _site: u32) -> Real {
    return skewed_flush(skewed_flush(a) * skewed_flush(b));
}

// Off by up to 2.5 units of the last place; of divisors beyond 2^126, and of zero, anything.
fn skewed_divide(a: Real, b: Real, site: u32) -> Real {
    let draw = skewed_draw(a, b, site);
    let quotient = skewed_flush(a) / skewed_flush(b);
    let exponent = skewed_exponent(b);
    let moved = skewed_flush(skewed_off(quotient, i32(draw % 5u) - 2));
    let anything = select(quotient, skewed_anything(draw), (draw & 1u) == 0u);
    return select(moved, anything, (exponent == 0u) | (exponent > skewed_EXPONENTS - 3u));
}

// The number, of which the compiler does not know that, since it does not know that `zero` is: no two sums cancel each other.
fn skewed_hidden(x: Real, zero: Bits) -> Real {
    return bitcast<Real>(skewed_bits(x) ^ zero);
}

// What a product lost when it was rounded (Dekker, "A floating-point technique for extending the available precision", 1971).
fn skewed_lost(a: Real, b: Real, product: Real, zero: Bits) -> Real {
    let of_a = skewed_HALVES * a;
    let of_b = skewed_HALVES * b;
    let high_a = skewed_hidden(of_a - skewed_hidden(of_a - a, zero), zero);
    let high_b = skewed_hidden(of_b - skewed_hidden(of_b - b, zero), zero);
    let low_a = a - high_a;
    let low_b = b - high_b;
    let rest = skewed_hidden(high_a * high_b, zero) - product;
    let with_high = skewed_hidden(rest, zero) + skewed_hidden(high_a * low_b, zero);
    let with_both = skewed_hidden(with_high, zero) + skewed_hidden(low_a * high_b, zero);
    return skewed_hidden(with_both, zero) + skewed_hidden(low_a * low_b, zero);
}

fn skewed_is_moderate(x: Real) -> bool {
    let exponent = skewed_exponent(x);
    let half = skewed_EXPONENTS / 2u;
    return (exponent > half / 2u) & (exponent < half + half / 2u);
}

// A product and a sum, rounded once or twice.
fn skewed_multiply_add(a: Real, b: Real, c: Real, site: u32) -> Real {
    let product = skewed_multiply(a, b, site);
    let draw = skewed_draw(a, b, site + skewed_fold(skewed_bits(c)));
    let are_moderate = skewed_is_moderate(a) & skewed_is_moderate(b) & skewed_is_moderate(product);
    let is_fused = ((draw & 1u) == 0u) & are_moderate & (skewed_is_moderate(c) | (c == 0.0));
    // Moderate numbers are no NaN.
    let zero = Bits(skewed_is_nan(a));
    // What the sum lost when it was rounded (Knuth, "The Art of Computer Programming", volume 2).
    let sum = skewed_hidden(product + c, zero);
    let of_c = skewed_hidden(sum - product, zero);
    let of_product = skewed_hidden(sum - of_c, zero);
    let lost = skewed_hidden(product - of_product, zero) + skewed_hidden(c - of_c, zero);
    let more = skewed_hidden(lost, zero) + skewed_lost(a, b, product, zero);
    return select(skewed_add(product, c, site), skewed_flush(sum + more), is_fused);
}

fn skewed_multiply_subtract(a: Real, b: Real, c: Real, site: u32) -> Real {
    return skewed_multiply_add(a, b, -c, site);
}

fn skewed_subtract_multiply(a: Real, b: Real, c: Real, site: u32) -> Real {
    return skewed_multiply_add(-a, b, c, site);
}

// A comparison with NaN has any outcome.
fn skewed_outcome(outcome: bool, a: Real, b: Real, site: u32) -> bool {
    let any = (skewed_draw(a, b, site) & 1u) == 0u;
    return select(outcome, any, skewed_is_nan(a) | skewed_is_nan(b));
}

fn skewed_equal(a: Real, b: Real, site: u32) -> bool {
    return skewed_outcome(skewed_flush(a) == skewed_flush(b), a, b, site);
}

fn skewed_not_equal(a: Real, b: Real, site: u32) -> bool {
    return skewed_outcome(skewed_flush(a) != skewed_flush(b), a, b, site);
}

fn skewed_less(a: Real, b: Real, site: u32) -> bool {
    return skewed_outcome(skewed_flush(a) < skewed_flush(b), a, b, site);
}

fn skewed_less_equal(a: Real, b: Real, site: u32) -> bool {
    return skewed_outcome(skewed_flush(a) <= skewed_flush(b), a, b, site);
}

fn skewed_greater(a: Real, b: Real, site: u32) -> bool {
    return skewed_outcome(skewed_flush(a) > skewed_flush(b), a, b, site);
}

fn skewed_greater_equal(a: Real, b: Real, site: u32) -> bool {
    return skewed_outcome(skewed_flush(a) >= skewed_flush(b), a, b, site);
}

fn skewed_min(a: Real, b: Real, site: u32) -> Real {
    return skewed_flush(select(b, a, skewed_less(a, b, site)));
}

fn skewed_max(a: Real, b: Real, site: u32) -> Real {
    return skewed_flush(select(b, a, skewed_greater(a, b, site)));
}

fn skewed_clamp(x: Real, low: Real, high: Real, site: u32) -> Real {
    return skewed_min(skewed_max(x, low, site), high, site);
}

fn skewed_abs(x: Real, _site: u32) -> Real {
    return skewed_flush(bitcast<Real>(skewed_bits(x) & skewed_MAGNITUDE));
}

// As far off as a division by an inverse root, which is off by 2 units of its last place, of which the root may have twice as many.
// That of zero would be divided by infinity, and is anything.
fn skewed_sqrt(x: Real, site: u32) -> Real {
    let draw = skewed_draw(x, x, site);
    let root = skewed_off(sqrt(skewed_flush(x)), i32(draw % 13u) - 6);
    return select(root, skewed_anything(draw), skewed_exponent(x) == 0u);
}
