//! `--axis`: results along one dimension of a file.

use crate::harness::{data, file, has_adapter, npy_header, run, run_with_stdin, text};
use serde_json::json;

/// The results of a command along an axis, as they are printed.
fn lines(command: &[&str], file: &str, axis: &str) -> Vec<String> {
    let path = data(file);
    lines_of(&[command, &[text(&path), "--axis", axis]].concat())
}

fn lines_of(command: &[&str]) -> Vec<String> {
    run(command).text().lines().map(str::to_owned).collect()
}

#[test]
fn results_are_those_of_numpy() {
    if !has_adapter() {
        return;
    }
    // Numbers k / 4 - 1 for k below 24, 4 by 6, in both orders.
    for file in ["f4.npy", "f4-fortran.npy"] {
        assert_eq!(lines(&["sum"], file, "1"), ["-2.25", "6.75", "15.75", "24.75"]);
        assert_eq!(lines(&["sum"], file, "0"), ["5.0", "6.0", "7.0", "8.0", "9.0", "10.0"]);
        assert_eq!(lines(&["max"], file, "1"), ["0.25", "1.75", "3.25", "4.75"]);
        let found = ["index 0, value -1.0", "index 0, value 0.5", "index 0, value 2.0"];
        assert_eq!(lines(&["argmin"], file, "1")[..3], found);
        assert_eq!(lines(&["variance", "--ddof", "1"], file, "0")[..2], ["3.75", "3.75"]);
    }
    assert_eq!(lines(&["min"], "i1.npy", "0"), ["-128", "0", "-128"]);
    assert_eq!(lines(&["sum"], "i4.npy", "0"), ["-3"]);
}

#[test]
fn negative_axes_count_from_the_last() {
    if !has_adapter() {
        return;
    }
    for file in ["f4.npy", "f4-fortran.npy"] {
        assert_eq!(lines(&["sum"], file, "-1"), lines(&["sum"], file, "1"));
        assert_eq!(lines(&["argmax"], file, "-2"), lines(&["argmax"], file, "0"));
    }
}

/// As `x.sum(axis=(0, 1))`; the array is that of the other tests.
#[test]
fn several_axes_are_reduced_at_once() {
    if !has_adapter() {
        return;
    }
    for file in ["f4.npy", "f4-fortran.npy"] {
        assert_eq!(lines(&["sum"], file, "0,1"), ["45.0"]);
        assert_eq!(lines(&["max"], file, "1,-2"), ["4.75"]);
        assert_eq!(lines(&["argmax"], file, "0,1"), ["index 23, value 4.75"]);
    }
    let elements = (0..24_i32).flat_map(i32::to_le_bytes).collect();
    let (_folder, input) =
        file("cube.npy", &[npy_header("<i4", false, &[2, 3, 4]), elements].concat());
    assert_eq!(lines_of(&["sum", text(&input), "--axis", "0,2"]), ["60", "92", "124"]);
    assert_eq!(lines_of(&["argmin", text(&input), "--axis", "2,0"])[2], "index 0, value 8");
    let report = run(["sum", text(&input), "--axis", "0,2", "--json"]).json();
    assert_eq!((&report["axis"], &report["shape"]), (&json!([0, 2]), &json!([3])));
    for (axes, expected) in [
        ("0,0", "axis 0 is named twice"),
        ("-1,2", "axis 2 is named twice"),
        ("0,3", "there is no axis 3"),
    ] {
        let error = run(["sum", text(&input), &format!("--axis={axes}")]).error(2);
        assert!(error.contains(expected), "{error}");
    }
}

/// NumPy's indices count row by row, and so do ours or none.
#[test]
fn indices_of_arrays_in_fortran_order_are_refused() {
    let turned = data("f4-fortran.npy");
    for command in ["argmax", "nan-argmin", "stats"] {
        let error = run([command, text(&turned)]).error(1);
        assert!(error.contains("Fortran order") && error.contains("ascontiguousarray"), "{error}");
    }
    let error = run(["dot", text(&turned), text(&data("f4.npy"))]).error(1);
    assert!(error.contains("f4-fortran.npy: elements lie in Fortran order"), "{error}");
    if has_adapter() {
        let both = [text(&turned), text(&turned)];
        let row_major = data("f4.npy");
        let dot = |files: [&str; 2]| run(["dot", files[0], files[1], "--json"]).json();
        assert_eq!(dot(both)["value"], dot([text(&row_major); 2])["value"]);
    }
}

#[test]
fn dimensions_without_elements() {
    if !has_adapter() {
        return;
    }
    // 3 by 0 by 2.
    assert_eq!(lines(&["sum"], "f4-empty.npy", "1"), ["0.0"; 6]);
    assert_eq!(lines(&["sum"], "f4-empty.npy", "0").len(), 0);
    let error = run(["max", text(&data("f4-empty.npy")), "--axis", "1"]).error(1);
    assert!(error.contains("max of zero elements"), "{error}");
}

/// By the number of the result, whatever the order of the file.
#[test]
fn a_result_of_nan_alone_is_named() {
    if !has_adapter() {
        return;
    }
    // 2 by 3 by 2, of which (0, 2, ..) is NaN.
    let is_nan = |i: u32, j: u32| (i, j) == (0, 2);
    let in_c = (0..2).flat_map(|i| (0..3).flat_map(move |j| [is_nan(i, j); 2]));
    let in_fortran = (0..2).flat_map(|_| (0..3).flat_map(move |j| [is_nan(0, j), is_nan(1, j)]));
    let orders: [(bool, Vec<bool>); 2] = [(false, in_c.collect()), (true, in_fortran.collect())];
    for (is_fortran, of_nan) in orders {
        let value = |&is_nan: &bool| (if is_nan { f32::NAN } else { 1.5 }).to_le_bytes();
        let elements: Vec<_> = of_nan.iter().flat_map(value).collect();
        let bytes = [npy_header("<f4", is_fortran, &[2, 3, 2]), elements].concat();
        let (_folder, path) = file("some.npy", &bytes);
        let error = run(["nan-argmin", text(&path), "--axis", "2"]).error(1);
        let expected =
            "nan_argmin of no element that is not NaN has no value, and for result 2 none counts";
        assert!(error.ends_with(expected), "{error}");
        assert_eq!(lines_of(&["nan-max", text(&path), "--axis", "0"]), ["1.5"; 6]);
    }
}

#[test]
fn json_has_the_shape() {
    if !has_adapter() {
        return;
    }
    let report = run(["sum", text(&data("i1.npy")), "--axis", "1", "--json"]).json();
    assert_eq!((&report["shape"], &report["results"]), (&json!([2]), &json!([-129, 2])));
    assert_eq!((&report["op"], &report["axis"]), (&json!("sum"), &json!(1)));
}

#[test]
fn results_go_to_a_file_that_is_read_again() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("sums.npy");
    let input = data("f4.npy");
    let write = |command: &str, axis: &str| {
        let arguments = [command, text(&input), "--axis", axis, "--output", text(&target)];
        assert_eq!(run(arguments).text(), "");
        run(["sum", text(&target), "--json"]).json()
    };
    let report = write("sum", "0");
    assert_eq!((&report["dtype"], &report["elements"]), (&json!("f32"), &json!(6)));
    assert_eq!(report["value"], json!(45.0));
    let report = write("argmax", "1");
    assert_eq!((&report["dtype"], &report["value"]), (&json!("u64"), &json!(20)));
    // Several numbers of each result are a record.
    let record = |command: &str| {
        let arguments = [command, text(&input), "--axis", "0", "--output", text(&target)];
        assert_eq!(run(arguments).text(), "");
        std::fs::read(&target).unwrap()
    };
    let bytes = record("min-max");
    let header =
        b"'descr': [('min', '<f4'), ('max', '<f4'), ], 'fortran_order': False, 'shape': (6,";
    assert!(bytes.windows(header.len()).any(|part| part == header), "{bytes:?}");
    let floats: Vec<_> = bytes[bytes.len() - 48..]
        .chunks(4)
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect();
    let printed = run(["min-max", text(&input), "--axis", "0"]).text();
    let expected: Vec<_> =
        floats.chunks(2).map(|pair| format!("min {:?}, max {:?}", pair[0], pair[1])).collect();
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
    let bytes = record("stats");
    let names = b"('count', '<u8'), ('min', '<f4'), ('argmin', '<u8')";
    assert!(bytes.windows(names.len()).any(|part| part == names), "{bytes:?}");
}

#[test]
fn exact_sums_along_an_axis_are_those_of_the_operation() {
    let input = data("f4.npy");
    for axis in ["0", "1"] {
        let exact = run(["sum", text(&input), "--axis", axis, "--exact"]).text();
        assert_eq!(run(["sum-exact", text(&input), "--axis", axis]).text(), exact);
        // Small whole numbers, of which every sum is exact.
        assert_eq!(run(["sum", text(&input), "--axis", axis]).text(), exact);
    }
}

#[test]
fn mistakes_are_told() {
    let (input, scalar) = (data("f4.npy"), data("f4-0d.npy"));
    for (axis, count) in [("2", "axes 0 to 1"), ("-3", "axes 0 to 1")] {
        let error = run(["sum", text(&input), "--axis", axis]).error(2);
        let expected = format!("there is no axis {axis}: the array has {count}");
        assert!(error.ends_with(&expected), "{error}");
    }
    let error = run(["sum", text(&scalar), "--axis", "0"]).error(2);
    assert!(error.ends_with("the array has no axes"), "{error}");
    let error = run_with_stdin(&["sum", "-", "--dtype", "f32", "--axis", "0"], &[0; 8]).error(2);
    assert!(error.ends_with("--axis needs a .npy file, which has a shape"), "{error}");
    assert_eq!(run(["sum", text(&input), "--axis", "0", "--exact", "--bits"]).status, Some(2));
    let error = run(["sum", text(&data("i4.npy")), "--axis", "0", "--exact"]).error(1);
    assert!(
        error.contains("i4.npy: sum_exact is not defined for i32 elements, but for f32, f16, bf16"),
        "{error}"
    );
    assert_eq!(run(["sum", text(&input), "--output", "x.npy"]).status, Some(2));
}
