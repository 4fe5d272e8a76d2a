//! `--offsets` and `--keys`: results for segments of a file, and for runs of equal keys.

use crate::harness::{data, has_adapter, npy_header, run, run_with_stdin, text};
use serde_json::json;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A `.npy` file of one dimension: numbers, each in the bytes that `dtype` has.
fn npy(folder: &TempDir, name: &str, dtype: &str, numbers: &[&[u8]]) -> PathBuf {
    let start = npy_header(dtype, false, &[numbers.len()]);
    let file = folder.path().join(name);
    std::fs::write(&file, [start, numbers.concat()].concat()).unwrap();
    file
}

fn offsets(folder: &TempDir, numbers: &[i64]) -> PathBuf {
    let bytes: Vec<_> = numbers.iter().map(|number| number.to_le_bytes()).collect();
    let bytes: Vec<&[u8]> = bytes.iter().map(<[u8; 8]>::as_slice).collect();
    npy(folder, "offsets.npy", "<i8", &bytes)
}

/// The numbers k / 4 - 1 for k below 24.
fn lines(command: &str, option: &str, file: &Path) -> Vec<String> {
    let printed = run([command, text(&data("f4.npy")), option, text(file)]).text();
    printed.lines().map(str::to_owned).collect()
}

#[test]
fn each_segment_has_a_result() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = offsets(&folder, &[0, 1, 1, 5, 24]);
    assert_eq!(lines("sum", "--offsets", &file), ["-1.0", "0.0", "-1.5", "47.5"]);
    let file = offsets(&folder, &[4, 6, 8]);
    assert_eq!(lines("argmax", "--offsets", &file)[0], "index 1, value 0.25");
    let input = data("f4.npy");
    let report = run(["max", text(&input), "--offsets", text(&file), "--json"]).json();
    assert_eq!((&report["segments"], &report["results"]), (&json!(2), &json!([0.25, 0.75])));
    assert_eq!((&report["op"], &report["dtype"]), (&json!("max"), &json!("f32")));
    // One offset has no segment.
    assert!(lines("sum", "--offsets", &offsets(&folder, &[7])).is_empty());
}

#[test]
fn each_run_of_keys_has_a_result() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<_> = (0..24_i32).map(|k| (k / 10 - 1).to_le_bytes()).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
    let file = npy(&folder, "keys.npy", "<i4", &keys);
    assert_eq!(lines("min", "--keys", &file), ["-1\t-1.0", "0\t1.5", "1\t4.0"]);
    let input = data("f4.npy");
    let report = run(["sum", text(&input), "--keys", text(&file), "--json"]).json();
    assert_eq!((&report["runs"], &report["keys"]), (&json!(3), &json!([-1, 0, 1])));
    assert_eq!(report["results"], json!([1.25, 26.25, 17.5]));
    let (results, run_keys) = (folder.path().join("results.npy"), folder.path().join("run.npy"));
    let to_files = ["--output", text(&results), "--output-keys", text(&run_keys)];
    let command = ["sum", text(&input), "--keys", text(&file)];
    assert_eq!(run([&command[..], &to_files[..]].concat()).text(), "");
    assert_eq!(run(["sum", text(&results), "--json"]).json()["value"], json!(45.0));
    let read = run(["min-max", text(&run_keys), "--json"]).json();
    assert_eq!((&read["elements"], &read["dtype"]), (&json!(3), &json!("i64")));
    assert_eq!(read["value"], json!({"min": -1, "max": 1}));
}

/// Keys in any order, of integers of any size.
#[test]
fn each_group_has_a_result() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for dtype in ["|u1", "|i1", "<u2", ">i2", "<u4", "<i4", "<u8", ">i8"] {
        let width: usize = dtype[dtype.len() - 1..].parse().unwrap();
        let key_of = |k: u8| {
            let mut key = vec![0; width];
            key[if dtype.starts_with('>') { width - 1 } else { 0 }] = k % 3;
            key
        };
        let keys: Vec<_> = (0..24).map(key_of).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let file = npy(&folder, "keys.npy", dtype, &keys);
        let input = data("f4.npy");
        let command =
            |name| [name, text(&input), "--keys", text(&file), "--groups", "3"].map(str::to_owned);
        assert_eq!(run(command("sum")).text(), "13.0\n15.0\n17.0\n", "{dtype}");
        assert_eq!(run(command("min")).text(), "-1.0\n-0.75\n-0.5\n", "{dtype}");
    }
    let keys = folder.path().join("keys.npy");
    let input = data("f4.npy");
    let with = |more: &[&str]| {
        let command = ["max", text(&input), "--keys", text(&keys)];
        run([&command[..], more].concat())
    };
    let report = with(&["--groups", "3", "--json"]).json();
    assert_eq!((&report["groups"], &report["results"]), (&json!(3), &json!([4.25, 4.5, 4.75])));
    let results = folder.path().join("results.npy");
    assert_eq!(with(&["--groups", "3", "--output", text(&results)]).text(), "");
    assert_eq!(run(["sum", text(&results), "--json"]).json()["value"], json!(13.5));
    let error = with(&["--groups", "2"]).error(1);
    assert!(
        error.ends_with("keys.npy: the key at index 2 is 2, which is none of 2 groups"),
        "{error}"
    );
    let error = with(&["--groups", "5"]).error(1);
    assert!(error.ends_with("max of zero elements has no value, and group 3 has none"), "{error}");
    assert_eq!(run(["sum", text(&input), "--groups", "3"]).status, Some(2));
    let error = run(["variance", text(&input), "--keys", text(&keys), "--groups", "3"]).error(1);
    assert!(error.ends_with("does not support variance of f32 elements by groups"), "{error}");
    let negative = npy(&folder, "negative.npy", "<i8", &[&[0xff; 8][..]; 24]);
    let error = run(["sum", text(&input), "--keys", text(&negative), "--groups", "3"]).error(1);
    assert!(error.ends_with("the key at index 0 is -1, not between 0 and 4294967295"), "{error}");
    let floats = npy(&folder, "floats.npy", "<f4", &[&[0; 4][..]; 24]);
    let error = run(["sum", text(&input), "--keys", text(&floats), "--groups", "3"]).error(1);
    assert!(error.ends_with("keys are integers, and not f32"), "{error}");
}

/// Keys of every type make equal runs.
#[test]
fn keys_are_of_any_type() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for dtype in ["u1", "i1", "<u2", ">i2", "<u4", "<i4", "<u8", ">i8", "<f2", "<f4", "<f8"] {
        let width: usize = dtype[dtype.len() - 1..].parse().unwrap();
        // Where floats have their exponent, so that they are numbers.
        let key_of = |k: u8| {
            let mut key = vec![0; width];
            let last = if dtype.starts_with('>') { 0 } else { width - 1 };
            key[last] = k / 10 + 0x40;
            key
        };
        let keys: Vec<_> = (0..24).map(key_of).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let file = npy(&folder, "keys.npy", &npy_dtype(dtype), &keys);
        let results = lines("sum", "--keys", &file);
        let sums: Vec<_> = results.iter().map(|line| line.split_once('\t').unwrap().1).collect();
        assert_eq!(sums, ["1.25", "26.25", "17.5"], "{dtype}");
    }
    // Which differ beyond 32 bits, and beyond what an f64 holds.
    let keys: Vec<_> = (0..24_u64).map(|k| ((1 << 60) + (k / 12)).to_le_bytes()).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 8]>::as_slice).collect();
    let file = npy(&folder, "keys.npy", "<u8", &keys);
    let results = lines("min", "--keys", &file);
    assert_eq!(results, ["1152921504606846976\t-1.0", "1152921504606846977\t2.0"]);
}

/// Bytes have no order.
fn npy_dtype(dtype: &str) -> String {
    if dtype.len() == 2 { format!("|{dtype}") } else { dtype.into() }
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let input = data("f4.npy");
    let error_of = |option: &str, file: &Path, status: i32| {
        run(["sum", text(&input), option, text(file)]).error(status)
    };
    let error = error_of("--offsets", &offsets(&folder, &[0, -1]), 1);
    let what = "offsets.npy: the offset at index 1 is -1, not between 0 and 4294967295";
    assert!(error.ends_with(what), "{error}");
    let error = error_of("--offsets", &offsets(&folder, &[0, 9, 25]), 1);
    let what = "offsets.npy: the offset at index 2 is 25, which is beyond the 24 elements";
    assert!(error.ends_with(what), "{error}");
    let few = npy(&folder, "few.npy", "<u4", &[&[0; 4]]);
    let error = error_of("--keys", &few, 1);
    let what =
        format!("it has 1 keys, and {} has 24 elements: each element needs one key", text(&input));
    assert_eq!(error, format!("{}: {what}", text(&few)));
    let error = error_of("--offsets", &data("f4.npy"), 1);
    assert!(error.ends_with("one dimension is needed, and there are 2"), "{error}");
    let flat = npy(&folder, "flat.npy", "<f8", &[&[0; 8]]);
    let error = error_of("--offsets", &flat, 1);
    assert!(error.ends_with("offsets are integers, and not f64"), "{error}");
    let fortran = data("f4-fortran.npy");
    let error = run(["sum", text(&fortran), "--keys", text(&flat)]).error(1);
    assert!(error.contains("Fortran order"), "{error}");
    let both = ["sum", text(&input), "--keys", text(&flat), "--offsets", text(&flat)];
    assert_eq!(run(both).status, Some(2));
    // Refused by its header, before any of it is read.
    let header = npy_header("<i8", false, &[1 << 30]);
    let error = run_with_stdin(&["sum", text(&input), "--offsets", "-"], &header).error(1);
    let most = "more than 4294967295 bytes, the most that --offsets takes of standard input, a pipe or a gzip file";
    assert_eq!(error, format!("standard input: {most}"));
    let header = npy_header("<i8", false, &[1 << 32]);
    let error = run_with_stdin(&["sum", text(&input), "--keys", "-"], &header).error(1);
    assert!(error.contains("each element needs one key"), "{error}");
    if !has_adapter() {
        return;
    }
    // How long standard input is shows when it has been read.
    let of_stream = |option: &str, file: &Path| {
        let arguments = ["sum", "-", "--dtype", "f32", option, text(file)];
        run_with_stdin(&arguments, &[0; 96]).error(1)
    };
    let error = of_stream("--offsets", &offsets(&folder, &[0, 24, 23]));
    assert!(error.ends_with("index 2 is 23, which is less than the one before, 24"), "{error}");
    let error = of_stream("--keys", &few);
    assert!(
        error.ends_with("1 keys, and standard input has 24 elements: each element needs one key"),
        "{error}"
    );
}
