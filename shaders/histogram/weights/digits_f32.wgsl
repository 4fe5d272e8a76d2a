// Digits for the 277 bits of every f32.
const DIGITS: u32 = 9u;
