//! What a registry would be given of the library.

use crate::shell::{self, Outcome, cargo, output};
use std::fs;

/// Files that have to be there.
const NEEDED: [&str; 6] =
    ["Cargo.toml", "src/lib.rs", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// What is for whoever works on it, or uses something else of it.
const ELSEWHERE: [&str; 8] =
    ["cli/", "fuzz/", "mpi/", "npy/", "target/", "tests/", "web-demo/", "xtask/"];

/// Bytes, before they are compressed.
const MOST_BYTES: u64 = 4 << 20;

/// That the package has every source and shader, nothing of other programs, and is small.
pub(crate) fn check() -> Outcome {
    let mut command = cargo();
    command.args(["package", "--package", "wgpu-reduce", "--list", "--allow-dirty"]);
    let list = output(&mut command).ok_or("`cargo package --list` failed")?;
    let packed: Vec<&str> = list.lines().collect();
    let mut missing: Vec<String> = NEEDED.map(String::from).into();
    for folder in ["src", "shaders"] {
        missing.extend(files(folder)?);
    }
    missing.retain(|file| !packed.contains(&file.as_str()));
    let strange = packed.iter().filter(|file| ELSEWHERE.iter().any(|part| file.starts_with(part)));
    let strange: Vec<_> = strange.collect();
    if !missing.is_empty() || !strange.is_empty() {
        return Err(format!("the package lacks {missing:?}, and should not have {strange:?}"));
    }
    // What is made for the package has no file here.
    let sizes = packed.iter().filter_map(|file| fs::metadata(shell::root().join(file)).ok());
    let bytes: u64 = sizes.map(|file| file.len()).sum();
    println!("\npackage of the library: {} files, {bytes} bytes", packed.len());
    if bytes > MOST_BYTES {
        return Err(format!("the package has {bytes} bytes, more than {MOST_BYTES}"));
    }
    Ok(())
}

/// All files below a folder, with their paths from the root.
fn files(folder: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(shell::root().join(folder));
    let entries = entries.map_err(|error| format!("{folder}: {error}"))?;
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}
