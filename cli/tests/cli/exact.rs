//! `sum --exact`.

use crate::harness::{data, file, has_adapter, npy_header, run, run_with_stdin, text};
use serde_json::json;
use std::path::Path;
use wgpu_reduce::ExactSum;
use wgpu_reduce_known::{hash, npy};

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// In which any sum in `f32` loses something.
const CANCELLING: [f32; 6] = [1e30, 1.0, -1e30, 1e-45, 3e38, -3e38];

#[test]
fn bits_are_all_that_is_printed() {
    if !has_adapter() {
        return;
    }
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for (values, bits) in [
        (&CANCELLING[..], "3f800000\n"),
        (&[0.1, 0.2], "3e99999a\n"),
        (&[-0.0, -0.0], "80000000\n"),
        (&[f32::MAX, f32::MAX], "7f800000\n"),
        (&[inf, -inf], "7fc00000\n"),
        (&[-nan], "7fc00000\n"),
        (&[f32::from_bits(3)], "00000003\n"),
        (&[], "00000000\n"),
    ] {
        for more in [&[][..], &["--check"], &["--no-subgroups"]] {
            let arguments = [&["sum", "-", "--dtype", "f32", "--exact", "--bits"], more].concat();
            assert_eq!(run_with_stdin(&arguments, &bytes(values)).text(), bits, "{values:?}");
        }
    }
    let path = data("f4.npy");
    assert_eq!(run(["sum", text(&path), "--exact", "--bits"]).text(), "42340000\n");
}

fn bytes_of_doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Random bits that are finite numbers of all exponents, each with its opposite far from it, and a few numbers beside.
fn cancelling_doubles(half: u64) -> Vec<f64> {
    let words = (0..half).map(|i| u64::from(hash(i)) << 32 | u64::from(hash(i + half)));
    let numbers: Vec<_> = words.map(f64::from_bits).filter(|value| value.is_finite()).collect();
    let negated = numbers.iter().rev().map(|value| -value);
    numbers.iter().copied().chain(negated).chain([1e-320, 3.0, 2.0_f64.powi(-70)]).collect()
}

fn bits_of(values: &[f64]) -> String {
    format!("{:016x}\n", ExactSum::from_iter(values).round().to_bits())
}

/// On devices without `f64`, too.
#[test]
fn doubles_have_an_exact_sum() {
    if !has_adapter() {
        return;
    }
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (values, bits) in [
        (&[1e300, 1.0, -1e300, f64::from_bits(1)][..], "3ff0000000000000\n"),
        (&[0.1, 0.2], "3fd3333333333334\n"),
        (&[-0.0, -0.0], "8000000000000000\n"),
        (&[-0.0, 0.0], "0000000000000000\n"),
        (&[f64::MAX, f64::MAX], "7ff0000000000000\n"),
        (&[f64::MAX, f64::MAX, -f64::MAX], "7fefffffffffffff\n"),
        (&[-inf, 1.0], "fff0000000000000\n"),
        (&[inf, -inf], "7ff8000000000000\n"),
        (&[-nan], "7ff8000000000000\n"),
        (&[f64::from_bits(3)], "0000000000000003\n"),
        (&[], "0000000000000000\n"),
    ] {
        assert_eq!(bits_of(values), bits, "{values:?}");
        for more in [&[][..], &["--check"], &["--no-subgroups"]] {
            let arguments = [&["sum", "-", "--dtype", "f64", "--exact", "--bits"], more].concat();
            let found = run_with_stdin(&arguments, &bytes_of_doubles(values)).text();
            assert_eq!(found, bits, "{values:?}");
        }
    }
    let sum = run(["sum", text(&data("f8.npy")), "--exact", "--json", "--check"]).json();
    assert_eq!((&sum["op"], &sum["dtype"]), (&json!("sum_exact"), &json!("f64")));
    assert_eq!(sum["check"]["ok"], json!(true));
    assert_eq!(sum["value"], sum["check"]["cpu"]);
}

/// By NumPy's type, in either order of bytes, in any order of the elements, and in pieces.
#[test]
fn doubles_have_the_bits_of_their_sum_on_the_host() {
    if !has_adapter() {
        return;
    }
    let values = cancelling_doubles(20_000);
    let (folder, raw) = file("doubles.bin", &bytes_of_doubles(&values));
    let expected = bits_of(&values);
    let bits = |path: &Path, more: &[&str]| {
        run([&["sum", text(path), "--exact", "--bits", "--check"], more].concat()).text()
    };
    for memory in ["256Mi", "40Ki", "0"] {
        assert_eq!(bits(&raw, &["--dtype", "f64", "--memory", memory]), expected, "{memory}");
    }
    let reversed: Vec<_> = values.iter().rev().copied().collect();
    let big_endian = reversed.iter().flat_map(|value| value.to_be_bytes()).collect();
    for (dtype, data) in [("<f8", bytes_of_doubles(&reversed)), (">f8", big_endian)] {
        let path = folder.path().join("doubles.npy");
        std::fs::write(&path, [npy_header(dtype, false, &[values.len()]), data].concat()).unwrap();
        for memory in ["256Mi", "40Ki"] {
            assert_eq!(bits(&path, &["--memory", memory]), expected, "{dtype} in {memory}");
        }
    }
    let adapters = run(["devices", "--json"]).json().as_array().map_or(0, Vec::len);
    for index in 0..adapters {
        assert_eq!(bits(&raw, &["--dtype", "f64", "--adapter", &index.to_string()]), expected);
    }
    let timed = ["sum", text(&raw), "--dtype", "f64", "--exact", "--repetitions", "3", "--json"];
    let sum = run(timed).json();
    assert_eq!(sum["elements"], json!(values.len()));
    if let Some(median_us) = sum["gpu_us"].as_f64() {
        let rate = 8.0 * sum["elements"].as_f64().unwrap() / median_us / 1e3;
        assert!((sum["gb_per_s"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9, "{sum}");
    }
    let streamed =
        ["sum", "-", "--dtype", "f64", "--exact", "--check", "--json", "--memory", "40Ki"];
    let sum = run_with_stdin(&streamed, &bytes_of_doubles(&values)).json();
    assert_eq!(sum["elements"], json!(values.len()));
    assert!(sum["streamed"]["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{sum}");
    assert_eq!(sum["check"]["ok"], json!(true), "{sum}");
}

/// Floats of `f16` have one, too; there it is the operation's.
#[test]
fn halves_have_an_exact_sum() {
    if !has_adapter() {
        return;
    }
    // 65504, 65504, -0.5, the least and 2, whose sum ends between two of f32.
    let path = data("f2.npy");
    for more in [&[][..], &["--check"]] {
        let arguments = [&["sum", text(&path), "--exact", "--bits"], more].concat();
        assert_eq!(run(arguments).text(), "47ffe0c0\n");
    }
    let sum = run(["sum", text(&path), "--exact", "--json"]).json();
    assert_eq!((&sum["op"], &sum["dtype"]), (&json!("sum_exact"), &json!("f16")));
    let rows = run(["sum", text(&path), "--exact", "--axis", "0"]).text();
    assert_eq!(rows, run(["sum-exact", text(&path), "--axis", "0"]).text());
}

/// Raw, and as `ml_dtypes` writes it.
#[test]
fn bfloats_have_an_exact_sum() {
    if !has_adapter() {
        return;
    }
    // 2^127, the least of all, -2^127 and 2^-133 again.
    let bytes = [0x7F00_u16, 0x0001, 0xFF00, 0x0001].map(u16::to_le_bytes).concat();
    let arguments = ["sum", "-", "--dtype", "bf16", "--exact", "--bits", "--check"];
    assert_eq!(run_with_stdin(&arguments, &bytes).text(), "00020000\n");
    let npy = [npy::start(1, &npy::header("'<V2'", "(2, 2)")), bytes].concat();
    assert_eq!(run_with_stdin(&arguments, &npy).text(), "00020000\n");
    let (_folder, path) = file("data.npy", &npy);
    let rows = ["sum", text(&path), "--dtype", "bf16", "--exact", "--axis", "0"];
    assert_eq!(run(rows).text(), "0.0\n1.83671e-40\n");
    let error = run(["sum", text(&path)]).error(1);
    assert!(
        error.ends_with("; if it is the bfloat16 of ml_dtypes, name the type: bf16"),
        "{error}"
    );
}

/// Of `f64` by either name, of everything, along axes, of segments and of runs.
#[test]
fn doubles_have_exact_sums_in_every_shape() {
    if !has_adapter() {
        return;
    }
    let values = [1e300_f64, 1.0, -1e300, 0.1, 0.2, 0.3];
    let npy = |dtype, shape, bytes| [npy::start(1, &npy::header(dtype, shape)), bytes].concat();
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let bytes = values.map(f64::to_le_bytes).concat();
    let (_data, path) = file("data.npy", &npy("'<f8'", "(2, 3)", bytes));
    let (_offsets, offsets) = file("offsets.npy", &npy("'<u4'", "(4,)", words(&[0, 3, 3, 6])));
    let (_keys, keys) = file("keys.npy", &npy("'<u4'", "(6,)", words(&[7, 7, 7, 2, 2, 2])));
    let sum = |more: &[&str]| {
        let [by_option, by_name] =
            [&["sum", text(&path), "--exact"][..], &["sum-exact", text(&path)]]
                .map(|command| run([command, more].concat()).text());
        assert_eq!(by_option, by_name, "{more:?}");
        by_name
    };
    let of_all = sum(&[]);
    assert!(of_all.contains("value       1.6\n"), "{of_all}");
    assert_eq!(sum(&["--axis", "1"]), "1.0\n0.6\n");
    let columns = [0, 1, 2].map(|at| ExactSum::from_iter([values[at], values[at + 3]]).round());
    assert_eq!(sum(&["--axis", "0"]), columns.map(|column| format!("{column:?}\n")).concat());
    assert_eq!(sum(&["--offsets", text(&offsets)]), "1.0\n0.0\n0.6\n");
    let runs = sum(&["--keys", text(&keys)]);
    assert!(runs.contains("1.0") && runs.contains("0.6"), "{runs}");
}

#[test]
fn the_object_is_that_of_other_sums() {
    if !has_adapter() {
        return;
    }
    let arguments = ["sum", "-", "--dtype", "f32", "--exact", "--json", "--check"];
    let sum = run_with_stdin(&arguments, &bytes(&CANCELLING)).json();
    assert_eq!((&sum["op"], &sum["value"]), (&json!("sum_exact"), &json!(1.0)));
    assert_eq!((&sum["elements"], &sum["dtype"]), (&json!(6), &json!("f32")));
    let check = json!({"cpu": 1.0, "difference": 0.0, "bound": 0.0, "ok": true});
    assert_eq!(sum["check"], check);
    assert_eq!(sum["gpu_us"].is_null(), sum["gb_per_s"].is_null());
    let path = data("f4.npy");
    let table = run(["sum", text(&path), "--exact"]).text();
    assert!(table.contains("op          sum_exact\nvalue       45.0\n"), "{table}");
}

#[test]
fn what_has_no_exact_sum_is_refused() {
    let path = data("i4.npy");
    let error = run(["sum", text(&path), "--exact"]).error(1);
    assert!(
        error.contains("i4.npy: sum_exact is not defined for i32 elements, but for f32, f16, bf16"),
        "{error}"
    );
    let error = run(["sum", text(&data("i8.npy")), "--exact"]).error(1);
    assert!(error.ends_with("in NumPy a.astype('f8') keeps integers up to 2^53"), "{error}");
    for arguments in [&["--bits"][..], &["--exact", "--bits", "--json"], &["--exact", "--tuned"]] {
        let run = run(["sum", "numbers.npy"].iter().chain(arguments));
        assert_eq!(run.status, Some(2), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn means_are_those_of_exact_sums() {
    if !has_adapter() {
        return;
    }
    let wide: Vec<u8> = [1e300_f64, 3.0, -1e300].iter().flat_map(|x| x.to_le_bytes()).collect();
    for (element, bytes) in [("f32", bytes(&[1e30, 3.0, -1e30])), ("f64", wide)] {
        let arguments = ["mean-exact", "-", "--dtype", element, "--json"];
        let report = run_with_stdin(&arguments, &bytes).json();
        assert_eq!((&report["op"], &report["value"]), (&json!("mean_exact"), &json!(1.0)));
        let (_folder, path) = file("mean.bin", &bytes);
        let report = run(["mean-exact", text(&path), "--dtype", element, "--json"]).json();
        assert_eq!((&report["op"], &report["value"]), (&json!("mean_exact"), &json!(1.0)));
    }
}
