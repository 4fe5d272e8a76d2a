//! Running other programs, from the root of the workspace.

use crate::workspace::target_folder;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// What a step failed with, for people.
pub(crate) type Outcome = Result<(), String>;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // Temporary files may be large, and the system's folder for them small.
    let temporary = target_folder().join("tmp");
    if std::fs::create_dir_all(&temporary).is_ok() {
        command.env("TMPDIR", temporary);
    }
    command
}

/// Runs a command, showing it, its output and how long it took.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = show(command);
    eprintln!("\n$ {shown}");
    let begun = Instant::now();
    match command.status() {
        Ok(status) if status.success() => {
            eprintln!("# {} s", begun.elapsed().as_secs());
            Ok(())
        }
        Ok(status) => Err(format!("`{shown}` failed ({status})")),
        Err(error) => Err(format!("`{shown}` cannot be run: {error}")),
    }
}

/// Runs a command of cargo's as [`run`] does, and fails if it warns of a package of this workspace; cargo does so
/// again where it compiles nothing.
pub(crate) fn run_without_warnings(command: &mut Command) -> Outcome {
    let shown = show(command);
    eprintln!("\n$ {shown}");
    let failed = |error: io::Error| format!("`{shown}` cannot be run: {error}");
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut warnings = 0;
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines() {
            let line = line.map_err(failed)?;
            warnings += usize::from(line.starts_with("warning: `wgpu-reduce"));
            eprintln!("{line}");
        }
    }
    match child.wait().map_err(failed)? {
        status if !status.success() => Err(format!("`{shown}` failed ({status})")),
        _ if warnings > 0 => Err(format!("`{shown}` warned")),
        _ => Ok(()),
    }
}

/// Set for a cargo whose rustdoc this program is.
pub(crate) const AS_DOCS_RS: &str = "XTASK_AS_RUSTDOC";

/// Runs rustdoc with what it was given, and lets it use what docs.rs has a nightly compiler for. Cargo itself is not told, which
/// would compile everything anew.
pub(crate) fn rustdoc_as_docs_rs() -> ExitCode {
    let mut rustdoc = Command::new("rustdoc");
    let arguments = std::env::args_os().skip(1);
    let status = rustdoc.args(arguments).env("RUSTC_BOOTSTRAP", "1").status();
    if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether a command succeeds; its output is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// What a command prints, if it succeeds.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first of these programs that is in the path.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let suffix = std::env::consts::EXE_SUFFIX;
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(format!("{name}{suffix}"))))
        .find(|path| path.is_file())
}

fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
