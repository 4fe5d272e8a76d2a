//! `tune`, and `--tuned`.

use crate::harness::{Run, data, has_adapter, program, run, text};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Instant;
use tempfile::TempDir;
use wgpu_reduce::ElementKind;

/// Few elements and little time, so that software adapters take seconds.
const FEW: [&str; 7] = ["tune", "--min", "2^9", "--max", "2^10", "--budget", "2"];

fn tune(options: &[&str]) -> Run {
    run(FEW.iter().chain(options))
}

/// Runs it with a cache folder of its own.
fn run_in(folder: &TempDir, arguments: &[&str]) -> Run {
    let mut command = program();
    // On Linux the one, on macOS the other.
    command.env("XDG_CACHE_HOME", folder.path()).env("HOME", folder.path());
    Run::new(command.args(arguments).output().unwrap())
}

const KEYS: [&str; 9] =
    ["best", "best_us", "default", "default_us", "dtype", "elements", "kept", "ratio", "tried"];

/// Checks all that must hold of a length that was tuned on any adapter.
fn check_length(length: &Value, largest_workgroup: u64) {
    let keys: Vec<_> = length.as_object().unwrap().keys().collect();
    assert_eq!(keys, KEYS);
    assert!(length["tried"].as_u64().unwrap() >= 1, "{length}");
    for tuning in [&length["default"], &length["best"]] {
        let size = tuning["workgroup_size"].as_u64().unwrap();
        assert!(size.is_power_of_two() && size <= largest_workgroup, "{length}");
    }
    let number = |name: &str| length[name].as_f64().unwrap_or_else(|| panic!("{name}: {length}"));
    let ratio = number("default_us") / number("best_us");
    assert!(number("best_us") > 0.0 && (number("ratio") / ratio - 1.0).abs() < 1e-9, "{length}");
    if length["best"] == length["default"] {
        assert_eq!((&length["kept"], &length["ratio"]), (&json!(false), &json!(1.0)));
    }
}

#[test]
fn every_type_is_tuned_on_every_adapter_and_nothing_is_stored() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let devices = run(["devices", "--json"]).json();
    for device in devices.as_array().unwrap() {
        let index = device["index"].to_string();
        let options = ["--adapter", &index, "--dry-run", "--json"];
        let report = run_in(&folder, &[&FEW[..], &options].concat()).json();
        let keys: Vec<_> = report.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["adapter", "driver", "left_out", "lengths", "op", "stored", "timer"]);
        assert_eq!((&report["adapter"], &report["op"]), (&device["label"], &json!("sum")));
        assert_eq!(report["stored"], Value::Null);
        let has_timer = device["features"].as_array().unwrap().contains(&json!("TIMESTAMP_QUERY"));
        assert!(has_timer || report["timer"] == "call", "{report}");
        let largest = if device["class"] == "Cpu" {
            128
        } else {
            device["limits"]["max_workgroup_size"].as_u64().unwrap()
        };
        let lengths = report["lengths"].as_array().unwrap();
        for length in lengths {
            check_length(length, largest);
        }
        let left_out = report["left_out"].as_array().unwrap();
        let shapes = lengths.iter().chain(left_out).map(|l| (&l["dtype"], &l["elements"]));
        let expected: Vec<_> = ElementKind::ALL
            .iter()
            .map(|kind| [512, 1024].map(|n| (json!(kind.name()), json!(n))))
            .collect();
        assert!(shapes.eq(expected.concat().iter().map(|(dtype, n)| (dtype, n))), "{report}");
        for left_out in left_out {
            assert_eq!(left_out["reason"], "the budget was spent");
        }
    }
    for caches in [folder.path().to_path_buf(), folder.path().join("Library/Caches")] {
        assert!(!caches.join("wgpu-reduce").exists());
    }
}

#[test]
fn the_table_shows_what_was_found_and_where_it_is() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.json");
    let options = ["tune", "--min", "500", "--max", "2000", "--dtype", "i32", "--budget", "20"];
    let table = run(options.iter().chain(&["--output", text(&file)])).text();
    let mut lines = table.lines();
    assert!(lines.next().unwrap().contains(", driver "), "{table}");
    assert!(lines.next().unwrap().contains(" time "), "{table}");
    let method = "medians of runs that took turns; every answer was right";
    assert_eq!(lines.next(), Some(method));
    let heads: Vec<_> = lines.nth(1).unwrap().split_whitespace().collect();
    assert_eq!(heads, ["dtype", "elements", "default", "us", "best", "us", "ratio"]);
    assert!(lines.next().unwrap().starts_with("i32    2^9       "), "{table}");
    assert!(lines.next().unwrap().starts_with("i32    2^10      "), "{table}");
    assert!(table.contains(" of 2 are faster than the default by more than the noise\n"));
    assert!(table.ends_with(&format!("stored in {}\n", file.display())), "{table}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(tune(&["--dtype", "i32", "--dry-run"]).text().ends_with("\nnothing is stored\n"));
}

#[test]
fn too_little_time_leaves_lengths_out() {
    if !has_adapter() {
        return;
    }
    let options = ["tune", "--min", "1", "--max", "2^9", "--budget", "0.001", "--dry-run"];
    let report = run(options.iter().chain(&["--json"])).json();
    let left_out = report["left_out"].as_array().unwrap().len();
    assert!(left_out > 0, "{report}");
    let all = 10 * ElementKind::ALL.len();
    assert_eq!(left_out + report["lengths"].as_array().unwrap().len(), all, "{report}");
    let table = run(options).text();
    assert!(table.contains(" 2^9: left out, the budget was spent\n"), "{table}");
}

/// Neither data nor runs of lengths that are too long for it take much more.
#[test]
fn a_budget_is_kept_to_and_first_spent_on_short_lengths() {
    if !has_adapter() {
        return;
    }
    let start = Instant::now();
    let options = ["tune", "--max", "2^28", "--dtype", "u8", "--budget", "1", "--dry-run"];
    let report = run(options.iter().chain(&["--json"])).json();
    assert!(start.elapsed().as_secs() < 20, "{:?}: {report}", start.elapsed());
    // On a machine that is at work on something else, a second may do for none.
    let lengths = ["lengths", "left_out"].map(|part| report[part].as_array().unwrap());
    let lengths = lengths.into_iter().flatten().map(|length| length["elements"].as_u64().unwrap());
    assert_eq!(lengths.collect::<Vec<_>>(), (10..=28).map(|log| 1 << log).collect::<Vec<u64>>());
}

#[test]
fn lengths_that_no_memory_holds_are_left_out_with_what_they_need_and_what_there_is() {
    if !has_adapter() {
        return;
    }
    let is_told = |what: &str, bytes: u64| {
        let needed = format!("{bytes} bytes of memory are needed, and ");
        what.contains(&needed) && what.trim_end().ends_with(" may still be allocated")
    };
    let options = ["tune", "--dry-run", "--dtype", "u16", "--budget", "1", "--max", "2^45"];
    let error = run(options.iter().chain(&["--min", "2^45"])).error(1);
    assert!(is_told(&error, 1 << 46), "{error}");
    let report = run(options.iter().chain(&["--min", "2^10", "--json"])).json();
    let left_out = report["left_out"].as_array().unwrap();
    // Not every driver says what there is.
    let reason = left_out.last().unwrap()["reason"].as_str().unwrap();
    let no_more = format!("the device has no memory for {} more bytes", 1_u64 << 46);
    assert!(is_told(reason, 1 << 46) || reason == no_more, "{report}");
}

/// A table for an adapter, with what it has for f32 replaced by two ranges of odd tunings.
fn written_table(file: &Path, adapter: &str) -> Value {
    let options = ["--dtype", "f32", "--adapter", adapter, "--output", text(file)];
    tune(&options).text();
    let mut table: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(table["format"], 1);
    let range = |first: u64, last: u64, size: u32, workgroups: u32| {
        let mut tuning = json!({
            "workgroup_size": size,
            "max_workgroups": workgroups,
            "min_quads_per_invocation": 1,
        });
        // Whatever else a tuning has is as it is by default.
        let plain = tune(&["--dtype", "f32", "--dry-run", "--json", "--adapter", adapter]).json();
        for (name, value) in plain["lengths"][0]["default"].as_object().unwrap() {
            tuning.as_object_mut().unwrap().entry(name).or_insert(value.clone());
        }
        json!({"operation": "sum", "element": "f32", "first_len": first, "last_len": last,
            "tuning": tuning})
    };
    table["tunings"] = json!([range(1, 999, 2, 1), range(1000, 5000, 4, 7)]);
    fs::write(file, table.to_string()).unwrap();
    table
}

#[test]
fn sum_and_explain_use_a_table() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [table, numbers] = ["table.json", "numbers.npy"].map(|name| folder.path().join(name));
    written_table(&table, "0");
    let tuned = format!("--tuned={}", text(&table));
    // 250 quads are 16 shares of 4 invocations with 4 loads each, in three turns of 6 workgroups.
    for (elements, size, most, run_in_fact) in
        [("24", 2, "1", "1"), ("1000", 4, "7", "6"), ("5000", 4, "7", "7")]
    {
        run(["generate", text(&numbers), "--elements", elements]).text();
        let options = ["sum", text(&numbers), "--adapter", "0", "--check", &tuned];
        let sum = run(options.iter().chain(&["--json"])).json();
        assert_eq!(
            (&sum["check"]["ok"], &sum["tuning"]["workgroup_size"]),
            (&json!(true), &json!(size))
        );
        let printed = run(options).text();
        let row = format!("\ntuning      {size} × {most}, 4 loads, 1 quads, ");
        assert!(printed.contains(&row), "{printed}");
        let plan = run(["explain", "--adapter", "0", "--elements", elements, &tuned]).text();
        assert!(plan.contains(&format!("WORKGROUP_SIZE = {size}, ")), "{plan}");
        assert!(plan.contains(&format!("\n    {run_in_fact} x 1 workgroups ")), "{plan}");
        assert!(plan.contains(&format!("; {size} × {most}, ")), "{plan}");
    }
    // Neither other lengths nor other types have anything to do with it.
    for (elements, dtype) in [("5001", "f32"), ("24", "i32")] {
        let options = ["explain", "--adapter", "0", "--elements", elements, "--dtype", dtype];
        let default = run(options).text();
        let plan = run(options.iter().chain(&[&*tuned])).text();
        assert_eq!(plan, default);
    }
    // Without being asked for, a table is not used.
    assert!(run(["sum", text(&numbers), "--json"]).json().get("tuning").is_none());
}

#[test]
fn tables_of_others_and_broken_ones_are_refused() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.json");
    let good = written_table(&file, "0");
    let numbers = data("f4.npy");
    let refusal = |table: &str| {
        fs::write(&file, table).unwrap();
        let tuned = format!("--tuned={}", text(&file));
        let explained = run(["explain", "--adapter", "0", &tuned]).error(1);
        let summed = run(["sum", text(&numbers), "--adapter", "0", &tuned]).error(1);
        assert_eq!(summed, explained);
        assert!(summed.starts_with("the tuning table cannot be used: "), "{summed}");
        summed
    };
    let changed = |pointer: &str, value: Value| {
        let mut table = good.clone();
        *table.pointer_mut(pointer).unwrap() = value;
        refusal(&table.to_string())
    };
    let other = changed("/adapter/name", json!("Another GPU"));
    assert!(other.contains("it is of another adapter: of Another GPU ("), "{other}");
    let other = changed("/adapter/driver_info", json!("0.0"));
    assert!(other.contains("it is of another driver: of "), "{other}");
    let other = changed("/format", json!(0));
    assert!(other.contains("table.json: it has format 0, and this program knows 1"), "{other}");
    let other = changed("/tunings/0/last_len", json!(1000));
    assert!(other.contains("sum of 1 to 1000 f32 and sum of 1000 to 5000 f32 overlap"), "{other}");
    let other = changed("/tunings/1/tuning/workgroup_size", json!(3));
    assert!(other.contains("sum of 1000 to 5000 f32: workgroup size 3 is not a power"), "{other}");
    assert!(refusal("{").contains("table.json: the file is not JSON: EOF"));
    let array = format!("--tuned={}", text(&numbers));
    let error = run(["explain", "--adapter", "0", &array]).error(1);
    assert!(error.ends_with("f4.npy: the file is not text"), "{error}");
    fs::remove_file(&file).unwrap();
    let missing = run(["explain", "--adapter", "0", &format!("--tuned={}", text(&file))]).error(1);
    assert!(missing.contains("table.json: "), "{missing}");
}

/// Windows does not let a test choose the user's cache folder.
#[cfg(unix)]
#[test]
fn the_stored_table_is_found_again_and_grows() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let numbers = data("f4.npy");
    let sum = ["sum", text(&numbers), "--adapter", "0", "--tuned", "--json"];
    let missing = run_in(&folder, &sum).error(1);
    assert!(missing.starts_with("no tunings are stored for "), "{missing}");
    assert!(missing.ends_with("; run `wgpu-reduce tune`"), "{missing}");
    let tune = |dtype: &str, min: &str| {
        let options = ["--adapter", "0", "--dtype", dtype, "--min", min, "--max", min];
        let time = ["tune", "--budget", "20", "--json"];
        run_in(&folder, &[&time[..], &options].concat()).json()
    };
    let report = tune("f32", "2^9");
    let file = Path::new(report["stored"].as_str().unwrap());
    assert!(file.starts_with(folder.path()) && file.exists(), "{report}");
    assert!(run_in(&folder, &sum).json()["tuning"].is_object());
    // What the file has of other lengths and types stays, and what is measured again goes.
    let written = written_table(&folder.path().join("written.json"), "0");
    fs::write(file, written.to_string()).unwrap();
    tune("i32", "2^9");
    let again = tune("f32", "2^9");
    assert_eq!(again["stored"], report["stored"]);
    let table: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let ranges = table["tunings"].as_array().unwrap().iter();
    let ranges: Vec<_> = ranges
        .filter(|range| range["element"] == "f32" && range["tuning"]["workgroup_size"] == 2)
        .map(|range| [&range["first_len"], &range["last_len"]].map(|n| n.as_u64().unwrap()))
        .collect();
    assert_eq!(ranges, [[1, 256], [513, 999]], "{table}");
    // Beside the pipelines that were kept.
    let names = fs::read_dir(file.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(names.filter(|path| path.extension().is_some_and(|e| e == "json")).count(), 1);
    // One that cannot be read is replaced, and said to be lost.
    fs::write(file, "no table").unwrap();
    let broken = run_in(&folder, &sum).error(1);
    assert!(broken.contains("expected"), "{broken}");
    tune("f32", "2^9");
    assert!(run_in(&folder, &sum).json()["tuning"].is_object());
}

#[test]
fn mistakes_are_refused_before_anything_is_measured() {
    for (options, part) in [
        (&["--dtype", "f128"][..], "[possible values: f32, i32, u32, "),
        (&["--min", "0"], "expected a whole number from 1 to"),
        (&["--max", "16M"], "expected a whole number from"),
        (&["--budget", "0"], "expected a number of seconds above 0"),
        (&["--budget=-1"], "expected a number of seconds above 0"),
        (&["--budget", "NaN"], "expected a number of seconds above 0"),
        (&["--budget", "1e30"], "expected a number of seconds above 0"),
        (&["--dry-run", "--output", "x.json"], "cannot be used with"),
        (&["file.npy"], "unexpected argument"),
    ] {
        let run = run(["tune"].iter().chain(options));
        assert_eq!(run.status, Some(2), "{options:?}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let run = run(["explain", "--baseline", "--tuned"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("cannot be used with"), "{}", run.stderr);
}

#[test]
fn what_cannot_be_tuned_or_written_is_an_error() {
    let absent = if cfg!(target_vendor = "apple") { "dx12" } else { "metal" };
    let output = program().arg("tune").env("WGPU_BACKEND", absent).output().unwrap();
    let error = Run::new(output).error(1);
    assert!(error.starts_with("no adapter found; looked for "), "{error}");
    if !has_adapter() {
        return;
    }
    let error = run(["tune", "--min", "33", "--max", "63"]).error(2);
    assert_eq!(error, "there is no power of two from 33 to 63");
    let error = tune(&["--output", "no/such/folder/table.json"]).error(1);
    assert!(error.starts_with("no/such/folder/table.json: "), "{error}");
    let error = run(["tune", "--min", "2^60", "--max", "2^60", "--dry-run"]).error(1);
    assert!(error.contains(" bytes of memory are needed, and "), "{error}");
}
