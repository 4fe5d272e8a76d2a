//! The program as its users run it.

mod along;
mod bench;
mod cache;
mod deadline;
mod devices;
mod dot;
mod exact;
mod explain;
mod generate;
mod harness;
mod histogram;
mod input;
mod ladder;
mod numeric;
mod operations;
mod outputs;
mod pictures;
mod ranks;
mod segments;
mod sizes;
mod strangers;
mod stream;
mod study;
mod sum;
mod tune;
mod whole;
