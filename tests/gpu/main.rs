//! Tests that need a GPU, run on every adapter present and named after it.

mod alike;
mod any_operation;
mod axes;
mod axis;
mod beside_axis;
#[path = "../shared/busy.rs"]
mod busy;
mod by_key;
mod calls;
mod concurrency;
mod custom;
mod custom_along;
mod custom_examples;
mod deviations;
mod doubles;
mod encode;
mod errors;
mod exact;
mod exact_axis;
mod exact_dot;
mod exact_many;
mod exact_stream;
mod exponentials;
mod faults;
mod few_buffers;
mod full_memory;
mod groups;
mod groups_refused;
mod harness;
mod histogram;
mod histogram_edges;
mod histogram_levels;
mod histogram_weighted;
mod inputs;
mod judged;
mod kept;
mod ladder;
mod leaks;
mod long;
mod masked;
mod max_memory;
mod multi;
mod numerics;
mod numpy;
mod numpy_axis;
mod numpy_dot;
mod numpy_histogram;
mod numpy_segments;
mod order;
mod order_again;
mod order_axis;
mod packed;
mod pairs;
mod pipelines;
mod properties;
mod readers;
mod requests;
mod segments;
mod several;
mod skewed;
mod soak;
mod stream;
#[path = "../shared/submission.rs"]
mod submission;
mod sum;
mod thinning;
mod transfer;
mod tuning_table;
mod wide_grids;
#[path = "../shared/workgroup_memory.rs"]
mod workgroup_memory;
mod wrapping_sum;

use harness::rig::{self, GL};
use harness::{times, validation};
use libtest_mimic::{Arguments, Failed, Trial};
use std::num::NonZero;
use std::process::ExitCode;

/// A family of tests, on these rigs.
type Family = fn(&'static [harness::Rig]) -> Vec<Trial>;

const FAMILIES: &[Family] = &[
    properties::trials,
    requests::trials,
    alike::trials,
    any_operation::trials,
    axes::trials,
    axis::trials,
    beside_axis::trials,
    segments::trials,
    several::trials,
    by_key::trials,
    histogram::trials,
    histogram_edges::trials,
    histogram_levels::trials,
    histogram_weighted::trials,
    sum::trials,
    wrapping_sum::trials,
    encode::trials,
    transfer::trials,
    errors::trials,
    faults::trials,
    full_memory::trials,
    leaks::trials,
    order::trials,
    order_again::trials,
    order_axis::trials,
    exact::trials,
    exact_axis::trials,
    exact_dot::trials,
    exact_many::trials,
    exact_stream::trials,
    inputs::trials,
    calls::trials,
    concurrency::trials,
    custom::trials,
    custom_along::trials,
    custom_examples::trials,
    deviations::trials,
    exponentials::trials,
    pipelines::trials,
    kept::trials,
    ladder::trials,
    long::trials,
    groups::trials,
    groups_refused::trials,
    masked::trials,
    multi::trials,
    numerics::trials,
    doubles::trials,
    numpy::trials,
    numpy_axis::trials,
    numpy_dot::trials,
    numpy_histogram::trials,
    numpy_segments::trials,
    packed::trials,
    pairs::trials,
    soak::trials,
    readers::trials,
    stream::trials,
    tuning_table::trials,
    wide_grids::trials,
];

fn main() -> ExitCode {
    if let Some(status) = with_allocator() {
        return status;
    }
    let complaints = validation::listen();
    let arguments = Arguments::from_args();
    let rigs: &'static [harness::Rig] = Box::leak(rig::rigs().into_boxed_slice());
    let mut trials =
        vec![Trial::test("coverage", || rig::check_coverage(rigs).map_err(Failed::from))];
    trials.extend(judged::trials());
    let of_all = |rigs| FAMILIES.iter().flat_map(|family| family(rigs)).collect::<Vec<_>>();
    trials.extend(of_all(rigs));
    trials.extend(few_buffers::trials(rigs, of_all));
    trials.extend(skewed::trials(rigs, of_all));
    trials.push(thinning::check(&trials));
    let conclusion = run(&arguments, trials, rigs);
    times::print();
    let complaints = complaints.distinct();
    for complaint in &complaints {
        eprintln!("{complaint}\n");
    }
    if !complaints.is_empty() {
        eprintln!("{} complaints of the validation layers", complaints.len());
        return ExitCode::FAILURE;
    }
    conclusion
}

/// Starts this program again with the allocator of C that `WGPU_REDUCE_ALLOCATOR` names, unless it has one: compilers of software
/// adapters spend a fifth of their time in glibc's. Other programs of tests load what does not bear it.
#[cfg(unix)]
fn with_allocator() -> Option<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    const PRELOAD: &str = "LD_PRELOAD";

    let library = std::env::var_os("WGPU_REDUCE_ALLOCATOR")?;
    if std::env::var_os(PRELOAD).is_some() {
        return None;
    }
    let mut again = std::process::Command::new(std::env::current_exe().ok()?);
    let error = again.args(std::env::args_os().skip(1)).env(PRELOAD, library).exec();
    eprintln!("this program cannot be started again: {error}");
    Some(ExitCode::FAILURE)
}

#[cfg(not(unix))]
fn with_allocator() -> Option<ExitCode> {
    None
}

/// Runs the trials, two for each core, since half of their time is waiting for the device.
fn run(arguments: &Arguments, trials: Vec<Trial>, rigs: &[harness::Rig]) -> ExitCode {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let test_threads = arguments.test_threads.or(Some(2 * cores));
    let arguments = Arguments { test_threads, ..arguments.clone() };
    let trials = spread(thinning::thinned(&arguments, trials));
    let conclusion = libtest_mimic::run(&arguments, trials).exit_code();
    // No thread waits in a driver when the program ends, since drivers take themselves apart then.
    for rig in rigs {
        // A device that was lost has nothing left.
        let _ = rig.reducer.device().poll(wgpu::PollType::wait_indefinitely());
    }
    conclusion
}

/// Those through OpenGL, which wait for each other, far from each other.
fn spread(trials: Vec<Trial>) -> Vec<Trial> {
    let (through_gl, others): (Vec<_>, Vec<_>) =
        trials.into_iter().partition(|trial| trial.name().contains(GL));
    let (len, through_gl_len) = (others.len(), through_gl.len());
    let mut rest = others.into_iter();
    let mut spread = Vec::with_capacity(len + through_gl_len);
    for (index, trial) in through_gl.into_iter().enumerate() {
        let before = len * (index + 1) / through_gl_len - len * index / through_gl_len;
        spread.extend(rest.by_ref().take(before));
        spread.push(trial);
    }
    spread.extend(rest);
    spread
}
