//! `sum` and `wrapping-sum` of files that are right.

use crate::harness::{data, file, has_adapter, run, run_with_stdin, text};
use serde_json::{Value, json};
use wgpu_reduce_known::npy;

/// Checks everything about a result that must hold on any adapter.
fn check_shape(sum: &Value, with_check: bool) {
    check_shape_of("sum", sum, with_check);
}

fn check_shape_of(operation: &str, sum: &Value, with_check: bool) {
    let keys: Vec<_> = sum.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected =
        vec!["adapter", "dtype", "elements", "gb_per_s", "gpu_us", "op", "spent", "value"];
    if with_check {
        expected.insert(1, "check");
        let keys: Vec<_> = sum["check"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["bound", "cpu", "difference", "ok"]);
        assert_eq!(sum["check"]["ok"], true);
    }
    assert_eq!(keys, expected);
    assert_eq!(sum["op"], operation);
    assert_eq!(sum["gpu_us"].is_null(), sum["gb_per_s"].is_null());
    if let Some(microseconds) = sum["gpu_us"].as_f64() {
        let bytes = size_bytes(&sum["dtype"]) * sum["elements"].as_f64().unwrap();
        let rate = bytes / microseconds / 1e3;
        assert!((sum["gb_per_s"].as_f64().unwrap() - rate).abs() <= 1e-9 * rate, "{sum}");
    }
}

/// The size of an element of this type.
fn size_bytes(dtype: &Value) -> f64 {
    dtype.as_str().unwrap()[1..].parse::<f64>().unwrap() / 8.0
}

#[test]
fn files_written_by_numpy_are_summed() {
    if !has_adapter() {
        return;
    }
    for (name, dtype, elements, value) in [
        ("f4.npy", "f32", 24, json!(45.0)),
        ("f4-fortran.npy", "f32", 24, json!(45.0)),
        ("f4-0d.npy", "f32", 1, json!(7.5)),
        ("f4-empty.npy", "f32", 0, json!(0.0)),
        ("i4.npy", "i32", 5, json!(-3)),
        ("u4.npy", "u32", 3, json!(8_589_934_600_u64)),
        ("u1.npy", "u8", 7, json!(719)),
        ("i1.npy", "i8", 6, json!(-127)),
        ("u2.npy", "u16", 3, json!(131_080)),
        ("i2.npy", "i16", 5, json!(-32_774)),
        ("f2.npy", "f16", 5, json!(131_009.5)),
        ("u2-big-endian.npy", "u16", 3, json!(65_792)),
        ("i8-big-endian.npy", "i64", 2, json!(1_099_511_627_773_i64)),
        ("f2-big-endian.npy", "f16", 3, json!(1022.5)),
        ("f4-big-endian.npy", "f32", 2, json!(1_048_577.5)),
        ("i4-version2.npy", "i32", 4, json!(10)),
        ("bool.npy", "u8", 2, json!(1)),
        ("i4-version3.npy", "i32", 4, json!(10)),
    ] {
        let path = data(name);
        let sum = run(["sum", text(&path), "--json", "--check"]).json();
        check_shape(&sum, true);
        assert_eq!((&sum["value"], &sum["dtype"]), (&value, &json!(dtype)), "{name}");
        let cpu = sum["check"]["cpu"].as_f64().unwrap();
        assert_eq!(sum["elements"], elements, "{name}");
        // What is lost in f32 is the CPU's.
        assert!((cpu - value.as_f64().unwrap()).abs() < 1e-6, "{name}: {cpu}");
        let bytes = std::fs::read(&path).unwrap();
        let sum = run_with_stdin(&["sum", "-", "--json", "--no-subgroups"], &bytes).json();
        check_shape(&sum, false);
        assert_eq!((&sum["value"], &sum["dtype"]), (&value, &json!(dtype)), "{name}");
    }
}

/// More digits than an f64 has, in the result and in the check.
#[test]
fn sums_of_64_bits_have_128() {
    if !has_adapter() {
        return;
    }
    for (name, dtype, value) in
        [("i8.npy", "i64", "-9223372032559808514"), ("u8.npy", "u64", "36893488151714070536")]
    {
        let report = run(["sum", text(&data(name)), "--json", "--check"]).text();
        for part in [
            format!("\"value\":{value},"),
            format!("\"dtype\":\"{dtype}\""),
            format!("\"cpu\":{value},\"difference\":0,"),
        ] {
            assert!(report.contains(&part), "{part} is not in {report}");
        }
    }
    let sum = run(["wrapping-sum", text(&data("u8.npy")), "--json", "--check"]).json();
    assert_eq!((&sum["value"], &sum["check"]["ok"]), (&json!(4_294_967_304_u64), &json!(true)));
}

#[test]
fn sums_of_f64_need_no_device_that_has_it() {
    if !has_adapter() {
        return;
    }
    let path = data("f8.npy");
    let sum = run(["sum", text(&path), "--json", "--check"]).json();
    check_shape(&sum, true);
    assert_eq!((&sum["value"], &sum["dtype"]), (&json!(0.25), &json!("f64")));
    let least = run(["argmin", text(&path), "--json", "--check"]).json();
    assert_eq!(least["value"], json!({"index": 2, "value": -1_099_511_627_776.0}));
}

#[test]
fn sums_of_integers_wrap_if_asked_to() {
    if !has_adapter() {
        return;
    }
    for (name, dtype, value) in [
        ("i4.npy", "i32", json!(-3)),
        ("u4.npy", "u32", json!(8)),
        ("u1.npy", "u8", json!(207)),
        ("i1.npy", "i8", json!(-127)),
        ("u2.npy", "u16", json!(8)),
        ("i2.npy", "i16", json!(32_762)),
    ] {
        let path = data(name);
        let sum = run(["wrapping-sum", text(&path), "--json", "--check"]).json();
        check_shape_of("wrapping_sum", &sum, true);
        assert_eq!((&sum["value"], &sum["check"]["cpu"]), (&value, &value), "{name}");
        assert_eq!(sum["dtype"], dtype);
    }
    let bytes = [i32::MIN, -1].map(i32::to_le_bytes).concat();
    let arguments = ["wrapping-sum", "-", "--dtype", "i32", "--json", "--check"];
    assert_eq!(run_with_stdin(&arguments, &bytes).json()["value"], i32::MAX);
}

#[test]
fn sums_of_floats_do_not_wrap() {
    let path = data("f4.npy");
    let error = run(["wrapping-sum", text(&path)]).error(1);
    let what = "f4.npy: wrapping_sum is not defined for f32 elements, but for i32, u32, u8, i8, u16, i16, i64, u64";
    assert!(error.ends_with(what), "{error}");
}

#[test]
fn raw_files_are_summed() {
    if !has_adapter() {
        return;
    }
    let words: Vec<u32> = (0..10_000_u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let unsigned: u64 = words.iter().map(|&word| u64::from(word)).sum();
    let signed: i64 = words.iter().map(|&word| i64::from(word.cast_signed())).sum();
    let (_folder, path) = file("data.bin", &bytes);
    for (dtype, value) in [("u32", json!(unsigned)), ("i32", json!(signed))] {
        let options = ["--dtype", dtype, "--json", "--check"];
        let sum = run(["sum", text(&path)].iter().chain(&options)).json();
        check_shape(&sum, true);
        assert_eq!((&sum["value"], &sum["elements"]), (&value, &json!(10_000)));
        let sum = run_with_stdin(&[&["sum", "-"], &options[..]].concat(), &bytes).json();
        assert_eq!(sum["value"], value);
    }
    let sum = run_with_stdin(&["sum", "-", "--dtype", "i32", "--json"], &[]).json();
    assert_eq!((&sum["value"], &sum["elements"]), (&json!(0), &json!(0)));
}

#[test]
fn raw_files_of_packed_elements_are_summed() {
    if !has_adapter() {
        return;
    }
    for len in [1_u32, 70_003] {
        let bytes: Vec<_> =
            (0..2 * len).map(|i| i.wrapping_mul(0x9E37_79B9).to_be_bytes()[0]).collect();
        let halves = bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
        let sums = [
            ("u8", bytes.iter().map(|&byte| i64::from(byte)).sum::<i64>()),
            ("i8", bytes.iter().map(|&byte| i64::from(byte.cast_signed())).sum()),
            ("u16", halves.clone().map(|half| i64::from(u16::from_le_bytes(half))).sum()),
            ("i16", halves.map(|half| i64::from(i16::from_le_bytes(half))).sum()),
        ];
        let (_folder, path) = file("data.bin", &bytes);
        for (dtype, value) in sums {
            let options = ["--dtype", dtype, "--json", "--check"];
            let sum = run(["sum", text(&path)].iter().chain(&options)).json();
            check_shape(&sum, true);
            let elements = bytes.len() as u64 * 8 / dtype[1..].parse::<u64>().unwrap();
            assert_eq!((&sum["value"], &sum["elements"]), (&json!(value), &json!(elements)));
            let sum = run_with_stdin(&[&["sum", "-"], &options[..]].concat(), &bytes).json();
            assert_eq!(sum["value"], value, "{len} {dtype} in a stream");
        }
    }
}

/// Longer than a piece that is read at a time, so that buffers must grow.
#[test]
fn long_streams_are_summed() {
    if !has_adapter() {
        return;
    }
    let words: Vec<u32> = (0..13_000_001_u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let right: u64 = words.iter().map(|&word| u64::from(word)).sum();
    let npy = [npy::start(1, &npy::header("'<u4'", "(13000001,)")), bytes.clone()].concat();
    for (options, bytes) in [(&["--dtype", "u32"][..], &bytes), (&[], &npy)] {
        let arguments = [&["sum", "-", "--json", "--check"], options].concat();
        let sum = run_with_stdin(&arguments, bytes).json();
        check_shape(&sum, true);
        assert_eq!((&sum["value"], &sum["elements"]), (&json!(right), &json!(words.len())));
    }
}

#[test]
fn formats_are_known_by_name_by_first_bytes_or_by_option() {
    if !has_adapter() {
        return;
    }
    let bytes = std::fs::read(data("i4.npy")).unwrap();
    let (_folder, path) = file("no-extension", &bytes);
    let sum = run(["sum", text(&path), "--json"]).json();
    assert_eq!((&sum["dtype"], &sum["value"]), (&json!("i32"), &json!(-3)));
    let raw = run(["sum", text(&path), "--json", "--format", "raw", "--dtype", "u32"]).json();
    assert_eq!(raw["elements"], bytes.len() / 4);
    let error = run(["sum", text(&path), "--format", "npy", "--dtype", "f32"]).error(1);
    assert!(error.ends_with("it holds i32 elements, not f32 as --dtype says"), "{error}");
    let (_folder, upper) = file("DATA.NPY", b"no magic");
    let error = run(["sum", text(&upper), "--dtype", "f32"]).error(1);
    assert!(error.contains("not a .npy file, but text: "), "{error}");
}

/// Sums that a device must round; the right sum is known in closed form.
#[test]
fn float_sums_are_within_their_bound() {
    if !has_adapter() {
        return;
    }
    let values: Vec<f32> = (0..60_000_u16).map(|i| 1.0 / f32::from(i + 1)).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let right: f64 = values.iter().rev().map(|&value| f64::from(value)).sum();
    let sum = run_with_stdin(&["sum", "-", "--dtype", "f32", "--json", "--check"], &bytes).json();
    check_shape(&sum, true);
    let number = |value: &Value| value.as_f64().unwrap();
    let (value, bound) = (number(&sum["value"]), number(&sum["check"]["bound"]));
    assert!((value - right).abs() <= bound && bound < 1e-3, "{sum}");
    assert!((number(&sum["check"]["cpu"]) - right).abs() < 1e-9, "{sum}");
}

#[test]
fn the_table_shows_what_the_object_has() {
    if !has_adapter() {
        return;
    }
    let path = data("u4.npy");
    let table = run(["sum", text(&path), "--check"]).text();
    for row in [
        "op          sum\n",
        "value       8589934600\n",
        "elements    3\n",
        "dtype       u32\n",
        "cpu value   8589934600\n",
        "difference  0\n",
        "bound       0\n",
        "check       ok\n",
    ] {
        assert!(table.contains(row), "{table}");
    }
    assert!(!run(["sum", text(&path)]).text().contains("cpu value"));
}

/// Every kind of result that may be timed tells its time.
#[test]
fn the_time_is_told_if_it_is_asked_for() {
    if !has_adapter() {
        return;
    }
    let devices = run(["devices", "--json"]).json();
    let features = devices[0]["features"].as_array().unwrap();
    let has_timestamps = features.iter().any(|feature| feature == "TIMESTAMP_QUERY");
    let input = data("f4.npy");
    let input = text(&input);
    for command in [
        &["sum", input][..],
        &["sum", input, "--exact"],
        &["stats", input],
        &["dot", input, input],
        &["dot", input, input, "--exact"],
    ] {
        for (more, is_timed) in [(&[][..], false), (&["--repetitions", "3"], true)] {
            let arguments = [command, &["--adapter", "0"], more].concat();
            let report = run([&arguments[..], &["--json"]].concat()).json();
            assert_eq!(report["gpu_us"].is_number(), is_timed && has_timestamps, "{arguments:?}");
            assert_eq!(run(&arguments).text().contains("\ngpu time"), is_timed, "{arguments:?}");
        }
    }
    for more in [&["--axis", "0"][..], &["--exact", "--bits"]] {
        let arguments = [&["sum", input, "--repetitions", "3"], more].concat();
        assert_eq!(run(arguments).status, Some(2), "{more:?}");
    }
}

#[test]
fn what_no_device_has_memory_for_is_refused() {
    if !has_adapter() {
        return;
    }
    let devices = run(["devices", "--json"]).json();
    let largest = devices[0]["limits"]["max_buffer_bytes"].as_u64().unwrap();
    // What 4096 buffers do not hold.
    let bytes = largest.saturating_mul(4096).saturating_add(8);
    let (_folder, path) = file("large.bin", &[]);
    let large = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    // Most file systems do not have so large files, but some do, with holes.
    if large.set_len(bytes & !3).is_err() {
        return;
    }
    // Allowed is more, so that it does not pass through.
    let arguments = ["sum", text(&path), "--dtype", "f32", "--adapter", "0", "--memory", "2^63"];
    let error = run(arguments).error(1);
    let expected = format!("it needs {} bytes of the memory of ", bytes & !3);
    assert!(error.contains(&expected), "{error}");
}
