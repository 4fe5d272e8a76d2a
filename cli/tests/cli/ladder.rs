//! `ladder`.

use crate::harness::{Run, has_adapter, program, run, text};
use serde_json::{Value, json};

/// Few elements and runs, so that software adapters take seconds.
fn ladder(options: &[&str]) -> Run {
    let few = ["ladder", "--elements", "100_000", "--repetitions", "2"];
    run(few.iter().chain(options))
}

const LEVELS: [&str; 17] = [
    "single_thread",
    "interleaved_modulo",
    "interleaved_packed",
    "sequential",
    "barrier_first",
    "first_add",
    "coarsened",
    "unroll_last",
    "unroll_full",
    "grid_stride",
    "subgroup_shuffle",
    "subgroup_add",
    "vec2_loads",
    "vec4_loads",
    "workgroup_atomic",
    "subgroup_atomic",
    "last_workgroup",
];

const KEYS: [&str; 15] = [
    "elements",
    "form",
    "gb_per_s",
    "gpu_us",
    "level",
    "min_us",
    "name",
    "ok",
    "passes",
    "percent_of_best",
    "rows",
    "skipped",
    "speed_up",
    "speed_up_in_total",
    "workgroup_size",
];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Checks all that must hold of a level that ran on any adapter.
fn check_level(level: &Value, report: &Value) {
    let keys: Vec<_> = level.as_object().unwrap().keys().collect();
    assert_eq!(keys, KEYS);
    assert_eq!((&level["ok"], &level["skipped"]), (&json!(true), &Value::Null), "{level}");
    assert!(level["passes"].as_u64().unwrap() >= 1, "{level}");
    let (median, min) = (number(&level["gpu_us"]), number(&level["min_us"]));
    assert!(0.0 < min && min <= median, "{level}");
    let rate = 4.0 * number(&level["elements"]) / median / 1e3;
    assert!((number(&level["gb_per_s"]) - rate).abs() <= 1e-9 * rate, "{level}");
    let percent = 100.0 * rate / number(&report["best_gb_per_s"]);
    assert!((number(&level["percent_of_best"]) - percent).abs() <= 1e-9 * percent, "{level}");
    assert!(percent < 100.001 || level["elements"] != report["elements"], "{level}");
}

/// Checks the speed-ups of levels that all ran.
fn check_speed_ups(levels: &[Value]) {
    let rates: Vec<_> = levels.iter().map(|level| number(&level["gb_per_s"])).collect();
    assert_eq!(levels[0]["speed_up"], Value::Null);
    for (index, level) in levels.iter().enumerate() {
        let in_total = rates[index] / rates[0];
        assert!((number(&level["speed_up_in_total"]) / in_total - 1.0).abs() < 1e-9, "{level}");
        if index > 0 {
            let step = rates[index] / rates[index - 1];
            assert!((number(&level["speed_up"]) / step - 1.0).abs() < 1e-9, "{level}");
        }
    }
}

#[test]
fn every_level_is_right_in_every_form_on_every_adapter() {
    if !has_adapter() {
        return;
    }
    let devices = run(["devices", "--json"]).json();
    for (index, device) in devices.as_array().unwrap().iter().enumerate() {
        check_every_level(index, device);
    }
}

fn check_every_level(index: usize, device: &Value) {
    let report = ladder(&["--forms", "--json", "--adapter", &index.to_string()]).json();
    assert_eq!(report["adapter"], device["label"]);
    assert_eq!(report["dtype"], "f32");
    assert_eq!(report["elements"], 100_000);
    assert_eq!(report["repetitions"], 2);
    assert!(report["driver"].as_str().unwrap().starts_with(device["driver"].as_str().unwrap()));
    let has_timer = device["features"].as_array().unwrap().contains(&json!("TIMESTAMP_QUERY"));
    assert!(has_timer || report["timer"] == "call", "{report}");
    assert!(["gpu", "call"].contains(&report["timer"].as_str().unwrap()), "{report}");
    let levels = report["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 26);
    for (index, name) in LEVELS.iter().enumerate() {
        assert_eq!(levels[index]["level"], format!("{index:02}"));
        assert_eq!(levels[index]["name"], *name);
        let elements = if index == 0 { 65_536 } else { 100_000 };
        assert_eq!(levels[index]["elements"], elements);
    }
    let forms: Vec<_> = levels[17..].iter().map(|l| (&l["level"], &l["form"])).collect();
    let expected = [
        ("00", "unrolled_4"),
        ("00", "unrolled_8"),
        ("00", "unrolled_16"),
        ("06", "uncoalesced"),
        ("07", "within_subgroup"),
        ("14", "width_2"),
        ("14", "width_1"),
        ("15", "width_2"),
        ("15", "width_1"),
    ];
    let expected = expected.map(|(level, form)| (json!(level), json!(form)));
    assert!(forms.into_iter().eq(expected.iter().map(|(level, form)| (level, form))));
    if device["subgroup_sizes"].is_null() {
        return;
    }
    for level in levels {
        check_level(level, &report);
    }
    check_speed_ups(&levels[..17]);
}

#[test]
fn only_some_levels() {
    if !has_adapter() {
        return;
    }
    let report = ladder(&["--levels", "06,interleaved_modulo", "--forms", "--json"]).json();
    let levels = report["levels"].as_array().unwrap();
    let names: Vec<_> = levels.iter().map(|level| (&level["level"], &level["form"])).collect();
    let expected = [("01", "plain"), ("06", "plain"), ("06", "uncoalesced")];
    let expected = expected.map(|(level, form)| (json!(level), json!(form)));
    assert!(names.into_iter().eq(expected.iter().map(|(level, form)| (level, form))), "{levels:?}");
    let refused = run(["ladder", "--levels", "17"]);
    assert_eq!(refused.status, Some(2));
    assert!(
        refused.stderr.contains("expected the number or the name of a level"),
        "{}",
        refused.stderr
    );
}

#[test]
fn by_default_the_device_decides_how_many_elements() {
    let help = run(["ladder", "--help"]).text();
    assert!(help.contains("by default 16Mi, and 1Mi on a CPU"), "{help}");
    if !has_adapter() {
        return;
    }
    let device = run(["devices", "--json"]).json()[0].clone();
    let expected = if device["class"] == "Cpu" { 1 << 20 } else { 16 << 20 };
    let report = run(["ladder", "--repetitions", "1", "--json", "--adapter", "0"]).json();
    assert_eq!(report["elements"], expected);
}

#[test]
fn integers_and_the_least_of_elements_are_summed() {
    if !has_adapter() {
        return;
    }
    for (dtype, elements) in [("i32", "1"), ("u32", "3001"), ("i32", "70_000")] {
        let options = ["--dtype", dtype, "--elements", elements, "--repetitions", "1", "--json"];
        let report = run(["ladder"].iter().chain(&options)).json();
        assert_eq!(report["dtype"], dtype);
        for level in report["levels"].as_array().unwrap() {
            assert_ne!(level["ok"], false, "{level}");
        }
    }
}

/// The cells of a table of comma-separated values that has no quotes.
fn cells(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn without_subgroups_levels_that_need_them_are_skipped() {
    if !has_adapter() {
        return;
    }
    let report = ladder(&["--no-subgroups", "--json"]).json();
    let reason = "it needs subgroup operations";
    let levels = report["levels"].as_array().unwrap();
    for level in &levels[..10] {
        check_level(level, &report);
    }
    for level in &levels[10..] {
        assert_eq!((&level["ok"], &level["skipped"]), (&Value::Null, &json!(reason)), "{level}");
        assert!(level["gpu_us"].is_null() && level["speed_up"].is_null(), "{level}");
    }
    let options = ["ladder", "--elements", "1000", "--repetitions", "1", "--no-subgroups"];
    let table = run(options).text();
    assert_eq!(table.matches("  skipped\n").count(), 7, "{table}");
    assert!(
        table.contains(&format!("\n10 subgroup_shuffle (plain): skipped, {reason}")),
        "{table}"
    );
    let csv = run(options.iter().chain(&["--csv"])).text();
    let lines = cells(&csv);
    assert_eq!(lines.len(), 18);
    let row: Vec<_> = lines[0].iter().zip(&lines[11]).collect();
    assert!(row.contains(&(&"name", &"subgroup_shuffle")), "{csv}");
    assert!(row.contains(&(&"ok", &"")), "{csv}");
    assert!(row.contains(&(&"skipped", &reason)), "{csv}");
}

#[test]
fn table_and_csv_show_what_the_object_has() {
    if !has_adapter() {
        return;
    }
    let few = ["ladder", "--elements", "70_000", "--repetitions", "1"];
    let table = run(few).text();
    let mut lines = table.lines();
    assert!(lines.next().unwrap().contains(", driver "), "{table}");
    assert_eq!(lines.next(), Some("70000 f32 elements"));
    assert!(lines.next().unwrap().starts_with("timed runs: 1, after 2 to warm up; "), "{table}");
    assert!(table.contains("\nbest read bandwidth: "), "{table}");
    assert!(table.contains("\n00 single_thread: on 65536 elements only"), "{table}");
    for (index, name) in LEVELS.iter().enumerate() {
        assert!(table.contains(&format!("\n{index:02} {name} ")), "{table}");
    }
    assert!(!table.contains("WRONG"), "{table}");
    let csv = run(few.iter().chain(&["--csv"])).text();
    let lines = cells(&csv);
    let mut names = lines[0].clone();
    names.sort_unstable();
    assert_eq!((lines.len(), names.as_slice()), (18, &KEYS[..]));
    let column = |name| lines[0].iter().position(|cell| *cell == name).unwrap();
    for (line, (index, name)) in lines[1..].iter().zip(LEVELS.iter().enumerate()) {
        assert_eq!((line[column("level")], line[column("name")]), (&*format!("{index:02}"), *name));
        if line[column("ok")] == "true" {
            let value = |name| line[column(name)].parse::<f64>().unwrap();
            let rate = 4.0 * value("elements") / value("gpu_us") / 1e3;
            assert!((value("gb_per_s") / rate - 1.0).abs() < 1e-9, "{line:?}");
        }
    }
}

#[test]
fn rows_are_summed_one_by_one() {
    if !has_adapter() {
        return;
    }
    for (dtype, rows) in [("f32", 100), ("i32", 1), ("u32", 200)] {
        let rows_text = rows.to_string();
        let options = ["--rows", &rows_text, "--dtype", dtype, "--json"];
        let report = ladder(&options).json();
        assert_eq!((&report["rows"], &report["elements"]), (&json!(rows), &json!(100_000)));
        for level in report["levels"].as_array().unwrap() {
            let is_shortened = rows == 1 && level["level"] == "00";
            let elements = if is_shortened { 65_536 } else { 100_000 };
            assert_eq!((&level["rows"], &level["elements"]), (&json!(rows), &json!(elements)));
            assert_ne!(level["ok"], false, "{level}");
            assert!(level["ok"] == true || !level["skipped"].is_null(), "{level}");
        }
    }
    let few = ["ladder", "--elements", "1000", "--rows", "100", "--repetitions", "1"];
    let table = run(few).text();
    assert!(table.contains("\n1000 f32 elements in 100 rows\n"), "{table}");
    let csv = run(few.iter().chain(&["--csv"])).text();
    let lines = cells(&csv);
    let row: Vec<_> = lines[0].iter().zip(&lines[4]).collect();
    assert!(row.contains(&(&"rows", &"100")), "{csv}");
}

#[test]
fn every_workgroup_may_have_a_row() {
    if !has_adapter() {
        return;
    }
    let rows = ["--rows", "workgroups", "--workgroup-size", "128"];
    let report = ladder(&[&rows[..], &["--json"]].concat()).json();
    assert_eq!((&report["rows"], &report["elements"]), (&Value::Null, &json!(99_968)));
    for level in report["levels"].as_array().unwrap() {
        let items = match level["level"].as_str().unwrap() {
            "01" | "02" | "03" | "04" => 1,
            "05" => 2,
            _ => 16,
        };
        assert_eq!(level["rows"], 100_000 / (items * 128), "{level}");
        assert!(level["ok"] == true || !level["skipped"].is_null(), "{level}");
        assert!(level["passes"] == 1 || !level["skipped"].is_null(), "{level}");
    }
    let table = ladder(&rows).text();
    assert!(table.contains("\n99968 f32 elements in rows of one workgroup each\n"), "{table}");
    assert!(!table.contains("because it is so slow"), "{table}");
}

#[test]
fn the_plot_is_an_image_with_names_and_units() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ladder.svg");
    let few = ["ladder", "--elements", "1000", "--repetitions", "1", "--svg", text(&file)];
    run(few).text();
    let image = std::fs::read_to_string(&file).unwrap();
    let image = roxmltree::Document::parse(&image).unwrap();
    assert_eq!(image.root_element().tag_name().name(), "svg");
    let texts: Vec<_> = image.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for (index, name) in LEVELS.iter().enumerate() {
        assert!(texts.contains(&&*format!("{index:02} {name}")), "{texts:?}");
    }
    assert!(texts.contains(&"read bandwidth (GB/s)"), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("best read bandwidth ")), "{texts:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_a_device_cannot_run_is_an_error() {
    if !has_adapter() {
        return;
    }
    let device = run(["devices", "--json"]).json()[0].clone();
    let largest = device["limits"]["max_workgroup_size"].as_u64().unwrap();
    let too_large = (2 * largest).next_power_of_two().to_string();
    let error = ladder(&["--workgroup-size", &too_large, "--adapter", "0"]).error(1);
    let part = format!("workgroup size {too_large} is more than the device's ");
    assert!(error.contains(&part), "{error}");
    let error = ladder(&["--workgroup-size", "100"]).error(1);
    assert!(error.contains("workgroup size 100 is not a power of two"), "{error}");
    let error = run(["ladder", "--elements", "2^60"]).error(1);
    assert!(error.contains("is larger than this device allows"), "{error}");
    let error = ladder(&["--svg", "no/such/folder/ladder.svg"]).error(1);
    assert!(error.starts_with("no/such/folder/ladder.svg: "), "{error}");
}

#[test]
fn mistakes_are_refused_before_anything_runs() {
    for (options, part) in [
        (&["--dtype", "f64"][..], "[possible values: f32, i32, u32]"),
        (&["--elements", "0"], "expected a whole number from 1 to"),
        (&["--elements", "16M"], "expected a whole number from"),
        (&["--rows", "0"], "invalid value '0'"),
        (&["--elements", "100", "--rows", "3"], "100 elements are not 3 rows of equal length"),
        (&["--repetitions", "0"], "invalid value '0'"),
        (&["--csv", "--json"], "cannot be used with"),
        (&["file.npy"], "unexpected argument"),
    ] {
        let run = run(["ladder"].iter().chain(options));
        assert_eq!(run.status, Some(2), "{options:?}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let absent = if cfg!(target_vendor = "apple") { "dx12" } else { "metal" };
    for command in [&["ladder"][..], &["study", "steps"]] {
        let output = program().args(command).env("WGPU_BACKEND", absent).output().unwrap();
        let error = Run::new(output).error(1);
        assert!(error.starts_with("no adapter found; looked for "), "{error}");
    }
}
