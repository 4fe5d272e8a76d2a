//! `bench`.

use crate::harness::{Run, has_adapter, run, text};
use serde_json::{Value, json};

/// Few elements and runs, so that software adapters take seconds.
fn bench(options: &[&str]) -> Run {
    let few = ["bench", "--elements", "100_000,2^10,1", "--repetitions", "3"];
    run(few.iter().chain(options))
}

#[test]
fn every_operation_and_type_is_measured_and_right() {
    if !has_adapter() {
        return;
    }
    for (op, dtype) in [
        ("sum", "f32"),
        ("sum", "i32"),
        ("sum", "u32"),
        ("wrapping-sum", "i32"),
        ("wrapping-sum", "u32"),
        ("sum", "u8"),
        ("sum", "i16"),
        ("sum", "f16"),
        ("sum", "bf16"),
        ("stats", "i8"),
        ("argmax", "u16"),
        ("sum", "i64"),
        ("norm-l1", "u64"),
        ("min-max", "f64"),
        ("sum-exact", "f32"),
        ("sum-exact", "f64"),
    ] {
        let report = bench(&["--op", op, "--dtype", dtype, "--json"]).json();
        assert_eq!(
            (&report["op"], &report["dtype"]),
            (&json!(op.replace('-', "_")), &json!(dtype))
        );
        assert_eq!(report["repetitions"], 3);
        let lengths = report["lengths"].as_array().unwrap();
        let elements: Vec<_> =
            lengths.iter().map(|row| row["elements"].as_u64().unwrap()).collect();
        assert_eq!(elements, [1, 1 << 10, 100_000]);
        for row in lengths {
            assert_eq!(row["ok"], true, "{row}");
            assert!(row["passes"].as_u64().unwrap() >= 1, "{row}");
            assert!(row["call_us"].as_f64().unwrap() >= row["call_min_us"].as_f64().unwrap());
            check_gpu_time(row, dtype);
        }
    }
}

/// Where the adapter has timestamps.
fn check_gpu_time(row: &Value, dtype: &str) {
    let Some(median) = row["gpu_us"].as_f64() else {
        assert!(row["gb_per_s"].is_null(), "{row}");
        return;
    };
    assert!(median >= row["gpu_min_us"].as_f64().unwrap(), "{row}");
    let size_bytes = dtype.trim_start_matches(char::is_alphabetic).parse::<f64>().unwrap() / 8.0;
    let rate = size_bytes * row["elements"].as_f64().unwrap() / median / 1e3;
    assert!((row["gb_per_s"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9, "{row}");
}

#[test]
fn table_lines_and_plot_have_every_length() {
    if !has_adapter() {
        return;
    }
    let table = bench(&[]).text();
    assert!(table.contains("\nsum of f32\ntimed runs: 3, after 2 to warm up\n"), "{table}");
    assert_eq!(table.matches("  ok\n").count(), 3, "{table}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bench.svg");
    let csv = bench(&["--csv", "--svg", text(&file)]).text();
    let lines: Vec<_> = csv.lines().collect();
    let head = "op,dtype,elements,passes,gpu_us,gpu_min_us,gb_per_s,call_us,call_min_us,ok";
    assert_eq!((lines.len(), lines[0]), (4, head));
    assert!(lines[2].starts_with("sum,f32,1024,1,") && lines[2].ends_with(",true"), "{csv}");
    let image = std::fs::read_to_string(&file).unwrap();
    let image = roxmltree::Document::parse(&image).unwrap();
    let texts: Vec<_> = image.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for part in ["sum of f32", "2^10", "100000", "read bandwidth (GB/s)"] {
        assert!(texts.contains(&part), "no {part} in {texts:?}");
    }
}

#[test]
fn mistakes_are_refused() {
    for (options, part) in [
        (&["--op", "wrapping-sum"][..], "wrapping_sum is not defined for f32 elements"),
        (&["--op", "total"], "[possible values: sum, wrapping-sum"),
        (&["--elements", "1024,0"], "expected a whole number from 1 to"),
        (&["--elements", ""], "expected a whole number from"),
        (&["--csv", "--json"], "cannot be used with"),
    ] {
        let run = run(["bench"].iter().chain(options));
        assert_eq!(run.status, Some(2), "{options:?}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    if has_adapter() {
        let error = run(["bench", "--elements", "2^60"]).error(1);
        let is_told = ["has no memory for", "may still be allocated"];
        assert!(is_told.iter().any(|part| error.contains(part)), "{error}");
    }
}
