// What has been seen among the terms of an exact sum.
const NOT_NEGATIVE_ZERO: u32 = 1u;
const POSITIVE_INFINITY: u32 = 2u;
const NEGATIVE_INFINITY: u32 = 4u;
const NOT_A_NUMBER: u32 = 8u;
const NEGATIVE_ZERO: u32 = 16u;
