//! Tests that need a GPU, run on every adapter present and named after it.

mod axis;
mod by_key;
mod calls;
mod concurrency;
mod custom;
mod custom_along;
mod custom_examples;
mod doubles;
mod encode;
mod errors;
mod exact;
mod exact_axis;
mod exact_dot;
mod exact_many;
mod faults;
mod few_buffers;
mod full_memory;
mod harness;
mod histogram;
mod histogram_edges;
mod histogram_levels;
mod histogram_weighted;
mod inputs;
mod kept;
mod ladder;
mod leaks;
mod long;
mod multi;
mod numerics;
mod numpy;
mod numpy_axis;
mod numpy_dot;
mod numpy_histogram;
mod numpy_segments;
mod packed;
mod pairs;
mod pipelines;
mod properties;
mod segments;
mod soak;
mod stream;
#[path = "../shared/submission.rs"]
mod submission;
mod sum;
mod transfer;
mod tuning_table;
mod wrapping_sum;

use harness::rig::{self, GL};
use harness::{times, validation};
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::HashMap;
use std::num::NonZero;
use std::process::ExitCode;

fn main() -> ExitCode {
    let complaints = validation::listen();
    let arguments = Arguments::from_args();
    let rigs: &'static [harness::Rig] = Box::leak(rig::rigs().into_boxed_slice());
    let subjects = [
        properties::trials,
        axis::trials,
        segments::trials,
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
        exact::trials,
        exact_axis::trials,
        exact_dot::trials,
        exact_many::trials,
        inputs::trials,
        calls::trials,
        concurrency::trials,
        custom::trials,
        custom_along::trials,
        custom_examples::trials,
        pipelines::trials,
        kept::trials,
        ladder::trials,
        long::trials,
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
        stream::trials,
        tuning_table::trials,
    ];
    let mut trials =
        vec![Trial::test("coverage", || rig::check_coverage(rigs).map_err(Failed::from))];
    let of_all = |rigs| subjects.into_iter().flat_map(|subject| subject(rigs)).collect::<Vec<_>>();
    trials.extend(of_all(rigs));
    trials.extend(few_buffers::trials(rigs, of_all));
    let conclusion = run(&arguments, trials);
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

/// Runs the trials, two for each core, since half of their time is waiting for the device.
fn run(arguments: &Arguments, trials: Vec<Trial>) -> ExitCode {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let test_threads = arguments.test_threads.or(Some(2 * cores));
    let arguments = Arguments { test_threads, ..arguments.clone() };
    libtest_mimic::run(&arguments, spread(thinned(&arguments, trials))).exit_code()
}

/// Of tests through OpenGL on software every so many-th runs.
const THROUGH_GL: usize = 4;

/// Without some of those of software adapters, unless some tests are asked for or all are: every fourth through OpenGL, which wait
/// for each other and whose compilers take minutes, and of those through Vulkan what [`is_enough`] says.
fn thinned(arguments: &Arguments, trials: Vec<Trial>) -> Vec<Trial> {
    if arguments.filter.is_some() || std::env::var_os("WGPU_REDUCE_ALL_TESTS").is_some() {
        return trials;
    }
    let given = trials.len();
    let is_slow = |trial: &Trial| trial.name().contains(GL) && trial.name().contains("llvmpipe");
    let (slow, others): (Vec<_>, Vec<_>) = trials.into_iter().partition(is_slow);
    let some = slow.into_iter().step_by(THROUGH_GL);
    let kept: Vec<_> = with_and_without_subgroups(others).into_iter().chain(some).collect();
    if kept.len() < given {
        let left_out = given - kept.len();
        println!(
            "NOT COVERED: {left_out} tests of software adapters; WGPU_REDUCE_ALL_TESTS=1 runs them"
        );
    }
    kept
}

/// Of tests that SwiftShader and llvmpipe each have in two configurations, with subgroups and without, two of the four.
fn with_and_without_subgroups(trials: Vec<Trial>) -> Vec<Trial> {
    let of_software = |trial: &Trial| {
        let (test, rig) = trial.name().split_once(" [")?;
        let adapter = ["SwiftShader", "llvmpipe"].iter().position(|name| rig.contains(name))?;
        (!rig.contains("storage buffers")).then(|| (test.to_owned(), adapter))
    };
    let mut configurations: HashMap<_, [usize; 2]> = HashMap::new();
    for (test, adapter) in trials.iter().filter_map(of_software) {
        configurations.entry(test).or_default()[adapter] += 1;
    }
    let mut passed: HashMap<_, [usize; 2]> = HashMap::new();
    let is_chosen = |trial: &Trial| {
        let Some((test, adapter)) = of_software(trial) else { return true };
        let choice = test
            .bytes()
            .fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
        let is_in_all = configurations[&test] == [2, 2];
        let number = &mut passed.entry(test).or_default()[adapter];
        *number += 1;
        !is_in_all || is_enough(choice % 4, adapter == 0, *number - 1)
    };
    trials.into_iter().filter(is_chosen).collect()
}

/// Whether a test's configuration, 0 with subgroups and 1 without, is one of its two. For one test of two that is one on SwiftShader,
/// whose compiler takes most of the time, and the other on llvmpipe; for the others both on llvmpipe.
fn is_enough(choice: usize, is_swiftshader: bool, configuration: usize) -> bool {
    let is_on_both = choice < 2;
    if is_swiftshader {
        is_on_both && configuration == choice
    } else {
        !is_on_both || configuration != choice
    }
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
