//! Everything that must hold before a change lands; the same command everywhere.

use crate::setup::{self, Program};
use crate::shell::{Outcome, cargo, run};

/// Formatting, lints, docs, all tests, and one round of every benchmark.
pub(crate) fn run_tests() -> Outcome {
    setup::components()?;
    run(cargo().args(["fmt", "--all", "--check"]))?;
    run(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // The library as its users have it, without the features that the command line asks for.
    run(cargo().args(["clippy", "--package", "wgpu-reduce", "--lib", "--", "-D", "warnings"]))?;
    run(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    setup::adapter(Program::Dev)?;
    setup::test_adapters()?;
    let environment = setup::test_environment(Program::Dev);
    run(cargo().args(["test", "--workspace"]).envs(environment.clone()))?;
    // Benchmarks check their answers before they time them.
    run(cargo().args(["test", "--workspace", "--benches"]).envs(environment))
}
