//! Everything that must hold before a change lands; the same command everywhere.

use crate::setup::{self, Program};
use crate::shell::{self, Outcome, cargo, run, run_without_warnings};
use crate::{compilers, npm, python, web, workspace};
use std::process::Command;

/// Formatting, lints, docs, the page in a browser, tests, and one round of every benchmark. Some tests of software adapters are left
/// out (`thinned` in `tests/gpu/main.rs`), unless `WGPU_REDUCE_ALL_TESTS` is set; [`nightly`] runs all.
pub(crate) fn run_tests() -> Outcome {
    setup::components()?;
    setup::mpi()?;
    run(cargo().args(["fmt", "--all", "--check"]))?;
    results()?;
    run(workspace::cargo("clippy").args(["--all-targets", "--", "-D", "warnings"]))?;
    // The library as its users have it, without the features that the command line asks for.
    run(cargo().args(["clippy", "--package", "wgpu-reduce", "--lib", "--", "-D", "warnings"]))?;
    // What plans and composes, where there is no wgpu.
    let library = ["clippy", "--package", "wgpu-reduce", "--lib", "--no-default-features"];
    run(cargo().args(library).args(["--", "-D", "warnings"]))?;
    fuzz_targets()?;
    docs()?;
    setup::adapter(Program::WithTests)?;
    setup::test_adapters()?;
    if std::env::var_os("WGPU_REDUCE_ALL_TESTS").is_some() {
        compilers::set_up_fxc();
    }
    page()?;
    let environment = setup::test_environment();
    cargo_test(environment.clone())?;
    wider_subgroups()?;
    python::test()?;
    // Benchmarks check their answers before they time them.
    run(workspace::cargo("test").args(["--bench", "*"]).envs(environment))
}

/// What `cargo test` runs. The tests in documentation are some hundred processes that open a device each, with whatever adapters the
/// machine has by itself: of that many, one now and then is ended by a thread of SwiftShader's, just begun.
fn cargo_test(environment: Vec<(&'static str, String)>) -> Outcome {
    // A test runs them.
    run(workspace::cargo("build").arg("--examples"))?;
    let all_but_docs = ["--lib", "--bins", "--tests"];
    run(workspace::cargo("test").args(all_but_docs).envs(environment))?;
    run(workspace::cargo("test").arg("--doc").envs(setup::runtime_folder()))
}

/// Documentation of all members, and that of the library with its public features, as docs.rs builds it.
fn docs() -> Outcome {
    let strict = [("RUSTDOCFLAGS", "-D warnings")];
    run(workspace::cargo("doc").arg("--no-deps").envs(strict))?;
    let as_docs_rs = ["doc", "--package", "wgpu-reduce", "--features", "serde,tuned", "--no-deps"];
    let strict = [("RUSTDOCFLAGS", "-D warnings --cfg docsrs"), (shell::AS_DOCS_RS, "1")];
    let this = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    run(cargo().args(as_docs_rs).envs(strict).env("RUSTDOC", this))
}

/// That what `benches/RESULTS.md` says of the aims is what its tables have.
fn results() -> Outcome {
    let Some(python) = setup::python()? else {
        eprintln!("NOT COVERED: the table of aims, for want of Python 3");
        return Ok(());
    };
    run(Command::new(python).args(["benches/peers/aims.py", "--check"]).current_dir(shell::root()))
}

/// The page and the npm package, and with them the library as it is compiled for browsers.
fn page() -> Outcome {
    if setup::can_test_page() {
        return web::test_page().and_then(|()| npm::test());
    }
    if std::env::var_os("WGPU_REDUCE_ALLOW_NO_BROWSER").is_none() {
        return Err("the page and the npm package cannot be tested without a Chromium and Node; install them, or set \
                    WGPU_REDUCE_ALLOW_NO_BROWSER=1"
            .into());
    }
    eprintln!("NOT COVERED: the page and the npm package, for lack of a Chromium or of Node");
    Ok(())
}

/// That the fuzz targets, a workspace apart, still compile: without libFuzzer, which takes a C++ compiler and is needed to
/// link them alone. What they call is in `hostile/`, whose tests run it.
fn fuzz_targets() -> Outcome {
    let arguments = ["--locked", "--no-default-features", "--manifest-path", "fuzz/Cargo.toml"];
    let target = workspace::target_folder();
    run_without_warnings(cargo().arg("check").args(arguments).arg("--target-dir").arg(target))
}

/// What a nightly run says unless the environment does.
const NIGHTLY: [(&str, &str); 4] = [
    ("WGPU_REDUCE_ALL_TESTS", "1"),
    ("PROPTEST_CASES", "2560"),
    ("WGPU_REDUCE_CALLS", "100000"),
    ("WGPU_REDUCE_SOAK_SECONDS", "600"),
];

/// All tests, also those that `test` leaves out, with more random cases and more calls, and those of small devices on ones with
/// as few storage buffers as wgpu's downlevel defaults have.
pub(crate) fn nightly() -> Outcome {
    setup::mpi()?;
    setup::adapter(Program::WithTests)?;
    setup::test_adapters()?;
    compilers::set_up_fxc();
    let unsaid = NIGHTLY.into_iter().filter(|(name, _)| std::env::var_os(name).is_none());
    let environment = setup::test_environment();
    let unsaid = unsaid.map(|(name, value)| (name, value.to_owned()));
    cargo_test(environment.iter().cloned().chain(unsaid).collect())?;
    run(workspace::cargo("test")
        .args(["--test", "gpu", "--", "tight limits"])
        .envs(environment)
        .env("WGPU_REDUCE_STORAGE_BUFFERS", "4"))
}

/// Random work on every adapter, for so many minutes.
pub(crate) fn soak(minutes: &str) -> Outcome {
    let minutes: u64 = minutes.parse().map_err(|error| format!("{minutes}: {error}"))?;
    setup::adapter(Program::WithTests)?;
    setup::test_adapters()?;
    let seconds = minutes.saturating_mul(60).to_string();
    run(workspace::cargo("test")
        .args(["--test", "gpu", "--", "soak", "--nocapture"])
        .envs(setup::test_environment())
        .env("WGPU_REDUCE_SOAK_SECONDS", seconds))
}

/// The collectives on subgroups of 16, which no driver here has by itself: those of Mesa's llvmpipe are as wide
/// as it is told its vectors are.
fn wider_subgroups() -> Outcome {
    let Some(driver) = setup::mesa_driver() else {
        eprintln!("NOT COVERED: subgroups of 16, for want of Mesa's llvmpipe");
        return Ok(());
    };
    run(workspace::cargo("test")
        .args(["--test", "gpu", "--", "edge_lengths"])
        .env("LP_NATIVE_VECTOR_WIDTH", "512")
        .env("VK_DRIVER_FILES", driver)
        .env("WGPU_BACKEND", "vulkan")
        .envs(setup::for_speed()))
}
