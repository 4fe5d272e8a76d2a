//! Compilers that are programs: they are given a text on their standard input, and complain on their outputs.

use crate::translate::Checked;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Khronos' validator of SPIR-V, if it is in the path.
pub(crate) fn spirv_val() -> Option<PathBuf> {
    in_path("spirv-val")
}

/// Apple's compiler of MSL, if `xcrun` knows it.
pub(crate) fn metal() -> Option<PathBuf> {
    let found = Command::new(in_path("xcrun")?).args(["--find", "metal"]).output().ok()?;
    let path = String::from_utf8(found.stdout).ok()?;
    found.status.success().then(|| path.trim().into())
}

/// Where `cargo xtask` puts a compiler's file.
pub(crate) fn got(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("target"));
    target.join("compilers").join(name)
}

pub(crate) fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::split_paths(&std::env::var_os("PATH")?).collect::<Vec<_>>();
    let mut files = folders.iter().map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

/// Versions of SPIR-V as wgpu asks for them, with the version of Vulkan: the oldest that has subgroups, and from 1.3 on.
pub(crate) const SPIRV: [((u8, u8), &str); 2] = [((1, 3), "vulkan1.1"), ((1, 6), "vulkan1.3")];

pub(crate) fn validate_spirv(program: &PathBuf, target: &str, words: &[u32]) -> Checked<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    run(Command::new(program).args(["--target-env", target]), &bytes)
        .map_err(|error| format!("spirv-val, {target}: {error}"))
}

pub(crate) fn compile_msl(program: &PathBuf, text: &str, version: (u8, u8)) -> Checked<()> {
    // The name of the standard has been without the system's since 3.0.
    let system = if version.0 < 3 { "macos-" } else { "" };
    let standard = format!("-std={system}metal{}.{}", version.0, version.1);
    let arguments = ["-x", "metal", &standard, "-c", "-o", "/dev/null", "-"];
    run(Command::new(program).args(arguments), text.as_bytes())
        .map_err(|error| format!("metal: {error}"))
}

/// What the program says, if it fails.
fn run(command: &mut Command, input: &[u8]) -> Checked<()> {
    let failed = |error: std::io::Error| error.to_string();
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let given = child.stdin.take().expect("it is piped").write_all(input);
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        return given.map_err(failed);
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{}: {}", output.status, String::from_utf8_lossy(&said)))
}
