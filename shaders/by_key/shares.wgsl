// What a share hands over: how many heads it has, how many are before it (which the second pass finds), what it has
// before the first and behind the last.

const SHARE_WORDS: u32 = 2u + 2u * ACC_WORDS;
const OF_FIRST: u32 = 2u;
const OF_OPEN: u32 = 2u + ACC_WORDS;
