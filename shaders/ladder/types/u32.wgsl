// Elements and sums are u32: unsigned; sums wrap modulo 2^32.
alias T = u32;
