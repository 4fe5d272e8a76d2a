//! Tests of the library as a whole: of what may fail, of what devices are given, and of what is read.

mod allocations;
pub(crate) mod carry;
pub(crate) mod faults;
pub(crate) mod goldens;
pub(crate) mod overreads;
