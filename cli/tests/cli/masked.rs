//! `--mask`: the result of the elements that another file chooses.

use crate::harness::{data, has_adapter, npy_header, run, run_with_stdin, text};
use serde_json::json;
use std::path::PathBuf;
use tempfile::TempDir;

fn npy(
    folder: &TempDir,
    name: &str,
    (dtype, is_fortran, extents): (&str, bool, &[usize]),
    bytes: &[u8],
) -> PathBuf {
    let file = folder.path().join(name);
    std::fs::write(&file, [npy_header(dtype, is_fortran, extents), bytes.to_vec()].concat())
        .unwrap();
    file
}

/// Of the numbers k / 4 - 1 for k below 24, each third one.
#[test]
fn elements_count_where_the_mask_has_no_zero() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = data("f4.npy");
    for (dtype, chosen) in [("|b1", 1_u8), ("|u1", 255)] {
        let bytes: Vec<u8> = (0..24).map(|k| if k % 3 == 1 { chosen } else { 0 }).collect();
        let mask = npy(&folder, "mask.npy", (dtype, false, &[4, 6]), &bytes);
        let value = |name: &str| {
            run([name, text(&input), "--mask", text(&mask), "--json"]).json()["value"].clone()
        };
        // k = 1, 4, … 22.
        assert_eq!(value("sum"), json!(15.0), "{dtype}");
        assert_eq!(value("mean"), json!(1.875), "{dtype}");
        assert_eq!(value("argmax"), json!({"index": 22, "value": 4.5}), "{dtype}");
        assert_eq!(value("min"), json!(-0.75), "{dtype}");
        assert_eq!(value("sum-exact"), json!(15.0), "{dtype}");
        assert_eq!(value("mean-exact"), json!(1.875), "{dtype}");
        let rows = ["sum", text(&input), "--mask", text(&mask), "--axis", "1", "--json"];
        assert_eq!(run(rows).json()["results"], json!([-0.75, 2.25, 5.25, 8.25]), "{dtype}");
        // Columns 1 and 4 alone count.
        let columns = ["max", text(&input), "--mask", text(&mask), "--axis", "0"];
        let error = run(columns).error(1);
        assert!(error.contains("max") && error.contains("f4.npy"), "{error}");
    }
    let mask = folder.path().join("mask.npy");
    let timed = ["sum", text(&input), "--mask", text(&mask), "--repetitions", "3", "--json"];
    let report = run(timed).json();
    assert_eq!((&report["value"], &report["elements"]), (&json!(15.0), &json!(24)));
}

#[test]
fn masks_that_do_not_fit_are_refused() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = data("f4.npy");
    let error_with = |command: &str, mask: &PathBuf, status| {
        run([command, text(&input), "--mask", text(mask)]).error(status)
    };
    let nothing = npy(&folder, "nothing.npy", ("|b1", false, &[4, 6]), &[0; 24]);
    let error = error_with("max", &nothing, 1);
    assert!(error.contains("f4.npy") && error.contains("max"), "{error}");
    let sum = run(["sum", text(&input), "--mask", text(&nothing), "--json"]).json();
    assert_eq!(sum["value"], json!(0.0));
    let short = npy(&folder, "short.npy", ("|b1", false, &[23]), &[1; 23]);
    let error = error_with("sum", &short, 1);
    assert!(error.contains("it has 23 elements, and") && error.contains("has 24"), "{error}");
    let flat = npy(&folder, "flat.npy", ("|b1", false, &[24]), &[1; 24]);
    let error = error_with("sum", &flat, 1);
    assert!(error.contains("its shape is [24], and that of"), "{error}");
    let floats = npy(&folder, "floats.npy", ("<f4", false, &[4, 6]), &[0; 96]);
    let error = error_with("sum", &floats, 1);
    assert!(error.contains("a mask is of bool or u8, and not of f32"), "{error}");
    for more in [
        &["--check"][..],
        &["--offsets", "x.npy"],
        &["--keys", "x.npy"],
        &["--memory", "64Mi"],
        &["--exact"],
    ] {
        let command = ["sum", text(&input), "--mask", text(&nothing)];
        assert_eq!(run([&command[..], more].concat()).status, Some(2), "{more:?}");
    }
    let elements = std::fs::read(&input).unwrap();
    let error = run_with_stdin(&["sum", "-", "--mask", "-"], &elements).error(2);
    assert_eq!(error, "standard input can only be one of both files");
}

/// Elements and mask in one order, whichever it is.
#[test]
fn both_lie_in_one_order() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, is_fortran, bytes: &[u8; 6]| {
        npy(&folder, name, ("|u1", is_fortran, &[2, 3]), bytes)
    };
    let numbers = file("numbers.npy", true, &[1, 2, 3, 4, 5, 6]);
    let mask = file("mask.npy", true, &[0, 1, 0, 0, 0, 1]);
    let with = |command: &str, mask: &PathBuf| {
        run([command, text(&numbers), "--mask", text(mask), "--json"])
    };
    assert_eq!(with("sum", &mask).json()["value"], json!(8));
    let rows = file("rows.npy", false, &[0, 0, 0, 1, 0, 1]);
    let error = with("sum", &rows).error(1);
    assert!(error.contains("only one of mask and elements lies in Fortran order"), "{error}");
    let error = with("argmax", &mask).error(1);
    assert!(error.contains("elements lie in Fortran order"), "{error}");
}
