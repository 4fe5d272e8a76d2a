//! `wgpu-reduce`: reductions of `.npy` and raw files on the GPU, from the command line.
//!
//! | command | does |
//! |---|---|
//! | `devices` | lists the adapters |
//! | `sum`, `min`, `stats` and so on, one for each operation | reduces a file on the GPU, and on the CPU to compare |
//! | `dot` | reduces two files, element by element |
//! | `median`, `quantile`, `nan-median`, `nan-quantile`, `nth` | finds elements by their rank |
//! | `top-k`, `bottom-k` | finds the largest or smallest elements with their indices |
//! | `histogram` | counts the elements of a file, or the pixels of an image, in bins |
//! | `explain` | shows what a reduction would run |
//! | `generate` | writes a `.npy` file of random numbers |
//! | `bench` | times a reduction at several lengths |
//! | `ladder` | runs and times every level of the ladder |
//! | `study` | repeats a measurement of the write-ups that the ladder comes from |
//! | `tune` | finds and stores the fastest tunings of an adapter |
//!
//! Exit status: 0 for success, 2 for a mistake in the command line, 130 after Ctrl-C, 128 and its
//! number after another signal, 1 for everything else.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod adapter;
mod along;
mod args;
mod bench;
mod buffers;
mod cache;
mod chart;
mod check;
mod chosen;
mod contiguous;
mod count;
mod deadline;
mod devices;
mod dot;
mod exact;
mod explain;
mod failure;
mod fields;
mod figures;
mod generate;
mod histogram;
mod input;
mod interrupt;
mod kept;
mod ladder;
mod masked;
mod measure;
mod memory;
mod number;
mod numeric;
mod operations;
mod order;
mod output;
mod progress;
mod quantile;
mod quiet;
mod readings;
mod records;
mod reduce;
mod report;
mod results;
mod rounded;
mod rows;
mod runs;
mod sample;
mod segments;
mod spent;
mod stream;
mod study;
mod table;
mod tune;
mod tuned;
mod upload;

use args::{Arguments, Command};
use clap::{CommandFactory as _, FromArgMatches as _};
use failure::Failure;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    spent::start();
    let mut matches = numeric::with_signs(Arguments::command()).get_matches();
    let arguments = match Arguments::from_arg_matches_mut(&mut matches) {
        Ok(arguments) => arguments,
        Err(error) => error.format(&mut Arguments::command()).exit(),
    };
    start_log();
    quiet::start_with_runtime_folder();
    interrupt::listen();
    let mut out = io::stdout().lock();
    deadline::end(run(&arguments.command, &mut out))
}

fn run(command: &Command, out: &mut impl Write) -> Result<(), Failure> {
    match command {
        Command::Devices(arguments) => devices::run(arguments, out)?,
        Command::Reduce(operation) => operation.run(out)?,
        Command::Dot(arguments) => dot::run(arguments, out)?,
        Command::Median(ranking) => ranking.median(out)?,
        Command::Quantile(quantile) => quantile.find(out)?,
        Command::NanMedian(ranking) => ranking.nan_median(out)?,
        Command::NanQuantile(quantile) => quantile.find_of_numbers(out)?,
        Command::Nth(nth) => nth.find(out)?,
        Command::TopK(ends) => ends.find_largest(out)?,
        Command::BottomK(ends) => ends.find_smallest(out)?,
        Command::Histogram(arguments) => histogram::run(arguments, out)?,
        Command::Explain(arguments) => explain::run(arguments, out)?,
        Command::Generate(arguments) => generate::run(arguments, out)?,
        Command::Bench(arguments) => bench::run(arguments, out)?,
        Command::Ladder(arguments) => ladder::run(arguments, out)?,
        Command::Study(arguments) => study::run(arguments, out)?,
        Command::Tune(arguments) => tune::run(arguments, out)?,
    }
    Ok(out.flush()?)
}

/// Warnings go to standard error, those of the GPU stack only if they are errors; `RUST_LOG` says
/// otherwise. EGL's errors are about displays that it tries before it finds one, and mean nothing.
fn start_log() {
    let filter = "warn,wgpu_hal=error,wgpu_hal::gles::egl=off,wgpu_core=error,naga=error";
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(filter)).init();
}
