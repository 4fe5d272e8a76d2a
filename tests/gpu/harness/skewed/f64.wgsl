// f64, for arithmetic.wgsl.

const skewed_FRACTION: u32 = 52u;
const skewed_EXPONENTS: u32 = 0x7ffu;
const skewed_MAGNITUDE: u64 = 0x7ffffffffffffffflu;
const skewed_INFINITY: u64 = 0x7ff0000000000000lu;
// Splits a fraction into halves.
const skewed_HALVES: f64 = 134217729.0;

fn skewed_fold(bits: u64) -> u32 {
    return u32(bits) ^ u32(bits >> 32u);
}

fn skewed_anything(draw: u32) -> f64 {
    return bitcast<f64>(u64(draw) << 32u);
}
