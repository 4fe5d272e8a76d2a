//! Tests that need a GPU, run on every adapter present and named after it.

mod harness;
mod sum;

use harness::rig;
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::init();
    let arguments = Arguments::from_args();
    let rigs: &'static [harness::Rig] = Box::leak(rig::rigs().into_boxed_slice());
    let coverage = Trial::test("coverage", || rig::check_coverage().map_err(Failed::from));
    let trials = std::iter::once(coverage).chain(sum::trials(rigs)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
