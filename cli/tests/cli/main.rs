//! The program as its users run it.

mod cache;
mod devices;
mod explain;
mod generate;
mod harness;
mod input;
mod ladder;
mod operations;
mod study;
mod sum;
mod tune;
