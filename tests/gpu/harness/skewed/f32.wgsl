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

// Of a number that f32 does not have, one of the two beside it.
fn skewed_from_unsigned(x: u32, site: u32) -> f32 {
    let nearest = f32(x);
    let is_exact = firstLeadingBit(x) - firstTrailingBit(x) < 24u;
    let is_above = nearest == 4294967296.0 || u32(nearest) > x;
    let other = skewed_off(nearest, select(1, -1, is_above));
    let is_other = (skewed_draw(nearest, bitcast<f32>(x), site) & 1u) == 0u;
    return select(nearest, other, is_other && x != 0u && !is_exact);
}

fn skewed_from_signed(x: i32, site: u32) -> f32 {
    let magnitude = skewed_from_unsigned(select(bitcast<u32>(x), 0u - bitcast<u32>(x), x < 0), site);
    return select(magnitude, -magnitude, x < 0);
}
