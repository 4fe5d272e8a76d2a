//! Files that are larger than the memory allowed, and Ctrl-C.

use crate::harness::{Run, data, file, has_adapter, run, run_with_stdin, text};
use serde_json::{Value, json};
use std::path::Path;

fn json_of(command: &[&str], path: &Path, more: &[&str]) -> Value {
    let arguments = [command, &[text(path), "--json", "--check"], more].concat();
    run(arguments).json()
}

/// What says that a file has passed through.
fn check_streamed(report: &Value) {
    let streamed = report["streamed"].as_object().unwrap_or_else(|| panic!("{report}"));
    assert!(streamed["seconds"].as_f64() > Some(0.0), "{report}");
    assert!(streamed["gb_per_s"].as_f64() > Some(0.0), "{report}");
    assert!(report["gpu_us"].is_null() && report["gb_per_s"].is_null(), "{report}");
    assert_eq!(report["check"]["ok"], true, "{report}");
}

#[test]
fn files_larger_than_the_memory_have_the_same_results() {
    if !has_adapter() {
        return;
    }
    let words: Vec<u32> = (0..50_000_u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (_folder, path) = file("words.bin", &bytes);
    for command in ["sum", "max", "argmin", "mean", "variance", "stats", "bit-xor"] {
        let command = [command, "--dtype", "u32"];
        let whole = json_of(&command, &path, &[]);
        assert!(whole.get("streamed").is_none(), "{whole}");
        for memory in ["0", "16Ki", "100Ki"] {
            let streamed = json_of(&command, &path, &["--memory", memory]);
            check_streamed(&streamed);
            assert_eq!(streamed["value"], whole["value"], "{command:?} in {memory}");
            assert_eq!(streamed["elements"], 50_000);
        }
    }
    let table = run(["sum", "--dtype", "i16", "--memory", "1Ki", text(&path)]).text();
    assert!(table.contains("\ntime        ") && table.contains("\nrate        "), "{table}");
    assert!(!table.contains("gpu"), "{table}");
}

/// Several pieces of a file, each read by several threads; and where the time has gone.
#[test]
fn large_files_say_where_the_time_has_gone() {
    if !has_adapter() {
        return;
    }
    let words: Vec<u32> = (0..9_000_001_u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (_folder, path) = file("words.bin", &bytes);
    let sum: u64 = words.iter().map(|&word| u64::from(word)).sum();
    for memory in ["1Mi", "20Mi", "256Mi"] {
        let arguments = ["sum", text(&path), "--dtype", "u32", "--json", "--memory", memory];
        let report = run(arguments).json();
        assert_eq!(report["value"], json!(sum), "{memory}");
        let spent = report["spent"].as_object().unwrap_or_else(|| panic!("{report}"));
        let keys: Vec<_> = spent.keys().collect();
        assert_eq!(keys, ["adapter_s", "copying_s", "reading_s", "result_s", "total_s"]);
        assert!(spent.values().all(|seconds| seconds.as_f64() > Some(0.0)), "{report}");
        let seconds = |key: &str| spent[key].as_f64().unwrap_or_default();
        let stages = ["adapter_s", "reading_s", "copying_s", "result_s"].map(seconds);
        assert!(stages.iter().sum::<f64>() <= seconds("total_s"), "{report}");
    }
}

#[test]
fn streams_of_unknown_length_pass_through() {
    if !has_adapter() {
        return;
    }
    let floats: Vec<f32> = (0..30_000_u16).map(|i| f32::from(i) / 7.0 - 1000.0).collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    let arguments = ["sum", "-", "--dtype", "f32", "--check", "--json"];
    let whole = run_with_stdin(&arguments, &bytes).json();
    assert!(whole.get("streamed").is_none(), "{whole}");
    let streamed = [&arguments[..], &["--memory", "20Ki"]].concat();
    check_streamed(&run_with_stdin(&streamed, &bytes).json());
    let error = run_with_stdin(&streamed, &bytes[..bytes.len() - 1]).error(1);
    assert!(error.contains("the element at byte 119996 is incomplete"), "{error}");
    // An array with a header passes through, too; each element of a big-endian one is turned round.
    for name in ["f4.npy", "f4-big-endian.npy"] {
        let bytes = std::fs::read(data(name)).unwrap();
        let whole = run_with_stdin(&["sum", "-", "--json"], &bytes).json();
        let streamed = run_with_stdin(&["sum", "-", "--json", "--memory", "0"], &bytes).json();
        assert_eq!(whole["value"], streamed["value"], "{name}");
    }
}

#[test]
fn exact_sums_have_the_same_bits_in_any_memory() {
    if !has_adapter() {
        return;
    }
    let floats: Vec<f32> = (0..40_000_u32)
        .map(|i| f32::from_bits(i.wrapping_mul(0x9E37_79B9) & 0xBFFF_FFFF))
        .collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    let (_folder, path) = file("floats.bin", &bytes);
    for command in [&["sum", text(&path)][..], &["dot", text(&path), text(&path)]] {
        let arguments = [command, &["--dtype", "f32", "--exact", "--check"]].concat();
        let bits = |more: &[&str]| run([&arguments[..], &["--bits"], more].concat()).text();
        let whole = bits(&[]);
        assert_eq!(whole.len(), 9, "{whole}");
        for memory in ["0", "40Ki"] {
            assert_eq!(bits(&["--memory", memory]), whole, "{command:?} in {memory}");
        }
        let more = ["--json", "--memory", "40Ki"];
        check_streamed(&run([&arguments[..], &more].concat()).json());
    }
}

#[test]
fn files_that_pass_through_are_paired() {
    if !has_adapter() {
        return;
    }
    let bytes: Vec<u8> = (0..60_000_u32).map(|i| i.to_le_bytes()[0]).collect();
    let (_folder, path) = file("bytes.bin", &bytes);
    let arguments = ["dot", "-", text(&path), "--dtype", "u8", "--json", "--check"];
    let whole = run_with_stdin(&arguments, &bytes).json();
    let streamed = [&arguments[..], &["--memory", "8Ki"]].concat();
    let report = run_with_stdin(&streamed, &bytes).json();
    check_streamed(&report);
    assert_eq!(report["value"], whole["value"]);
    let error = run_with_stdin(&streamed, &bytes[..50_000]).error(1);
    let end = format!("50000 elements cannot be paired with more of {}", path.display());
    assert_eq!(error, format!("standard input: {end}"));
}

#[test]
fn several_results_take_all_elements() {
    let path = data("f4.npy");
    for arguments in [&["--memory", "1Mi", "--axis", "0"][..], &["--memory", "much"]] {
        let run = run(["sum", text(&path)].iter().chain(arguments));
        assert_eq!((run.status, &run.stdout[..]), (Some(2), ""), "{arguments:?}");
    }
}

/// The memory that a run has had at most, in bytes, as Linux tells it, and what it printed.
#[cfg(target_os = "linux")]
fn peak_bytes(arguments: &[&str], stdin: &Path) -> (u64, Value) {
    // Which takes any number of bytes while nobody reads.
    let printed = tempfile::NamedTempFile::new().unwrap();
    let mut child = crate::harness::program()
        .args(arguments)
        .stdin(std::fs::File::open(stdin).unwrap())
        .stdout(printed.reopen().unwrap())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let told = std::fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = kib.map_or(peak, |kib| kib << 10);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let printed = std::fs::read_to_string(printed.path()).unwrap();
    (peak, serde_json::from_str(&printed).unwrap())
}

/// However large the input is, and whether or not it is known how large: also while a stream begins. On an adapter that is
/// the CPU the device's memory is the program's. wgpu takes it in blocks of some tens of MiB, which would hide the elements of less
/// than this.
#[cfg(target_os = "linux")]
#[test]
fn the_program_stays_within_its_memory() {
    if !has_adapter() {
        return;
    }
    let (folder, small) = file("small.bin", &vec![0; 1 << 16]);
    let large = folder.path().join("large.bin");
    // Nothing but zeros, which take no room on disk.
    let bytes: u64 = 256 << 20;
    std::fs::File::create(&large).unwrap().set_len(bytes).unwrap();
    let memory = ["--dtype", "u8", "--memory", "64Mi", "--json"];
    for (inputs, command) in [
        (1, &["sum", "FILE"][..]),
        (1, &["sum", "-"]),
        (2, &["dot", "FILE", "FILE"]),
        (2, &["dot", "-", "FILE"]),
    ] {
        let run = |path| {
            let named = command.iter().map(|&word| if word == "FILE" { text(path) } else { word });
            let arguments: Vec<_> = named.chain(memory).collect();
            peak_bytes(&arguments, path)
        };
        let ((of_small, _), (of_large, report)) = (run(&small), run(&large));
        assert_eq!((&report["value"], &report["elements"]), (&json!(0), &json!(bytes)), "{report}");
        // What is being read, and as much for allocators.
        let allowed = of_small + (64 << 20) + inputs * (16 << 20) + (16 << 20);
        println!("{command:?}: {} MiB at most, {} of small files", of_large >> 20, of_small >> 20);
        assert!(of_small > 0 && of_large < allowed, "{of_large} bytes, after {of_small}");
    }
}

/// What chunks leave of a histogram is added up on the device, and so are its many bins.
#[cfg(target_os = "linux")]
#[test]
fn histograms_of_many_bins_stay_within_their_memory() {
    if !has_adapter() {
        return;
    }
    let (folder, small) = file("small.bin", &vec![0; 1 << 16]);
    let large = folder.path().join("large.bin");
    let bytes: u64 = 192 << 20;
    std::fs::File::create(&large).unwrap().set_len(bytes).unwrap();
    let run = |path: &Path| {
        let bins = ["--range", "0", "1", "--bins", "1048576"];
        let arguments = ["histogram", text(path), "--dtype", "f32", "--memory", "32Mi", "--json"];
        peak_bytes(&[&arguments[..], &bins].concat(), path)
    };
    let ((of_small, _), (of_large, report)) = (run(&small), run(&large));
    assert_eq!(report["channels"][0]["counts"][0], json!(bytes / 4));
    // What elements take, what is being read, and the blocks in which wgpu takes memory.
    let allowed = of_small + (32 << 20) + (16 << 20) + (96 << 20);
    println!("{} MiB at most, {} of a small file", of_large >> 20, of_small >> 20);
    assert!(of_small > 0 && of_large < allowed, "{of_large} bytes, after {of_small}");
}

/// What a bar of progress has said: bytes that have passed, bytes per second, and seconds to go.
#[cfg(unix)]
fn frames(drawn: &str, total: &str) -> Vec<[f64; 3]> {
    let bytes = |number: &str, unit: &str| {
        let power = ["B", "KiB", "MiB", "GiB"].iter().position(|&name| name == unit)?;
        Some(number.parse::<f64>().ok()? * 1024_f64.powi(i32::try_from(power).ok()?))
    };
    let frame = |line: &str| {
        let (before, after) = line.split_once(total)?;
        let mut before = before.split_whitespace().rev();
        let (unit, number) = (before.next()?, before.next()?);
        let mut after = after.split_whitespace();
        let (rate, of_rate, left) = (after.next()?, after.next()?, after.next()?);
        let left = left.trim_end_matches(|c: char| c != 's').strip_suffix('s')?;
        Some([
            bytes(number, unit)?,
            bytes(rate, of_rate.strip_suffix("/s")?)?,
            left.parse::<f64>().ok()?,
        ])
    };
    drawn.split(['\r', '\n']).filter_map(frame).collect()
}

#[cfg(unix)]
#[test]
fn bars_are_read_as_they_are_drawn() {
    let drawn =
        "\r\u{1b}[2K████░░ 512.00 MiB/2.00 GiB 256.00 MiB/s 6s\u{1b}[0m\r1.00 B/2.00 GiB 0 B/s 0s";
    let [first, last] = frames(drawn, "/2.00 GiB")[..] else { panic!("{drawn}") };
    let bits = |frame: [f64; 3]| frame.map(f64::to_bits);
    assert_eq!(bits(first), bits([f64::from(512 << 20), f64::from(256 << 20), 6.0]));
    assert_eq!(bits(last), bits([1.0, 0.0, 0.0]));
}

/// On a terminal: how much there is, how fast it passes, and how long that will take.
#[cfg(unix)]
#[test]
fn bars_tell_the_rate_and_the_time_that_is_left() {
    use std::io::Read as _;
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.bin");
    let total = 3_u32 << 30;
    std::fs::File::create(&path).unwrap().set_len(total.into()).unwrap();
    let terminal = nix::pty::openpty(None, None).unwrap();
    let mut program = crate::harness::program();
    program.args(["sum", text(&path), "--dtype", "u8", "--json"]);
    let child = program.stdout(std::process::Stdio::piped()).stderr(terminal.slave).spawn();
    // The program's end of the terminal is to be gone when the program is.
    drop(program);
    let start = std::time::Instant::now();
    let (mut drawn, mut told) = (Vec::new(), Vec::new());
    let mut screen = std::fs::File::from(terminal.master);
    let mut bytes = [0; 4096];
    // Linux says that there is no more by an error.
    while let Ok(count @ 1..) = screen.read(&mut bytes) {
        drawn.extend(bytes.iter().take(count));
        let so_far = frames(&String::from_utf8_lossy(&drawn), "/3.00 GiB");
        told.resize(so_far.len(), start.elapsed().as_secs_f64());
    }
    let seconds = start.elapsed().as_secs_f64();
    let report = Run::new(child.unwrap().wait_with_output().unwrap()).json();
    assert_eq!(report["elements"], json!(total), "{report}");
    let drawn = String::from_utf8_lossy(&drawn);
    let frames = frames(&drawn, "/3.00 GiB");
    // When a bar has settled, and before rounding to seconds is all that it says.
    let settled = |done: f64| (0.3..0.8).contains(&(done / f64::from(total)));
    let mut seen = 0;
    for (&[done, rate, left], told) in frames.iter().zip(told) {
        assert!(done <= f64::from(total) && rate >= 0.0, "{done} {rate}");
        if !settled(done) {
            continue;
        }
        seen += 1;
        let to_go = (f64::from(total) - done) / rate;
        assert!((left - to_go).abs() <= 1.0 + to_go / 4.0, "{left} s to go, not {to_go}");
        // The machine may have had other work at one time than at another.
        let really = seconds - told;
        assert!((left - really).abs() <= 3.0 + 2.0 * really, "{left} s to go, not {really}");
        let average = done / told;
        assert!((average / 4.0..average * 4.0).contains(&rate), "{rate}, not {average}");
    }
    assert!(seen > 0, "no bar was seen: {drawn}");
}

/// Sends what Ctrl-C sends.
#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
}

#[cfg(unix)]
fn spawn(arguments: &[&str]) -> std::process::Child {
    use std::process::Stdio;
    let mut command = crate::harness::program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_command_that_waits_for_its_input() {
    use std::io::Write as _;
    if !has_adapter() {
        return;
    }
    let mut child = spawn(&["sum", "-", "--dtype", "f32"]);
    // Kept open: more might come.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&[0; 1000]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    interrupt(&child);
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!(run.error(130), "interrupted");
    drop(stdin);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_command_in_the_middle_of_a_file() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.bin");
    // Nothing but zeros, which take no room on disk; to read them would take minutes.
    std::fs::File::create(&large).unwrap().set_len(1 << 40).unwrap();
    let child = spawn(&["sum", text(&large), "--dtype", "f32", "--exact"]);
    std::thread::sleep(std::time::Duration::from_secs(1));
    interrupt(&child);
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!(run.error(130), "interrupted");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("numbers.npy");
    let mut child = spawn(&["generate", text(&target), "--elements", "4Gi", "--dtype", "u8"]);
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    while files() == 0 {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended before it began");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    interrupt(&child);
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!(run.error(130), "interrupted");
    assert_eq!(files(), 0);
}
