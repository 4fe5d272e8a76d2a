//! `--check` of sums whose terms add up beyond the range of their type.

use crate::harness::{file, has_adapter, run, run_with_stdin, text};
use serde_json::{Value, json};
use wgpu_reduce::ExactSum;
use wgpu_reduce_known::{mixed, uniform};

/// Numbers near enough to normal ones, of mean 0 and standard deviation 1.
fn normals(seed: u64) -> impl Iterator<Item = f64> {
    let sum = |start: u64| (start..start + 12).map(|i| f64::from(uniform(mixed(i)))).sum::<f64>();
    (0..6000).map(move |i| sum((seed * 6000 + i) * 12) - 6.0)
}

#[expect(clippy::cast_possible_truncation, reason = "to the elements of the file")]
fn singles(seed: u64, scale: f64) -> Vec<u8> {
    normals(seed).flat_map(|value| ((value * scale) as f32).to_le_bytes()).collect()
}

fn doubles(values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    values.into_iter().flat_map(f64::to_le_bytes).collect()
}

fn checked(command: &str, dtype: &str, more: &[&str], bytes: &[u8]) -> Value {
    let arguments = [&[command, "-", "--dtype", dtype, "--check", "--json"], more].concat();
    run_with_stdin(&arguments, bytes).json()
}

/// The result is a number within the bound, which says something.
fn check_near(report: &Value, largest_bound: f64) {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{report}"));
    let check = &report["check"];
    let bound = number(&check["bound"]);
    assert!(check["ok"] == true && check.get("note").is_none(), "{report}");
    assert!(bound > 0.0 && bound < largest_bound, "{report}");
    assert!((number(&report["value"]) - number(&check["cpu"])).abs() <= bound, "{report}");
}

/// The result is right, or infinite or NaN with a note.
fn check_told(report: &Value, real: f64) {
    let check = &report["check"];
    // serde_json may be off by a bit.
    let cpu = check["cpu"].as_f64().unwrap();
    assert!((cpu - real).abs() <= 1e-15 * real.abs(), "{report}");
    if report["value"].is_string() {
        assert!(check["ok"].is_null(), "{report}");
        let note = check["note"].as_str().unwrap();
        assert!(note.contains("may have overflowed") && note.contains("--exact"), "{report}");
    } else {
        assert_eq!(check["ok"], true, "{report}");
    }
}

#[test]
fn sums_of_f32_whose_magnitudes_are_beyond_it_are_near() {
    if !has_adapter() {
        return;
    }
    for seed in 1..=5 {
        let bytes = singles(seed, 1e35);
        for command in ["sum", "nan-sum"] {
            for more in [&[][..], &["--memory", "4Ki"]] {
                check_near(&checked(command, "f32", more, &bytes), 1e35);
            }
        }
    }
}

/// The upper half of an `f32` is a `bf16`.
#[test]
fn sums_of_bf16_whose_magnitudes_are_beyond_f32_are_near() {
    if !has_adapter() {
        return;
    }
    let upper = |seed, scale| -> Vec<u8> {
        singles(seed, scale).chunks(4).flat_map(|bytes| bytes[2..].to_vec()).collect()
    };
    let bytes = [upper(1, 1e35), f32::NAN.to_le_bytes()[2..].to_vec()].concat();
    check_near(&checked("nan-sum", "bf16", &[], &bytes), 1e35);
    check_near(&checked("sum", "bf16", &[], &bytes[..12000]), 1e35);
    let (_folder, other) = file("other.bin", &upper(6, 1e17));
    check_near(&checked("dot", "bf16", &[text(&other)], &upper(1, 1e18)), 1e36);
}

#[test]
fn dot_products_of_f32_whose_magnitudes_are_beyond_it_are_near() {
    if !has_adapter() {
        return;
    }
    for seed in 1..=5 {
        let (_folder, other) = file("other.bin", &singles(seed + 5, 1e17));
        check_near(&checked("dot", "f32", &[text(&other)], &singles(seed, 1e18)), 1e35);
    }
}

#[test]
fn sums_of_f64_whose_magnitudes_are_beyond_it_are_near() {
    if !has_adapter() {
        return;
    }
    let bytes = doubles(normals(1).map(|value| value * 1e305));
    for command in ["sum", "nan-sum"] {
        for more in [&[][..], &["--memory", "4Ki"]] {
            check_near(&checked(command, "f64", more, &bytes), 1e297);
        }
    }
    let (_folder, other) = file("other.bin", &doubles(normals(2).map(|value| value * 1e152)));
    let left = doubles(normals(1).map(|value| value * 1e153));
    check_near(&checked("dot", "f64", &[text(&other)], &left), 1e297);
}

/// The CPU's sum is the real one, whatever partial sums are.
#[test]
fn sums_of_f64_that_overflow_on_their_way_are_told() {
    if !has_adapter() {
        return;
    }
    let ones = doubles(vec![1.0; 6000]);
    for values in [
        [1e306, -1e306].map(|value| vec![value; 3000]).concat(),
        vec![1e308, 1e308, -1e308],
        vec![1e308, 1e308, -1e308, -1e308],
        vec![1e308, 1e308, -1e308, 5e307, -1e308],
    ] {
        let real = ExactSum::from_iter(&values).round();
        let bytes = doubles(values.iter().copied());
        for command in ["sum", "nan-sum"] {
            for more in [&[][..], &["--memory", "4Ki"]] {
                check_told(&checked(command, "f64", more, &bytes), real);
            }
        }
        let (_folder, other) = file("ones.bin", &ones[..bytes.len()]);
        check_told(&checked("dot", "f64", &[text(&other)], &bytes), real);
    }
}

#[test]
fn infinite_partial_sums_are_no_plain_ok() {
    if !has_adapter() {
        return;
    }
    let most = f32::MAX;
    let bytes: Vec<u8> = [most, most, -most].iter().flat_map(|value| value.to_le_bytes()).collect();
    let (_folder, path) = file("sum.bin", &bytes);
    let report = run(["sum", text(&path), "--dtype", "f32", "--check", "--json"]).json();
    check_told(&report, most.into());
    let table = run(["sum", text(&path), "--dtype", "f32", "--check"]).text();
    let line = table.lines().last().unwrap();
    if report["value"].is_string() {
        assert_eq!(line, "check       a partial sum may have overflowed; none does with --exact");
    } else {
        assert_eq!(line, "check       ok");
    }
    // The real sum is beyond the range, so that infinity is right.
    let report = checked("sum", "f32", &[], &[most, most].map(f32::to_le_bytes).concat());
    assert_eq!((&report["value"], &report["check"]["ok"]), (&json!("inf"), &json!(true)));
}

/// Where the sum among the figures of `stats` is the largest number, one rounding makes it infinite. The same bits on both sides prove nothing
/// then.
#[test]
fn figures_without_a_bound_are_undecided() {
    if !has_adapter() {
        return;
    }
    for (values, is_sum_open) in [
        (vec![f32::MAX, f32::MAX, -f32::MAX], true),
        (vec![f32::MAX / 8.0, 0.1, -f32::MAX / 8.0], false),
    ] {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let report = checked("stats", "f32", &[], &bytes);
        let check = &report["check"];
        assert_eq!(check["bound"]["sum"] == "inf", is_sum_open, "{report}");
        let expected = if is_sum_open { Value::Null } else { json!(true) };
        assert_eq!(check["ok"], expected, "{report}");
        assert_eq!(check.get("note").is_some(), check["ok"].is_null(), "{report}");
    }
    let most = [1e38_f32; 4].map(f32::to_le_bytes).concat();
    let check = &checked("norm-l1", "f32", &[], &most)["check"];
    assert_eq!((&check["bound"], &check["ok"]), (&json!("inf"), &Value::Null), "{check}");
}

/// Nobody knows without a second look at the elements, so that both reasons are given.
#[test]
fn sums_that_are_not_finite_say_why_they_may_be() {
    if !has_adapter() {
        return;
    }
    let note = |command: &[&str], values: &[f32]| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let options = ["--dtype", "f32", "--deadline", "60"];
        let options = [command, &options].concat();
        let table = run_with_stdin(&options, &bytes).text();
        let row = table.lines().find_map(|line| line.strip_prefix("note        "));
        let report = run_with_stdin(&[&options[..], &["--json"]].concat(), &bytes).json();
        assert_eq!(report.get("note").and_then(Value::as_str), row, "{report}");
        row.map(str::to_owned)
    };
    let (_folder, other) = file("other.bin", &[1.0_f32, 1.0].map(f32::to_le_bytes).concat());
    for values in [[f32::MAX, f32::MAX], [f32::INFINITY, 1.0]] {
        for command in [&["sum", "-"][..], &["dot", "-", text(&other)]] {
            let told = note(command, &values).unwrap();
            assert!(
                told.ends_with("a partial sum has overflowed; none does with --exact"),
                "{told}"
            );
        }
        assert!(note(&["nan-sum", "-"], &values).is_some());
        assert_eq!(note(&["max", "-"], &values), None);
        assert_eq!(note(&["sum", "-", "--exact"], &values), None);
    }
    assert_eq!(note(&["sum", "-"], &[1.0, 2.0]), None);
    let help = run(["sum", "--help"]).text();
    assert!(help.contains("does not overflow on the way"), "{help}");
}

/// `dot --exact` takes no floats of 16 bits, so that it is no advice for them.
#[test]
fn exact_dot_products_are_advised_only_where_there_are_some() {
    if !has_adapter() {
        return;
    }
    let most = 0x7F7F_u16;
    let bytes = [most, most, most ^ 0x8000].map(u16::to_le_bytes).concat();
    let (_folder, other) = file("other.bin", &[0x3F80_u16; 3].map(u16::to_le_bytes).concat());
    for check in [&[][..], &["--check"]] {
        let options = [&["dot", "-", text(&other), "--dtype", "bf16"], check].concat();
        let table = run_with_stdin(&options, &bytes).text();
        assert!(!table.contains("--exact"), "{table}");
        assert!(!table.contains("inf") || table.contains("a partial sum "), "{table}");
    }
}
