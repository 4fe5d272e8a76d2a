// Elements and sums are f32: IEEE 754 binary32; every addition rounds.
alias T = f32;
