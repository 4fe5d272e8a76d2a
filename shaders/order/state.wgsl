// What passes tell each other of a rank: four words. Two are what is known of its key, or of the index that its element has; two are how
// many elements of which the same is known stand before it.

// Of the last: every element with the key is wanted.
const EVERY_ALIKE: u32 = 0x80000000u;
