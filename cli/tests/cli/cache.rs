//! Compiled pipelines in the user's cache folder. Tests can say where that is on Linux only.
#![cfg(target_os = "linux")]

use crate::harness::{Run, data, has_adapter, program, run, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Whether there is an adapter, and the best one's pipelines can be kept.
fn has_cache() -> bool {
    if !has_adapter() {
        return false;
    }
    let devices = run(["devices", "--json"]).json();
    let has_cache = devices[0]["features"].as_array().unwrap().contains(&"PIPELINE_CACHE".into());
    if !has_cache {
        println!("NOT COVERED: {} cannot hand out pipelines", devices[0]["label"]);
    }
    has_cache
}

/// A sum by the adapter that was looked at.
fn sum(cache: &Path) -> Command {
    let mut command = program();
    command.args(["sum", text(&data("i4.npy")), "--json", "--adapter", "0"]);
    command.env("XDG_CACHE_HOME", cache).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn value(command: &mut Command) -> serde_json::Value {
    Run::new(command.output().unwrap()).json()["value"].clone()
}

fn files(cache: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(cache.join("wgpu-reduce")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn pipelines_are_kept_unless_told_otherwise() {
    if !has_cache() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    assert_eq!(value(sum(cache.path()).arg("--no-cache")), -3);
    assert_eq!(files(cache.path()), Vec::<PathBuf>::new());
    assert_eq!(value(&mut sum(cache.path())), -3);
    assert_eq!(files(cache.path()).len(), 1, "{:?}", files(cache.path()));
    let written = fs::read(&files(cache.path())[0]).unwrap();
    fs::write(&files(cache.path())[0], "something else").unwrap();
    assert_eq!(value(sum(cache.path()).arg("--no-cache")), -3);
    assert_eq!(fs::read(&files(cache.path())[0]).unwrap(), b"something else");
    assert_eq!(value(&mut sum(cache.path())), -3);
    assert_eq!(fs::read(&files(cache.path())[0]).unwrap().len(), written.len());
}

#[test]
fn processes_share_the_cache() {
    if !has_cache() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let processes: Vec<_> = (0..4).map(|_| sum(cache.path()).spawn().unwrap()).collect();
        for process in processes {
            let run = Run::new(process.wait_with_output().unwrap());
            assert_eq!(run.json()["value"], -3);
        }
        assert_eq!(files(cache.path()).len(), 1, "{:?}", files(cache.path()));
    }
}

#[test]
fn a_cache_that_cannot_be_is_no_failure() {
    if !has_adapter() {
        return;
    }
    let blocked = tempfile::NamedTempFile::new().unwrap();
    let run = Run::new(sum(&blocked.path().join("below")).output().unwrap());
    assert!(!run.stderr.contains("wgpu-reduce"), "{}", run.stderr);
    assert_eq!(run.json()["value"], -3);
}
