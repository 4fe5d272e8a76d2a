// What passes tell each other of a rank: four words. Two are what is known of its key, or of the index that its element has; two are how
// many elements of which the same is known stand before it. Before the first digit of quantiles of numbers, two are q and two what is added to
// its product; and behind all ranks stands how many elements or numbers there are.

// Of the last: every element with the key is wanted.
const EVERY_ALIKE: u32 = 0x80000000u;
