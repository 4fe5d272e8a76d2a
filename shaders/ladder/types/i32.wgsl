// Elements and sums are i32: two's complement; sums wrap modulo 2^32.
alias T = i32;
