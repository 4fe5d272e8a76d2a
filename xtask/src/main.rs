//! `cargo xtask`: set-up, demo and tests in one command each.

mod compilers;
mod content;
mod counts;
mod demo;
mod npm;
mod python;
mod quick;
mod serve;
mod setup;
mod shell;
mod test;
mod wasm;
mod web;
mod workspace;

use setup::Program;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <command>

commands:
  demo [FILE.npy]  set up what is missing, reduce FILE.npy (or 16 Mi generated numbers) on the GPU
                   and print the result beside the CPU's
  test             set up what is missing, then formatting, lints, docs and tests; some tests on software adapters, and
                   most shaders for compilers, are left out, unless WGPU_REDUCE_ALL_TESTS is set
  quick [TEST ...] the GPU tests that matter most to what git sees changed, or those named, on llvmpipe: some three minutes
  nightly          set up what is missing, then all tests with ten times their random cases, ten minutes of random
                   work and 100000 calls that may leak nothing, unless PROPTEST_CASES, WGPU_REDUCE_SOAK_SECONDS and
                   WGPU_REDUCE_CALLS say otherwise; then those of small devices with fewer storage buffers
  soak --minutes N random work on every adapter, for so long
  counts           numbers that the project holds itself to: methods, types, lines, bytes of documents
  setup            only set up what is missing
  wasm             the library compiled for browsers; nothing may be warned of
  web [--build]    build the page for browsers in web-demo/dist, and show it on this machine, or only build it
  web-test         build the page, and run it in a Chromium without a window
  npm              build the npm package in npm/dist
  npm-docs         build the npm package, and the pages of its interface in npm/built/api
  npm-test         build the npm package, and test it in a Chromium, a Firefox, Node, Bun and Deno
  python-test      build the Python package, and test it in an environment of its own
";

fn main() -> ExitCode {
    if std::env::var_os(shell::AS_DOCS_RS).is_some() {
        return shell::rustdoc_as_docs_rs();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["demo"] => demo::run_demo(None),
        ["demo", file] => demo::run_demo(Some(file)),
        ["test"] => test::run_tests(),
        ["quick", ref filters @ ..] => quick::run_tests(filters),
        ["nightly"] => test::nightly(),
        ["soak", "--minutes", minutes] => test::soak(minutes),
        ["wasm"] => web::check_library(),
        ["web", "--build"] => web::build_page(),
        ["web"] => web::build_page().and_then(|()| serve::serve(&web::dist())),
        ["web-test"] => web::test_page(),
        ["npm"] => npm::build(),
        ["npm-docs"] => npm::document(),
        ["npm-test"] => npm::test(),
        ["python-test"] => python::test(),
        ["counts"] => counts::print(),
        ["setup"] => setup::adapter(Program::Alone).and_then(|()| setup::test_adapters()),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
