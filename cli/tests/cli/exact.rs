//! `sum --exact`.

use crate::harness::{data, file, has_adapter, run, run_with_stdin, text};
use serde_json::json;
use wgpu_reduce_known::npy;

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
    for arguments in [&["--bits"][..], &["--exact", "--bits", "--json"], &["--exact", "--tuned"]] {
        let run = run(["sum", "numbers.npy"].iter().chain(arguments));
        assert_eq!(run.status, Some(2), "{arguments:?}: {}", run.stderr);
    }
}
