// A sum of weights that are floats: a fixed-point number of DIGITS digits of 32 bits, each a sum of its own that has 64
// bits and a sign, the lower word first, so that nothing is carried from one to the next. The lowest bit of the first
// digit is the least subnormal number. Behind them is what kinds of numbers have been seen, and a word of nothing.
//
// Bounds: what is added to a digit is below 2^32, so that fewer than 2^31 weights change its upper word by less than
// 2^31 - 1.

const TOTAL_WORDS: u32 = 2u * DIGITS + 2u;

// Words of a sum before those that are sets of bits.
const NUMBER_WORDS: u32 = 2u * DIGITS;

const KINDS: u32 = 2u * DIGITS;
