//! Sizes that cannot fit, and files whose size is not what they report.

#[cfg(target_os = "linux")]
use crate::harness::{Run, run_limited};
use crate::harness::{file, has_adapter, npy_header, program, run, run_with_stdin, text};
use serde_json::json;
use std::fs;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;

/// What is more than any disk or memory has, and does not fit in 64 bits.
const TOO_MANY: [&str; 4] = ["2^44", "2^55", "2^63", "18446744073709551615"];

#[test]
fn files_that_no_disk_has_room_for_are_refused_before_they_are_begun() {
    let folder = tempfile::tempdir().unwrap();
    let [new, old] = ["new.npy", "old.npy"].map(|name| folder.path().join(name));
    fs::write(&old, "old").unwrap();
    #[cfg(unix)]
    let link = {
        let link = folder.path().join("link.npy");
        std::os::unix::fs::symlink("behind.npy", &link).unwrap();
        vec![link]
    };
    #[cfg(not(unix))]
    let link = Vec::<std::path::PathBuf>::new();
    for file in [&new, &old].into_iter().chain(&link) {
        for elements in TOO_MANY {
            for dtype in ["f32", "f64"] {
                let options = ["--elements", elements, "--dtype", dtype];
                let run = run(["generate", text(file)].iter().chain(&options));
                let free = run.stderr.contains("it needs ") && run.stderr.contains(" free");
                let is_told = free || run.stderr.contains("it needs more bytes than any file can");
                // What no array can have is refused by that.
                let is_too_long = run.status == Some(2);
                assert!(run.status == Some(1) && is_told || is_too_long, "{}", run.stderr);
            }
        }
    }
    assert!(!new.exists() && fs::read(&old).unwrap() == b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1 + link.len());
    let file = folder.path().join("redirected.npy");
    let mut command = program();
    command.args(["generate", "-", "--elements", "2^44"]);
    let output = command.stdout(fs::File::create(&file).unwrap()).output().unwrap();
    if cfg!(unix) {
        assert_eq!((output.status.code(), fs::read(&file).unwrap().len()), (Some(1), 0));
    }
}

/// An array of rows without elements has a result for each row, and so more than any disk holds.
#[test]
fn results_that_no_disk_has_room_for_are_refused_before_work_starts() {
    let rows = 1 << 50;
    let (folder, path) = file("rows.npy", &npy_header("<f4", false, &[rows, 0]));
    let out = folder.path().join("out.npy");
    let options = ["--axis", "1", "--output", text(&out)];
    for (operation, bytes) in [("sum", 4), ("norm-l2", 4), ("count-nan", 8)] {
        let error = run([operation, text(&path)].iter().chain(&options)).error(1);
        let told = format!("{}: it needs {} bytes, ", text(&out), rows * bytes + 512);
        assert!(error.starts_with(&told), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Whether the device that commands take has the host's memory.
fn is_software() -> bool {
    run(["devices", "--json"]).json()[0]["class"] == "Cpu"
}

#[test]
fn elements_that_no_memory_has_room_for_are_refused_before_they_are_made() {
    if !has_adapter() || !is_software() {
        println!("NOT COVERED: sizes that the host's memory does not have");
        return;
    }
    for elements in TOO_MANY {
        for command in [
            &["bench", "--elements", elements, "--op", "sum"][..],
            &["bench", "--elements", elements, "--op", "max", "--dtype", "u8"],
            &["bench", "--elements", elements, "--op", "dot"],
            &["ladder", "--elements", elements],
            &["study", "histogram", "--elements", elements],
            &["study", "one-round", "--elements", elements],
        ] {
            let error = run(command).error(1);
            let is_told = error.contains(" bytes of memory are needed, and ")
                && error.ends_with(" may still be allocated")
                || error.contains(" bytes is larger than this device allows (");
            assert!(is_told, "{command:?}: {error}");
            assert!(!error.contains("18446744073709551615"), "{command:?}: {error}");
        }
    }
}

/// A file of nothing but a length: the memory that it needs is not there, whatever may be allowed.
/// Rows have a sum each, which the host knows before it compares.
#[test]
#[cfg(target_os = "linux")]
fn rows_that_no_memory_has_room_for_are_refused_before_they_are_made() {
    if !has_adapter() {
        return;
    }
    for command in [
        &["ladder", "--elements", "256Mi", "--rows", "256Mi"][..],
        &["study", "levels-by-size", "--elements", "256Mi", "--rows", "256Mi"],
    ] {
        for limit in ["-v", "-d"] {
            let error = run_limited(limit, 8 << 20, command).error(1);
            assert!(error.contains(" bytes of memory are needed, and "), "{command:?}: {error}");
        }
    }
}

#[test]
fn files_that_no_memory_has_room_for_are_refused_before_they_are_read() {
    if !has_adapter() || !is_software() {
        println!("NOT COVERED: files that the host's memory does not hold");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("long.bin");
    if fs::File::create(&long).unwrap().set_len(1 << 42).is_err() {
        println!("NOT COVERED: a file of 4 TiB, for want of a file system for it");
        return;
    }
    let raw = ["--dtype", "f32", "--format", "raw"];
    let checked = run(["max", text(&long), "--check"].iter().chain(&raw)).error(1);
    assert!(checked.starts_with("--check keeps all elements: "), "{checked}");
    assert!(checked.ends_with("may still be allocated"), "{checked}");
}

/// Memory that is allowed, but is not there, is none: what is larger passes through.
#[test]
fn more_memory_than_there_is_may_be_allowed() {
    if !has_adapter() {
        return;
    }
    for memory in ["2^40", "2^50", "2^63", "18446744073709551615"] {
        let arguments = ["sum", "-", "--dtype", "u8", "--json", "--memory", memory];
        let report = run_with_stdin(&arguments, &vec![1; 100_000]).json();
        assert_eq!(report["value"], 100_000, "{memory}");
    }
}

/// Files of the system that are there and say the same when they are read twice.
#[cfg(target_os = "linux")]
fn files_of_the_system() -> Vec<&'static str> {
    let names = [
        "/proc/version",
        "/proc/filesystems",
        "/proc/self/mounts",
        "/proc/sys/kernel/osrelease",
        "/proc/sys/kernel/ostype",
        "/proc/sys/kernel/pid_max",
        "/proc/sys/kernel/threads-max",
        "/proc/sys/net/ipv4/ip_local_port_range",
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "/sys/devices/system/cpu/possible",
        "/sys/devices/system/cpu/online",
        "/sys/kernel/notes",
        "/sys/fs/cgroup/cgroup.controllers",
    ];
    let is_there = |name: &&str| {
        let read = || fs::read(name).ok();
        read().is_some_and(|bytes| !bytes.is_empty()) && read() == read()
    };
    names.into_iter().filter(is_there).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_report_another_size_are_read_to_their_end() {
    if !has_adapter() {
        return;
    }
    let names = files_of_the_system();
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        let bytes = fs::read(name).unwrap();
        let sum: u64 = bytes.iter().map(|&byte| u64::from(byte)).sum();
        for memory in ["256Mi", "16"] {
            let options = ["--dtype", "u8", "--json", "--memory", memory];
            let report = run(["sum", name].iter().chain(&options)).json();
            let found = (&report["value"], &report["elements"]);
            assert_eq!(found, (&json!(sum), &json!(bytes.len())), "{name}");
            let is_streamed = memory == "16" && bytes.len() > 8;
            assert_eq!(report.get("streamed").is_some(), is_streamed, "{name}: {report}");
            let report = run(["histogram", name].iter().chain(&options)).json();
            assert_eq!(report["elements"], bytes.len(), "{name}");
            let both = run(["dot", name, name].iter().chain(&options)).json();
            let squares: u64 = bytes.iter().map(|&byte| u64::from(byte).pow(2)).sum();
            assert_eq!(both["value"], squares, "{name}");
        }
        let error = run(["sum", name, "--dtype", "u16", "--offsets", name]);
        assert_ne!(error.status, Some(0));
    }
}

/// Ones are added to a file as long as it is read.
#[test]
fn files_that_grow_are_read_to_their_end() {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, Ordering};
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for memory in ["256Mi", "1Mi"] {
        let path = folder.path().join(memory);
        let ones = vec![1_u8; 1 << 16];
        let before = 64 << 20;
        let mut file = fs::File::create(&path).unwrap();
        for _ in 0..before >> 16 {
            file.write_all(&ones).unwrap();
        }
        let has_ended = AtomicBool::new(false);
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !has_ended.load(Ordering::Relaxed) {
                    file.write_all(&ones[..1000]).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            });
            let options = ["--dtype", "u8", "--json", "--memory", memory];
            let run = run(["sum", text(&path)].iter().chain(&options));
            has_ended.store(true, Ordering::Relaxed);
            run.json()
        });
        assert_eq!(report["value"], report["elements"], "{memory}");
        assert!(report["elements"].as_u64().unwrap() >= before, "{memory}: {report}");
    }
}

#[test]
fn empty_files_are_empty() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty");
    fs::write(&path, "").unwrap();
    for memory in ["256Mi", "16"] {
        for file in [&path, Path::new("/dev/null")] {
            if !file.exists() {
                continue;
            }
            let options = ["--dtype", "u8", "--json", "--memory", memory];
            let report = run(["sum", text(file)].iter().chain(&options)).json();
            assert_eq!((&report["value"], &report["elements"]), (&json!(0), &json!(0)));
        }
    }
}

/// The length of a pipe is not known before its elements are kept.
#[test]
#[cfg(target_os = "linux")]
fn elements_of_a_pipe_that_a_check_cannot_keep_are_told() {
    if !has_adapter() {
        return;
    }
    let script = "head -c 4294967296 /dev/zero | (ulimit -d 1048576; exec \"$0\" \"$@\")";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(program().get_program());
    shell.args(["max", "-", "--memory", "4Mi", "--dtype", "u8", "--check"]);
    let error = Run::new(shell.output().unwrap()).error(1);
    assert!(error.starts_with("--check keeps all elements: "), "{error}");
}
