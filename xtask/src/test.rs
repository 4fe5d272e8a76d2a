//! Everything that must hold before a change lands; the same command everywhere.

use crate::setup;
use crate::shell::{Outcome, cargo, run};
use crate::web;

/// Formatting, lints, docs, all tests, one round of every benchmark, and the page in a browser.
pub(crate) fn run_tests() -> Outcome {
    setup::components()?;
    run(cargo().args(["fmt", "--all", "--check"]))?;
    run(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // The library as its users have it, without the features that the command line asks for.
    run(cargo().args(["clippy", "--package", "wgpu-reduce", "--lib", "--", "-D", "warnings"]))?;
    run(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    setup::adapter()?;
    setup::test_adapters()?;
    let environment = setup::test_environment();
    run(cargo().args(["test", "--workspace"]).envs(environment.clone()))?;
    // Benchmarks check their answers before they time them.
    run(cargo().args(["test", "--workspace", "--benches"]).envs(environment))?;
    if !setup::can_test_page() {
        eprintln!("NOT COVERED: the page, for lack of a Chromium or of Node");
        return Ok(());
    }
    web::check_library()?;
    web::test_page()
}
