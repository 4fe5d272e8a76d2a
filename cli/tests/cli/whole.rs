//! What does not pass through the device's memory piece by piece, of files that it does not hold.

use crate::harness::{file, has_adapter, run, text};
use std::fs::OpenOptions;
use std::path::PathBuf;
use tempfile::TempDir;
use wgpu_reduce_known::npy;

/// What a `.npy` file of so many numbers begins with.
fn start(descr: &str, elements: u64) -> Vec<u8> {
    npy::start(1, &npy::header(&format!("'{descr}'"), &format!("({elements},)")))
}

/// A file of so many `f32`, all of them a hole; nothing where the file system has no room for so long a file.
fn long_file(elements: u64) -> Option<(TempDir, PathBuf)> {
    let start = start("<f4", elements);
    let (folder, path) = file("long.npy", &start);
    let long = OpenOptions::new().write(true).open(&path).unwrap();
    long.set_len(start.len() as u64 + 4 * elements).ok().map(|()| (folder, path))
}

#[test]
fn what_needs_the_whole_file_says_how_much_and_what_to_do_instead() {
    if !has_adapter() {
        return;
    }
    let devices = run(["devices", "--json"]).json();
    let largest = devices[0]["limits"]["max_buffer_bytes"].as_u64().unwrap();
    // What 4096 buffers do not hold, as many as there may be.
    let elements = largest.saturating_mul(1024).saturating_add(2) & !1;
    let Some((_folder, path)) = long_file(elements) else {
        println!("NOT COVERED: a file of {elements} elements, for want of a file system for it");
        return;
    };
    let long = text(&path);
    let (_other, offsets) = file("offsets.npy", &[start("<u4", 2), vec![0; 8]].concat());
    for command in [
        &["sum", long, "--axis", "0"][..],
        &["sum", long, "--offsets", text(&offsets)],
        &["sum", long, "--keys", long],
    ] {
        let error = run(command.iter().chain(&["--adapter", "0"])).error(1);
        let needed = format!("{long}: it needs {} bytes of the memory of ", 4 * elements);
        assert!(error.contains(&needed), "{command:?}: {error}");
        let advice = "split it, or use what takes files of any size";
        assert!(error.contains(advice), "{command:?}: {error}");
    }
}
