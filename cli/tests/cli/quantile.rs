//! `median`, `quantile` and `nth`.

use crate::harness::{data, file, has_adapter, run, run_with_stdin, text};
use serde_json::json;

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn files_have_medians_quantiles_and_elements_of_a_rank() {
    if !has_adapter() {
        return;
    }
    let (_folder, path) = file("five.bin", &bytes(&[5.0, -1.0, 2.5, 9.0, 0.0]));
    let of = |arguments: &[&str]| run([arguments, &[text(&path), "--dtype", "f32"]].concat());
    let table = of(&["median"]).text();
    assert!(table.starts_with("op          median\nvalue       2.5\nelements    5\n"), "{table}");
    let quantiles = of(&["quantile"]).text();
    let rows = "op          quantile\n0.25        0.0\n0.5         2.5\n0.75        5.0\n";
    assert!(quantiles.starts_with(rows), "{quantiles}");
    let report = of(&["quantile", "--at", "0.9,1,0.1", "--method", "lower", "--json"]).json();
    assert_eq!(
        (&report["q"], &report["value"]),
        (&json!([0.9, 1.0, 0.1]), &json!([5.0, 9.0, -1.0]))
    );
    let report = of(&["nth", "--rank", "1", "--json"]).json();
    assert_eq!((&report["op"], &report["value"]), (&json!("nth"), &json!(0.0)), "{report}");
}

#[test]
fn every_type_is_taken_and_nan_is_told() {
    if !has_adapter() {
        return;
    }
    for name in ["f4.npy", "i1.npy"] {
        let report = run(["median", text(&data(name)), "--json"]).json();
        let least = run(["nth", "--rank", "0", text(&data(name)), "--json"]).json();
        let min = run(["min", text(&data(name)), "--json"]).json();
        assert_eq!(least["value"], min["value"], "{name}");
        assert!(report["value"].is_number() && report["elements"] == min["elements"], "{report}");
    }
    let stdin = bytes(&[1.0, f32::NAN, 3.0]);
    let report = run_with_stdin(&["median", "-", "--dtype", "f32", "--json"], &stdin).json();
    assert_eq!(report["value"], "NaN", "{report}");
}

#[test]
fn what_there_is_not_is_refused() {
    let f4 = data("f4.npy");
    for at in ["1.5", "-0.1", "nan", "x"] {
        let refused = run(["quantile", text(&f4), "--at", at]);
        assert_eq!(refused.status, Some(2), "{at}");
        assert!(refused.stderr.contains("expected a number from 0 to 1"), "{}", refused.stderr);
    }
    if !has_adapter() {
        return;
    }
    let error = run(["nth", text(&f4), "--rank", "1Ti"]).error(1);
    assert!(error.contains("f4.npy") && error.contains("have no rank"), "{error}");
    let (_folder, empty) = file("empty.bin", &[]);
    let error = run(["median", text(&empty), "--dtype", "i32"]).error(1);
    assert!(error.ends_with("empty.bin: median of zero elements has no value"), "{error}");
}
