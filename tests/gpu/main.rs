//! Tests that need a GPU, run on every adapter present and named after it.

mod concurrency;
mod encode;
mod errors;
mod exact;
mod harness;
mod ladder;
mod pipelines;
mod properties;
mod sum;
mod transfer;
mod tuning_table;
mod wrapping_sum;

use harness::rig;
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::init();
    let arguments = Arguments::from_args();
    let rigs: &'static [harness::Rig] = Box::leak(rig::rigs().into_boxed_slice());
    let subjects = [
        properties::trials,
        sum::trials,
        wrapping_sum::trials,
        encode::trials,
        transfer::trials,
        errors::trials,
        exact::trials,
        concurrency::trials,
        pipelines::trials,
        ladder::trials,
        tuning_table::trials,
    ];
    let mut trials =
        vec![Trial::test("coverage", || rig::check_coverage(rigs).map_err(Failed::from))];
    trials.extend(subjects.into_iter().flat_map(|subject| subject(rigs)));
    libtest_mimic::run(&arguments, trials).exit_code()
}
