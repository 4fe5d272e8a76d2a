//! The examples, run as they are on the best adapter: each checks its own results.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where cargo puts what it builds beside this test.
fn program(name: &str) -> PathBuf {
    let this = std::env::current_exe().expect("a test has a file");
    let folder = this.ancestors().nth(2).expect("it is in a folder of its own").join("examples");
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn every_example_runs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = folder.read_dir().expect("the folder is there").flatten();
    let names: Vec<_> = files
        .map(|file| file.path().file_stem().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let program = program(&name);
        // `cargo test` builds them; with `--test examples` it does not.
        assert!(program.exists(), "{name} is not built: cargo build --examples");
        let output = Command::new(program).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        assert!(!output.stdout.is_empty(), "{name} says nothing");
    }
}
