//! `--deadline`.

use crate::harness::{Run, data, has_adapter, program, run, text};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_device_that_is_quick_enough_is_waited_for() {
    if !has_adapter() {
        return;
    }
    let path = data("f4.npy");
    let plain = run(["sum", text(&path), "--json"]).json();
    for command in ["sum", "histogram", "dot"] {
        let mut arguments = vec![command, text(&path), "--deadline", "600", "--json"];
        if command == "dot" {
            arguments.insert(2, text(&path));
        }
        let found = run(&arguments).json();
        assert!(command != "sum" || found["value"] == plain["value"], "{found}");
    }
}

#[test]
fn deadlines_are_seconds_above_0() {
    for wrong in ["0", "-1", "soon", "1e300", "NaN"] {
        let argument = format!("--deadline={wrong}");
        let failed = run(["sum", "absent.npy", &argument]);
        assert_eq!(failed.status, Some(2), "{wrong}: {}", failed.stderr);
        assert!(failed.stderr.contains("above 0"), "{wrong}: {}", failed.stderr);
    }
}

/// Where the device is not so quick, in far less time than it takes.
#[test]
fn whoever_has_not_done_in_time_is_told_of() {
    if !has_adapter() {
        return;
    }
    let (_folder, path) = crate::harness::file("zeros", &vec![0; 16 << 20]);
    let arguments = ["variance", text(&path), "--dtype", "f32", "--deadline", "0.000000001"];
    let start = Instant::now();
    let child = program().args(arguments).stdin(Stdio::null()).output().unwrap();
    let run = Run::new(child);
    assert!(start.elapsed() < Duration::from_secs(100));
    if run.status == Some(0) {
        // It works while it is handed the work.
        return;
    }
    let message = run.error(1);
    assert!(message.ends_with("in the time allowed, which --deadline says"), "{message}");
}
