//! Every operation as a command, and what it prints.

use crate::harness::{data, has_adapter, run, run_with_stdin, text};
use serde_json::{Value, json};

/// What a command makes of numbers, checked against the CPU.
fn reduced(command: &[&str], dtype: &str, bytes: &[u8]) -> Value {
    let options = ["-", "--dtype", dtype, "--json", "--check"];
    let report = run_with_stdin(&[command, &options].concat(), bytes).json();
    assert_eq!(report["check"]["ok"], true, "{report}");
    assert_eq!(report["op"], command[0].replace('-', "_"));
    report["value"].clone()
}

#[test]
fn every_operation_on_integers() {
    if !has_adapter() {
        return;
    }
    integers_as("i32", &[6_i32, -5, 0, -5, 3].map(i32::to_le_bytes).concat());
    integers_as("i8", &[6_i8, -5, 0, -5, 3].map(i8::to_le_bytes).concat());
    integers_as("i64", &[6_i64, -5, 0, -5, 3].map(i64::to_le_bytes).concat());
}

/// Operations on squares, of which there are none of 64 bits.
const SQUARED: [&str; 4] = ["sum-of-squares", "norm-l2", "variance", "std"];

fn integers_as(dtype: &str, bytes: &[u8]) {
    for (command, value) in [
        (&["sum"][..], json!(-1)),
        (&["wrapping-sum"], json!(-1)),
        (&["product"], json!(0)),
        (&["sum-of-squares"], json!(95)),
        (&["norm-l1"], json!(19)),
        (&["norm-l2"], json!(95_f64.sqrt())),
        (&["norm-max"], json!(6)),
        (&["min"], json!(-5)),
        (&["max"], json!(6)),
        (&["min-max"], json!({"min": -5, "max": 6})),
        (&["argmin"], json!({"index": 1, "value": -5})),
        (&["argmax"], json!({"index": 0, "value": 6})),
        (&["mean"], json!(-0.2)),
        (&["variance"], json!(18.96)),
        (&["variance", "--ddof", "1"], json!(23.7)),
        (&["std"], json!(18.96_f64.sqrt())),
        (&["std", "--ddof", "1"], json!(23.7_f64.sqrt())),
        (&["all"], json!(false)),
        (&["any"], json!(true)),
        (&["count-nonzero"], json!(4)),
        (&["bit-and"], json!(0)),
        (&["bit-or"], json!(-1)),
        (&["bit-xor"], json!(5)),
    ] {
        if dtype == "i64" && SQUARED.contains(&command[0]) {
            let error = run_with_stdin(&[command[0], "-", "--dtype", dtype], bytes).error(1);
            assert!(error.contains("is not defined for i64 elements, but for "), "{error}");
            continue;
        }
        assert_eq!(reduced(command, dtype, bytes), value, "{command:?} of {dtype}");
    }
}

#[test]
fn results_that_are_elements_have_their_type() {
    if !has_adapter() {
        return;
    }
    let bytes = [200, 250, 8, 0];
    for (command, dtype, value) in [
        ("sum", "u8", json!(458)),
        ("wrapping-sum", "u8", json!(202)),
        ("bit-xor", "u8", json!(0x3A)),
        ("norm-max", "i8", json!(56)),
        ("wrapping-sum", "i8", json!(-54)),
        ("bit-and", "i8", json!(0)),
        ("argmin", "i8", json!({"index": 0, "value": -56})),
        ("max", "u16", json!(64_200)),
        ("min", "i16", json!(-1336)),
        ("product", "i16", json!(-10_688)),
        // As the library writes them.
        ("wrapping_sum", "u8", json!(202)),
        ("norm_max", "i8", json!(56)),
    ] {
        assert_eq!(reduced(&[command], dtype, &bytes), value, "{command} of {dtype}");
    }
    let magnitudes = [0x8000_u16, 0, 0x8000].map(u16::to_le_bytes).concat();
    assert_eq!(reduced(&["norm-max"], "i16", &magnitudes), json!(32_768));
}

#[test]
fn every_operation_on_floats_with_nan() {
    if !has_adapter() {
        return;
    }
    floats_as("f32", &[f32::NAN, 1.5, -2.0, f32::INFINITY].map(f32::to_le_bytes).concat());
    floats_as("f16", &[0x7E00_u16, 0x3E00, 0xC000, 0x7C00].map(u16::to_le_bytes).concat());
    floats_as("bf16", &[0x7FC0_u16, 0x3FC0, 0xC000, 0x7F80].map(u16::to_le_bytes).concat());
    floats_as("f64", &[f64::NAN, 1.5, -2.0, f64::INFINITY].map(f64::to_le_bytes).concat());
}

fn floats_as(dtype: &str, bytes: &[u8]) {
    for (command, value) in [
        ("nan-min", json!(-2.0)),
        ("nan-max", json!("inf")),
        ("nan-argmin", json!({"index": 2, "value": -2.0})),
        ("nan-argmax", json!({"index": 3, "value": "inf"})),
        ("nan-sum", json!("inf")),
        ("nan-mean", json!("inf")),
        ("nan-variance", json!("NaN")),
        ("nan-std", json!("NaN")),
        ("count-nan", json!(1)),
        ("min", json!("NaN")),
        ("argmax", json!({"index": 0, "value": "NaN"})),
        ("norm-max", json!("NaN")),
        ("norm-l2", json!("NaN")),
        ("all", json!(true)),
    ] {
        assert_eq!(reduced(&[command], dtype, bytes), value, "{command} of {dtype}");
    }
    if dtype == "f64" {
        let error = run_with_stdin(&["log-sum-exp", "-", "--dtype", dtype], bytes).error(1);
        assert!(error.contains("is not defined for f64 elements, but for "), "{error}");
    } else {
        assert_eq!(reduced(&["log-sum-exp"], dtype, bytes), json!("NaN"), "{dtype}");
    }
}

#[test]
fn stats_are_a_table_or_an_object() {
    if !has_adapter() {
        return;
    }
    let path = data("f4.npy");
    let table = run(["stats", text(&path), "--check", "--ddof", "1"]).text();
    let names: Vec<_> = table.lines().filter_map(|line| line.split("  ").next()).collect();
    let figures = ["count", "min", "argmin", "max", "argmax", "sum", "mean", "variance"];
    assert_eq!(names[0], "op", "{table}");
    assert_eq!(names[1..9], figures, "{table}");
    assert!(
        table.contains("\nsum         45.0\n") && table.ends_with("check       ok\n"),
        "{table}"
    );
    let report = run(["stats", text(&path), "--json", "--check"]).json();
    let value = report["value"].as_object().unwrap();
    assert_eq!(value.len(), figures.len());
    assert_eq!((&value["count"], &value["sum"]), (&json!(24), &json!(45.0)));
    for part in ["cpu", "difference", "bound"] {
        assert_eq!(report["check"][part].as_object().unwrap().len(), figures.len());
    }
}

/// The figures of a file of 32-bit integers, near the ends of their range, and of one of 8 bits; of 64 there are none.
#[test]
fn stats_of_files_of_integers() {
    let wide = data("i8.npy");
    let error = run(["stats", text(&wide)]).error(1);
    assert!(error.contains("i8.npy: stats is not defined for i64 elements, but for "), "{error}");
    if !has_adapter() {
        return;
    }
    let most = i32::MAX;
    for (file, ddof, expected) in [
        (
            "i4.npy",
            "0",
            json!({
                "count": 5, "min": i32::MIN, "argmin": 1, "max": most, "argmax": 0, "sum": -3, "mean": -0.6,
                "variance": 3.689_348_812_164_93e18,
            }),
        ),
        (
            "i1.npy",
            "1",
            json!({
                "count": 6, "min": -128, "argmin": 0, "max": 127, "argmax": 1, "sum": -127,
                "mean": -127.0 / 6.0, "variance": 9_243.766_666_666_666,
            }),
        ),
    ] {
        let path = data(file);
        let report = run(["stats", text(&path), "--ddof", ddof, "--json", "--check"]).json();
        assert_eq!(report["check"]["ok"], true, "{report}");
        assert_eq!(report["value"], expected, "{file}");
    }
}

#[test]
fn what_has_no_result_is_an_error() {
    if !has_adapter() {
        return;
    }
    let path = data("f4-empty.npy");
    for (command, expected) in [
        ("min", "min of zero elements has no value"),
        ("stats", "stats of zero elements has no value"),
        ("nan-argmax", "nan_argmax of no element that is not NaN has no value"),
    ] {
        let error = run([command, text(&path)]).error(1);
        assert!(error.ends_with(expected), "{error}");
    }
    let nothing = [f32::NAN; 2].map(f32::to_le_bytes).concat();
    let error = run_with_stdin(&["nan-argmin", "-", "--dtype", "f32"], &nothing).error(1);
    assert!(error.ends_with("nan_argmin of no element that is not NaN has no value"), "{error}");
    assert_eq!(run(["product", text(&path), "--json"]).json()["value"], 1.0);
    let error = run(["bit-or", text(&data("f4.npy"))]).error(1);
    assert!(
        error.contains("f4.npy: bit_or is not defined for f32 elements, but for i32"),
        "{error}"
    );
}

#[test]
fn every_operation_of_the_library_is_a_command() {
    let help = run(["--help"]).text();
    for operation in wgpu_reduce::OpRecord::ALL {
        let command = operation.name().replace('_', "-");
        assert!(
            help.lines().any(|line| line.split_whitespace().next() == Some(&command)),
            "{command}"
        );
    }
}
