//! What compiles to WebAssembly: the toolchain in use, if it has the target or can get it, else Debian's.

use crate::setup;
use crate::shell::{self, Outcome, output, run, succeeds};
use crate::workspace::target_folder;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// A compiler for browsers.
pub(crate) struct Compiler {
    /// Whether it is Debian's, which has the standard library as source only.
    is_debians: bool,
    /// Where it puts what it makes, apart from the rest: the compilers may differ.
    pub(crate) target: PathBuf,
}

const DEBIANS_RUSTC: &str = "/usr/bin/rustc";
const DEBIANS_CARGO: &str = "/usr/bin/cargo";

impl Compiler {
    /// Finds one, or installs it.
    pub(crate) fn find() -> Result<Self, String> {
        let target = target_folder().join("web");
        let has_target = || {
            let mut command = Command::new("rustc");
            let folder = output(command.args(["--print", "target-libdir", "--target", TARGET]));
            folder.is_some_and(|folder| Path::new(folder.trim()).exists())
        };
        let added = || succeeds(Command::new("rustup").args(["target", "add", TARGET]));
        let is_debians = !has_target() && !added();
        if is_debians && !has_debians() {
            eprintln!("no {TARGET} by rustup; installing Debian's compiler for it");
            setup::install(&["rustc-web", "cargo-web", "rust-web-src"])?;
        }
        Ok(Self { is_debians, target })
    }

    /// `cargo COMMAND` for browsers.
    pub(crate) fn cargo(&self, command: &str) -> Command {
        if !self.is_debians {
            let mut cargo = shell::cargo();
            cargo.args([command, "--target", TARGET]).env("CARGO_TARGET_DIR", &self.target);
            return cargo;
        }
        let mut cargo = Command::new(DEBIANS_CARGO);
        cargo
            .current_dir(shell::root())
            .args([command, "-Zbuild-std=std,panic_abort", "--target", TARGET])
            .env("RUSTC", DEBIANS_RUSTC)
            // The flag is not stable, but the sources are those of this very compiler.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", &self.target);
        if let Some(linker) = linker() {
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        cargo
    }
}

fn has_debians() -> bool {
    let knows = |command: &mut Command| {
        output(command).is_some_and(|text| text.lines().any(|line| line.trim() == TARGET))
    };
    Path::new(DEBIANS_CARGO).exists()
        && knows(Command::new(DEBIANS_RUSTC).args(["--print", "target-list"]))
        && source_of_std().exists()
}

/// Where Debian's compiler looks for the standard library's source.
fn source_of_std() -> PathBuf {
    let root = output(Command::new(DEBIANS_RUSTC).args(["--print", "sysroot"]));
    Path::new(root.as_deref().unwrap_or("/usr").trim()).join("lib/rustlib/src/rust/library/std")
}

/// The linker of the toolchain in use; Debian's compiler has none for this target.
fn linker() -> Option<PathBuf> {
    let root = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let hosts = Path::new(root.trim()).join("lib/rustlib").read_dir().ok()?;
    hosts.flatten().map(|host| host.path().join("bin/rust-lld")).find(|linker| linker.exists())
}

/// The program that makes modules of what compilers leave, of the version that the lock file has.
pub(crate) fn bindgen() -> Result<PathBuf, String> {
    let version = locked_version("wasm-bindgen").ok_or("Cargo.lock has no wasm-bindgen")?;
    let name = format!("wasm-bindgen{}", std::env::consts::EXE_SUFFIX);
    let tools = target_folder().join("tools");
    let ours = tools.join("bin").join(&name);
    let is_right = |program: &Path| {
        let said = output(Command::new(program).arg("--version"));
        said.is_some_and(|said| said.split_whitespace().any(|word| word == version))
    };
    for program in [Path::new(&name), &ours] {
        if is_right(program) {
            return Ok(program.to_path_buf());
        }
    }
    install_bindgen(&version, &tools)?;
    Ok(ours)
}

fn install_bindgen(version: &str, tools: &Path) -> Outcome {
    let mut command = shell::cargo();
    // It works for seconds, and to optimise it would take minutes.
    command.args(["install", "--debug", "wasm-bindgen-cli", "--version", version]);
    run(command.env("CARGO_PROFILE_DEV_DEBUG", "false").arg("--root").arg(tools))
}

fn locked_version(package: &str) -> Option<String> {
    let lock = std::fs::read_to_string(shell::root().join("Cargo.lock")).ok()?;
    let entry = lock
        .split("[[package]]")
        .find(|entry| entry.lines().any(|line| line == format!("name = \"{package}\"")))?;
    let line = entry.lines().find_map(|line| line.strip_prefix("version = "))?;
    Some(line.trim_matches('"').to_string())
}
