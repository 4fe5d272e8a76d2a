//! `median`, `quantile`, `nth`, `top-k` and `bottom-k`, of whole files and along axes.

use crate::harness::{data, file, has_adapter, npy_header, run, run_with_stdin, text};
use serde_json::{Value, json};
use std::fs;

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
fn quantiles_of_numbers_leave_nan_out() {
    if !has_adapter() {
        return;
    }
    let numbers = bytes(&[1.0, f32::NAN, 3.0, 8.0, f32::NAN, -f32::NAN]);
    let (_folder, path) = file("numbers.bin", &numbers);
    let of = |arguments: &[&str]| run([arguments, &[text(&path), "--dtype", "f32"]].concat());
    let table = of(&["nan-median"]).text();
    assert!(
        table.starts_with("op          nan_median\nvalue       3.0\nelements    6\n"),
        "{table}"
    );
    let report = of(&["nan-quantile", "--at", "1,0.25", "--json"]).json();
    let told = (&report["op"], &report["q"], &report["value"]);
    assert_eq!(told, (&json!("nan_quantile"), &json!([1.0, 0.25]), &json!([8.0, 2.0])), "{report}");
    let rows = [npy_header("<f4", false, &[2, 3]), numbers].concat();
    let (_folder, path) = file("rows.npy", &rows);
    let report = run(["nan-median", text(&path), "--axis", "1", "--json"]).json();
    assert_eq!(report["results"], json!([2.0, 8.0]), "{report}");
    let report = run(["nan-median", text(&path), "--axis", "0", "--json"]).json();
    assert_eq!(report["results"], json!([4.5, "NaN", 3.0]), "{report}");
}

#[test]
fn files_larger_than_memory_are_read_several_times() {
    if !has_adapter() {
        return;
    }
    let numbers: Vec<_> =
        (0..100_000_u32).map(|n| f64::from(n.wrapping_mul(2_654_435_761))).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let (_folder, path) = file("large.bin", &bytes);
    let of = |arguments: &[&str]| {
        run([arguments, &[text(&path), "--dtype", "f64", "--json"]].concat()).json()
    };
    for command in [
        &["median"][..],
        &["nan-median"],
        &["quantile", "--at", "0.1,0.9,0.5"],
        &["nan-quantile", "--at", "0,1", "--method", "hazen"],
        &["nth", "--rank", "7"],
    ] {
        let (whole, read) = (of(command), of(&[command, &["--memory", "64Ki"]].concat()));
        assert_eq!((&whole["value"], &whole["elements"]), (&read["value"], &read["elements"]));
        assert!(whole["streamed"].is_null() && read["streamed"]["gb_per_s"].is_number(), "{read}");
        let within = of(&[command, &["--memory", "16Mi"]].concat());
        assert!(within["value"] == whole["value"] && within["streamed"].is_null(), "{within}");
    }
    let arguments = ["median", "-", "--dtype", "f64", "--memory", "64Ki"];
    let refused = run_with_stdin(&arguments, &bytes);
    assert_eq!(refused.status, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("read once"), "{}", refused.stderr);
    for usage in [
        &["top-k", "--k", "2", "--memory", "64Ki"][..],
        &["nth", "--rank", "2", "--index", "--memory", "64Ki"],
        &["median", "--axis", "0", "--memory", "64Ki"],
    ] {
        let refused = run([usage, &[text(&path), "--dtype", "f64"]].concat());
        assert_eq!(refused.status, Some(2), "{usage:?}: {}", refused.stderr);
    }
    let error = run(["nth", "--rank", "100000", text(&path), "--dtype", "f64", "--memory", "64Ki"])
        .error(1);
    assert!(
        error.ends_with("large.bin: 100000 elements have no rank 100000, counted from 0"),
        "{error}"
    );
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

#[test]
fn elements_at_either_end_come_with_their_indices() {
    if !has_adapter() {
        return;
    }
    let (_folder, path) = file("six.bin", &bytes(&[5.0, -1.0, 5.0, f32::NAN, 0.0, -1.0]));
    let of = |arguments: &[&str]| run([arguments, &[text(&path), "--dtype", "f32"]].concat());
    let table = of(&["top-k", "--k", "3"]).text();
    let rows =
        "op          top_k\nindex       value\n3           NaN\n0           5.0\n2           5.0\n";
    assert!(table.starts_with(&format!("{rows}elements    6\n")), "{table}");
    let report = of(&["bottom-k", "--k", "2", "--json"]).json();
    let smallest = json!([{"index": 1, "value": -1.0}, {"index": 5, "value": -1.0}]);
    assert_eq!((&report["op"], &report["value"]), (&json!("bottom_k"), &smallest), "{report}");
    let one = of(&["top-k", "--k", "1", "--json"]).json();
    assert_eq!(one["value"], json!([{"index": 3, "value": "NaN"}]), "{one}");
    let table = of(&["nth", "--rank", "4", "--index"]).text();
    assert!(table.starts_with("op          arg_nth\nindex       2\nvalue       5.0\n"), "{table}");
    let report = of(&["nth", "--rank", "1", "--index", "--json"]).json();
    assert_eq!(report["value"], json!({"index": 5, "value": -1.0}), "{report}");
}

/// 2 by 3 by 4 numbers of i32, in either order of a file: (i, j, k) has `(12 i + 4 j + k) * 7 % 24`.
fn cube(is_fortran: bool) -> Vec<u8> {
    let places = |number: i32| {
        if is_fortran { 12 * (number % 2) + 4 * (number / 2 % 3) + number / 6 } else { number }
    };
    let elements = (0..24).flat_map(|number| (places(number) * 7 % 24).to_le_bytes());
    npy_header("<i4", is_fortran, &[2, 3, 4]).into_iter().chain(elements).collect()
}

/// What a command says in JSON of the cube, which is the same for both orders of the file.
fn of_cube(command: &[&str]) -> Value {
    let [in_c, in_fortran] = [false, true].map(|is_fortran| {
        let (_folder, path) = file("cube.npy", &cube(is_fortran));
        run([command, &[text(&path), "--json"]].concat()).json()
    });
    assert_eq!(in_c, in_fortran);
    in_c
}

/// As `numpy.median`, `numpy.quantile` and `numpy.sort` have them.
#[test]
fn order_statistics_along_axes_are_those_of_numpy() {
    if !has_adapter() {
        return;
    }
    let shaped = |report: &Value| (report["shape"].clone(), report["results"].clone());
    // ((0, 7, 14, 21), (4, 11, 18, 1), (8, 15, 22, 5)), ((12, 19, 2, 9), (16, 23, 6, 13), (20, 3, 10, 17)).
    let median = of_cube(&["median", "--axis=-1"]);
    let medians = json!([10.5, 7.5, 11.5, 10.5, 14.5, 13.5]);
    assert_eq!(shaped(&median), (json!([2, 3]), medians), "{median}");
    assert_eq!((&median["op"], &median["axis"]), (&json!("median"), &json!(2)), "{median}");
    let quantiles = of_cube(&["quantile", "--at", "1,0", "--axis", "1"]);
    let most_and_least = [[8, 15, 22, 21, 20, 23, 10, 17], [0, 7, 14, 1, 12, 3, 2, 9]];
    let expected = most_and_least.as_flattened().iter().map(|&n| f64::from(n)).collect::<Vec<_>>();
    assert_eq!(shaped(&quantiles), (json!([2, 2, 4]), json!(expected)), "{quantiles}");
    assert_eq!(quantiles["q"], json!([1.0, 0.0]));
    let nth = of_cube(&["nth", "--rank", "1", "--axis", "0,2"]);
    assert_eq!(shaped(&nth), (json!([3]), json!([2, 4, 5])), "{nth}");
    let nth = of_cube(&["nth", "--rank", "1", "--index", "--axis", "0,2"]);
    let located =
        [(6, 2), (0, 4), (3, 5)].map(|(index, value)| json!({"index": index, "value": value}));
    assert_eq!(nth["results"], json!(located), "{nth}");
}

/// As `torch.topk` has them along one axis.
#[test]
fn elements_at_the_ends_of_axes_take_their_place() {
    if !has_adapter() {
        return;
    }
    let numbers = |report: &Value, of: &str| {
        let results = report["results"].as_array().unwrap().iter();
        results.map(|located| located[of].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let largest = of_cube(&["top-k", "--k", "2", "--axis", "1"]);
    assert_eq!((&largest["op"], &largest["shape"]), (&json!("top_k"), &json!([2, 2, 4])));
    let values = [8, 15, 22, 21, 4, 11, 18, 5, 20, 23, 10, 17, 16, 19, 6, 13];
    assert_eq!(numbers(&largest, "value"), values, "{largest}");
    let indices = [2, 2, 2, 0, 1, 1, 1, 2, 2, 1, 2, 2, 1, 0, 1, 1];
    assert_eq!(numbers(&largest, "index"), indices, "{largest}");
    let smallest = of_cube(&["bottom-k", "--k", "2", "--axis", "0,2"]);
    assert_eq!((&smallest["axis"], &smallest["shape"]), (&json!([0, 2]), &json!([3, 2])));
    assert_eq!(numbers(&smallest, "value"), [0, 2, 1, 4, 3, 5], "{smallest}");
    assert_eq!(numbers(&smallest, "index"), [0, 6, 3, 0, 5, 3], "{smallest}");
    let (_folder, path) = file("cube.npy", &cube(true));
    let lines = run(["top-k", text(&path), "--k", "1", "--axis", "0,1,2"]).text();
    assert_eq!(lines, "index 17, value 23\n");
}

#[test]
fn values_and_indices_go_to_files() {
    if !has_adapter() {
        return;
    }
    let (folder, path) = file("cube.npy", &cube(false));
    let [values, indices] = ["values.npy", "indices.npy"].map(|name| folder.path().join(name));
    let targets = ["--output", text(&values), "--output-indices", text(&indices)];
    let write = |command: &[&str]| {
        let printed = run([command, &[text(&path)], &targets].concat()).text();
        assert_eq!(printed, "");
        [&values, &indices].map(|file| {
            let report = run(["sum", text(file), "--json"]).json();
            (report["dtype"].as_str().unwrap().to_owned(), report["value"].as_i64().unwrap())
        })
    };
    // Of the values and indices in the test above.
    let of_both = [("i64".to_owned(), 228), ("u64".to_owned(), 21)];
    assert_eq!(write(&["top-k", "--k", "2", "--axis", "1"]), of_both);
    let header = fs::read(&values).unwrap();
    let shape = b"'shape': (2, 2, 4,";
    assert!(header.windows(shape.len()).any(|part| part == shape), "{header:?}");
    let of_both = [("i64".to_owned(), 11), ("u64".to_owned(), 9)];
    assert_eq!(write(&["nth", "--rank", "1", "--index", "--axis", "0,2"]), of_both);
    let output = [text(&path), "--axis", "0", "--output", text(&values)];
    assert_eq!(run([&["quantile", "--at", "0.5,1"], &output[..]].concat()).text(), "");
    assert_eq!(run(["max", text(&values), "--json"]).json()["value"], json!(23.0));
}

#[test]
fn what_there_is_not_along_axes_is_refused() {
    let (_folder, path) = file("cube.npy", &cube(false));
    let of = |command: &[&str]| run([command, &[text(&path)]].concat());
    for (command, expected) in [
        (&["median", "--axis", "3"][..], "there is no axis 3: the array has axes 0 to 2"),
        (&["quantile", "--axis", "0,-3"], "axis 0 is named twice"),
        (&["top-k", "--k", "1", "--axis=-4"], "there is no axis -4: the array has axes 0 to 2"),
    ] {
        let error = of(command).error(2);
        assert!(error.ends_with(expected), "{error}");
    }
    let raw = ["bottom-k", "-", "--k", "1", "--dtype", "f32", "--axis", "0"];
    let error = run_with_stdin(&raw, &[0; 8]).error(2);
    assert!(error.ends_with("--axis needs a .npy file, which has a shape"), "{error}");
    for usage in [
        &["median", "--output", "x.npy"][..],
        &["median", "--axis", "0", "--json", "--output", "x.npy"],
        &["top-k", "--k", "0"],
        &["top-k", "--k", "1", "--axis", "0", "--output-indices", "x.npy"],
        &["nth", "--rank", "0", "--axis", "0", "--output", "x.npy", "--output-indices", "y.npy"],
    ] {
        assert_eq!(of(usage).status, Some(2), "{usage:?}");
    }
    let turned = data("f4-fortran.npy");
    for command in [&["top-k", "--k", "1"][..], &["nth", "--rank", "0", "--index"]] {
        let error = run([command, &[text(&turned)]].concat()).error(1);
        assert!(error.contains("Fortran order") && error.contains("ascontiguousarray"), "{error}");
    }
    if !has_adapter() {
        return;
    }
    for (command, expected) in [
        (&["nth", "--rank", "3", "--axis", "1"][..], "cube.npy: 3 elements have no rank 3"),
        (&["top-k", "--k", "9", "--axis", "0,2"], "cube.npy: 8 elements are less than 9"),
        (&["bottom-k", "--k", "16Ti"], "cube.npy: 24 elements are less than 17592186044416"),
        (
            &["top-k", "--k", "16Ti", "--axis", "0"],
            "cube.npy: 2 elements are less than 17592186044416",
        ),
    ] {
        let error = of(command).error(1);
        assert!(error.contains(expected), "{error}");
    }
    let empty = data("f4-empty.npy");
    let error = run(["median", text(&empty), "--axis", "1"]).error(1);
    assert!(error.ends_with("f4-empty.npy: median of zero elements has no value"), "{error}");
    let report = run(["top-k", text(&empty), "--axis", "0", "--k", "2", "--json"]).json();
    assert_eq!((&report["shape"], &report["results"]), (&json!([2, 0, 2]), &json!([])), "{report}");
}
