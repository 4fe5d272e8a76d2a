// Digits for the 2098 bits of every f64.
const DIGITS: u32 = 66u;
