// f32, for arithmetic.wgsl.

const skewed_FRACTION: u32 = 23u;
const skewed_EXPONENTS: u32 = 0xffu;
const skewed_MAGNITUDE: u32 = 0x7fffffffu;
const skewed_INFINITY: u32 = 0x7f800000u;
// Splits a fraction into halves.
const skewed_HALVES: f32 = 4097.0;

fn skewed_fold(bits: u32) -> u32 {
    return bits;
}

fn skewed_anything(draw: u32) -> f32 {
    return bitcast<f32>(draw);
}

// A number that f32 does not have becomes one of the two beside it.
fn skewed_from_unsigned(x: u32, site: u32) -> f32 {
    let nearest = f32(x);
    let is_exact = firstLeadingBit(x) - firstTrailingBit(x) < 24u;
    // By its bits, as Mesa's GL takes a number that is converted there and back for itself.
    let bits = bitcast<u32>(nearest);
    let back = ((bits & 0x7fffffu) | 0x800000u) << ((max(bits >> 23u, 150u) - 150u) & 31u);
    let is_above = (nearest == 4294967296.0) | (back > x);
    let other = skewed_off(nearest, select(1, -1, is_above));
    let is_other = (skewed_draw(nearest, bitcast<f32>(x), site) & 1u) == 0u;
    return select(nearest, other, is_other & (x != 0u) & !is_exact);
}

fn skewed_from_signed(x: i32, site: u32) -> f32 {
    let magnitude = skewed_from_unsigned(select(bitcast<u32>(x), 0u - bitcast<u32>(x), x < 0), site);
    return select(magnitude, -magnitude, x < 0);
}

// Off by `2 + |x|` units of the last place beyond the adapter's own error.
fn skewed_exp(x: f32, site: u32) -> f32 {
    let most = i32(2.0 + min(abs(x), 128.0));
    let steps = i32(skewed_draw(x, x, site) % u32(2 * most + 1)) - most;
    return skewed_flush(skewed_off(exp(skewed_flush(x)), steps));
}

// Off by 2 units of the last place beyond the adapter's own error; near one, where the error allowed is absolute, by 2^-22.
fn skewed_log(x: f32, site: u32) -> f32 {
    let logarithm = log(skewed_flush(x));
    let steps = i32(skewed_draw(x, x, site) % 5u) - 2;
    let moved = skewed_flush(logarithm + f32(steps) * 0x1p-23);
    return select(skewed_off(logarithm, steps), moved, (x >= 0.5) & (x <= 2.0));
}

// As far off as what WGSL takes its error from, `exp2(y * log2(x))`.
fn skewed_pow(x: f32, y: f32, site: u32) -> f32 {
    return skewed_exp(skewed_multiply(y, skewed_log(x, site), site), site);
}
