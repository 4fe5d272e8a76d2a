//! `dot`, with and without `--exact`.

use crate::harness::{data, file, has_adapter, run, run_with_stdin, text};
use serde_json::json;

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn files_are_paired_and_checked() {
    if !has_adapter() {
        return;
    }
    let path = data("f4.npy");
    let table = run(["dot", text(&path), text(&path), "--check"]).text();
    let squares = run(["sum-of-squares", text(&path), "--json"]).json();
    assert!(table.contains("op          dot\n") && table.ends_with("check       ok\n"), "{table}");
    let value = format!("value       {}\n", squares["value"]);
    assert!(table.contains(&value), "{table} has not {value}");

    let least = [i32::MIN, 7].map(i32::to_le_bytes).concat();
    let (_folder, other) = file("other.bin", &[i32::MAX, -1].map(i32::to_le_bytes).concat());
    let arguments = ["dot", "-", text(&other), "--dtype", "i32", "--json", "--check"];
    let dot = run_with_stdin(&arguments, &least).json();
    // serde_json reads a number of so many digits as a float.
    assert_eq!(dot["value"].as_f64(), Some(-4_611_686_016_279_904_263.0), "{dot}");
    assert_eq!((&dot["op"], &dot["elements"]), (&json!("dot"), &json!(2)));
    assert_eq!(dot["check"]["ok"], true, "{dot}");

    let other = data("i1.npy");
    let packed = ["dot", "-", text(&other), "--dtype", "i8", "--json", "--check"];
    let dot = run_with_stdin(&packed, &[0x80, 1, 2, 0xFF, 9, 0x7F]).json();
    assert_eq!((&dot["value"], &dot["dtype"]), (&json!(16_637), &json!("i8")), "{dot}");
}

#[test]
fn exact_dot_products_have_the_same_bits_everywhere() {
    if !has_adapter() {
        return;
    }
    let (_folder, other) = file("other.bin", &bytes(&[2e38, 1e-30, 2e38]));
    let left = bytes(&[3e38, 1.0, -3e38]);
    let arguments = ["dot", "-", text(&other), "--dtype", "f32", "--exact"];
    let expected = format!("{:08x}\n", 1e-30_f32.to_bits());
    for more in [&["--bits"][..], &["--bits", "--check"], &["--bits", "--no-subgroups"]] {
        assert_eq!(run_with_stdin(&[&arguments, more].concat(), &left).text(), expected);
    }
    let report = run_with_stdin(&[&arguments[..], &["--json", "--check"]].concat(), &left).json();
    assert_eq!((&report["op"], &report["check"]["ok"]), (&json!("dot_exact"), &json!(true)));

    let of_f64 = |numbers: [f64; 3]| numbers.map(f64::to_le_bytes).concat();
    let (_folder, other) = file("other.bin", &of_f64([2e300, 1e-300, 2e300]));
    let left = of_f64([3e300, 1.0, -3e300]);
    let arguments = ["dot", "-", text(&other), "--dtype", "f64", "--exact"];
    let expected = format!("{:016x}\n", 1e-300_f64.to_bits());
    for more in [&["--bits"][..], &["--bits", "--check"], &["--bits", "--memory", "0"]] {
        assert_eq!(run_with_stdin(&[&arguments, more].concat(), &left).text(), expected);
    }
    let report = run_with_stdin(&[&arguments[..], &["--json", "--check"]].concat(), &left).json();
    assert_eq!((&report["dtype"], &report["check"]["ok"]), (&json!("f64"), &json!(true)));
}

#[test]
fn options_of_one_file_are_not_those_of_two() {
    let f4 = data("f4.npy");
    for option in ["--axis", "--offsets", "--keys", "--output", "--output-keys"] {
        let refused = run(["dot", text(&f4), text(&f4), option, "0"]);
        assert_eq!(refused.status, Some(2), "{option}");
        let what = format!("unexpected argument '{option}'");
        assert!(refused.stderr.contains(&what), "{}", refused.stderr);
    }
    let of_two = run(["dot", "--help"]).text();
    let of_one = run(["sum", "--help"]).text();
    assert!(!of_two.contains("--axis") && of_one.contains("--axis"), "{of_two}");
    assert!(of_two.contains("--memory") && of_one.contains("--memory"), "{of_two}");
    // Results that are several need the whole file.
    let memory = ["sum", text(&f4), "--axis", "0", "--memory", "1Mi"];
    assert_eq!(run(memory).status, Some(2));
}

#[test]
fn what_does_not_pair_is_refused() {
    let same = run(["dot", "-", "-", "--dtype", "f32"]);
    assert_eq!(same.status, Some(2), "{}", same.stderr);
    let (f4, i4) = (data("f4.npy"), data("i4.npy"));
    let error = run(["dot", text(&f4), text(&i4)]).error(1);
    assert!(error.ends_with("i4.npy: i32 elements cannot be paired with f32 elements"), "{error}");
    let error = run(["dot", text(&i4), text(&i4), "--exact"]).error(1);
    assert!(
        error.contains("i4.npy: dot_exact is not defined for i32 elements, but for f32, f64"),
        "{error}"
    );
    if has_adapter() {
        for more in [&[][..], &["--exact"]] {
            let (_folder, short) = file("short.npy", &std::fs::read(data("f4-0d.npy")).unwrap());
            let error = run(["dot", text(&f4), text(&short)].iter().chain(more)).error(1);
            let what = format!("its 1 elements cannot be paired with the 24 of {}", text(&f4));
            assert_eq!(error, format!("{}: {what}", text(&short)));
        }
    }
}

#[test]
fn plans_of_pairs_and_exact_plans_are_explained() {
    let explain = |options: &[&str]| run(["explain", "--baseline"].iter().chain(options)).text();
    let dot = explain(&["--op", "dot", "--offset", "1", "--elements", "1000", "--wgsl"]);
    assert!(dot.contains("dot of 1000 f32 pairs\n  reads 8000 bytes"), "{dot}");
    assert!(dot.contains("over bytes 0..4004 of Input(0) and 0..4000 of Input(1)\n"), "{dot}");
    assert!(dot.contains("dot f32 Pairs Workgroup"), "{dot}");
    let exact = explain(&["--exact", "--elements", "1000"]);
    assert!(exact.contains("sum_exact of 1000 f32 elements\n"), "{exact}");
    assert!(!exact.contains("@compute"), "{exact}");
    let exact = explain(&["--exact", "--op", "dot", "--elements", "1000", "--wgsl"]);
    assert!(exact.contains("dot_exact of 1000 f32 pairs\n"), "{exact}");
    assert!(exact.contains("over bytes 0..4000 of Input(0) and 0..4000 of Input(1)\n"), "{exact}");
    assert_eq!(exact.matches("@compute").count(), 1, "{exact}");
    let refused = run(["explain", "--baseline", "--exact", "--op", "min"]);
    assert_eq!(refused.status, Some(2), "{}", refused.stderr);
    let error = run(["explain", "--baseline", "--exact", "--dtype", "i32"]).error(1);
    assert_eq!(error, "sum_exact is not defined for i32 elements");
}

#[test]
fn the_bench_reads_both_inputs() {
    if !has_adapter() {
        return;
    }
    for dtype in ["f32", "i32", "u32"] {
        let arguments = ["bench", "--op", "dot", "--dtype", dtype, "--elements", "1,1000,30_000"];
        let report = run(arguments.iter().chain(&["--repetitions", "2", "--json"])).json();
        for row in report["lengths"].as_array().unwrap() {
            assert_eq!(row["ok"], true, "{row}");
            if let Some(median) = row["gpu_us"].as_f64() {
                let rate = 8.0 * row["elements"].as_f64().unwrap() / median / 1e3;
                assert!((row["gb_per_s"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9, "{row}");
            }
        }
    }
}
