//! Files that `sum` refuses, and why.

use crate::harness::{data, file, has_adapter, run, run_with_endless_stdin, run_with_stdin, text};
use wgpu_reduce_known::npy;

#[test]
fn types_that_are_not_supported_are_refused_by_name() {
    for (name, dtype) in [
        ("refused-complex.npy", "dtype '<c8'"),
        ("refused-string.npy", "dtype '<U3'"),
        ("refused-structured.npy", "structured dtype [('x', '<f4'), ('y', '<i4', (2,))]"),
        ("refused-version3.npy", "structured dtype [('größe', '<f4')]"),
    ] {
        let path = data(name);
        let error = run(["sum", text(&path)]).error(1);
        let what = format!("{dtype} is not supported; f32, i32, u32, ");
        assert!(error.starts_with(&format!("{}: {what}", path.display())), "{error}");
    }
}

#[test]
fn files_of_the_wrong_length_name_the_byte() {
    let whole = std::fs::read(data("f4.npy")).unwrap();
    assert_eq!(whole.len(), 128 + 96);
    for (bytes, from_file, from_stdin) in [
        (
            &whole[..200],
            "truncated at byte 200: the header promises 96 bytes of data from byte 128 on",
            "truncated at byte 200: the header promises 96 bytes of data from byte 128 on",
        ),
        (
            &whole[..100],
            "truncated at byte 100: the header ends at byte 128",
            "truncated at byte 100: the header ends at byte 128",
        ),
    ] {
        let (_folder, path) = file("data.npy", bytes);
        let error = run(["sum", text(&path)]).error(1);
        assert_eq!(error, format!("{}: {from_file}", path.display()));
        if has_adapter() {
            let error = run_with_stdin(&["sum", "-"], bytes).error(1);
            assert_eq!(error, format!("standard input: {from_stdin}"));
        }
    }
    let (_folder, path) = file("data.bin", &[0; 10]);
    let error = run(["sum", text(&path), "--dtype", "f32"]).error(1);
    assert!(error.contains("data.bin: the element at byte 8 is incomplete"), "{error}");
    if has_adapter() {
        let error = run_with_stdin(&["sum", "-", "--dtype", "f32"], &[0; 7]).error(1);
        let start = "standard input: the element at byte 4 is incomplete";
        assert!(error.starts_with(start), "{error}");
        let error = run_with_stdin(&["sum", "-", "--dtype", "f16"], &[0; 7]).error(1);
        let end = "the element at byte 6 is incomplete: 7 bytes are not a multiple of 2";
        assert!(error.ends_with(end), "{error}");
    }
    // Elements of 2 bytes, so half as many are promised.
    let halves = std::fs::read(data("i2.npy")).unwrap();
    let (_folder, path) = file("data.npy", &halves[..halves.len() - 3]);
    let error = run(["sum", text(&path)]).error(1);
    assert!(
        error.ends_with(
            "truncated at byte 135: the header promises 10 bytes of data from byte 128 on"
        ),
        "{error}"
    );
}

/// What `sum` says of standard input with this header and zeros without an end.
fn endless_error(elements: u64, more: &[&str]) -> String {
    let header = npy::start(1, &npy::header("'<f4'", &format!("({elements},)")));
    let arguments = [&["sum", "-", "--adapter", "0"], more].concat();
    run_with_endless_stdin(&arguments, &header).error(1)
}

#[test]
fn streams_without_an_end_are_refused() {
    if !has_adapter() {
        return;
    }
    // What is on the GPU as a whole.
    let error = endless_error(1 << 58, &["--axis", "0"]);
    let end = " takes of standard input, a pipe or a gzip file";
    assert!(error.starts_with("standard input: more than ") && error.ends_with(end), "{error}");
}

#[test]
fn spaces_in_names_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join(" two  spaces .npy");
    let error = run(["sum", text(&missing)]).error(1);
    assert!(error.starts_with(&format!("{}: ", missing.display())), "{error}");
}

#[test]
fn hostile_headers_are_errors() {
    let with = |header: &str| [npy::start(1, header), vec![0; 8]].concat();
    let shape = |shape: &str| with(&npy::header("'<f4'", shape));
    let huge_length = [&b"\x93NUMPY\x02\x00\xff\xff\xff\xff"[..], &[b' '; 64]].concat();
    for (bytes, part) in [
        (shape("(1152921504606846976,)"), "the header promises 4611686018427387904 bytes"),
        (shape("(9223372036854775808,)"), "elements end beyond 2^64 bytes"),
        (shape("(4294967296, 4294967296, 0)"), "byte 73: dimensions multiply"),
        (shape("(-1,)"), "byte 61: a dimension is negative"),
        (with(&"(".repeat(60_000)), "byte 10: the header is longer than"),
        (with(&"(".repeat(10_000)), "byte 42: the header cannot be parsed: more than 32 brackets"),
        (huge_length, "byte 8: the header's length of 4294967295 bytes"),
        (b"PK\x03\x04 an archive".to_vec(), "a zip archive that cannot be read"),
        (b"\x93NUMPY\x09\x00\x00\x00".to_vec(), "byte 6: version 9.0"),
        (Vec::new(), "it is empty"),
    ] {
        let (_folder, path) = file("data.npy", &bytes);
        let error = run(["sum", text(&path)]).error(1);
        assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn control_characters_of_a_file_do_not_reach_the_terminal() {
    let header = npy::header("[('\x1b[31m', '<f4')]", "()");
    let bytes = [npy::start(1, &header), vec![0; 4]].concat();
    let error = run_with_stdin(&["sum", "-"], &bytes).error(1);
    assert!(error.contains("structured dtype"), "{error}");
    assert!(!error.contains('\x1b'), "{error:?}");
}

#[test]
fn types_must_be_known_and_must_agree() {
    let (_folder, raw) = file("data.bin", &[0; 8]);
    let error = run(["sum", text(&raw)]).error(2);
    assert!(error.contains("data.bin: a raw file needs --dtype"), "{error}");
    let error = run_with_stdin(&["sum", "-"], &[0; 8]).error(2);
    assert!(error.starts_with("standard input: a raw file needs --dtype"), "{error}");
    let error = run(["sum", text(&data("f4.npy")), "--dtype", "u32"]).error(1);
    assert!(error.ends_with("it holds f32 elements, not u32 as --dtype says"), "{error}");
    for arguments in [
        &["sum"][..],
        &["sum", "x", "--dtype", "f128"],
        &["sum", "x", "--format", "npz"],
        &["add", "x"],
        &[],
    ] {
        let run = run(arguments);
        assert_eq!((run.status, &run.stdout[..]), (Some(2), ""), "{arguments:?}");
    }
}

#[test]
fn what_cannot_be_opened_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.npy");
    let error = run(["sum", text(&missing)]).error(1);
    assert!(error.starts_with(&format!("{}: ", missing.display())), "{error}");
    let error = run(["sum", text(folder.path()), "--dtype", "f32"]).error(1);
    assert!(error.starts_with(&format!("{}: ", folder.path().display())), "{error}");
}
