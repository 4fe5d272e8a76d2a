//! `study`.

use crate::harness::{Run, has_adapter, run, text};
use serde_json::{Value, json};

/// Few elements and runs, so that software adapters take seconds.
fn study(name: &str, options: &[&str]) -> Run {
    let few = ["study", name, "--elements", "20_000", "--repetitions", "1"];
    run(few.iter().chain(options))
}

/// Names of the series, and the places of each.
fn series(report: &Value) -> Vec<(String, Vec<u64>)> {
    let series = report["series"].as_array().unwrap().iter();
    series
        .map(|series| {
            let points = series["points"].as_array().unwrap().iter();
            let places = points.map(|point| point["x"].as_u64().unwrap());
            (series["name"].as_str().unwrap().to_owned(), places.collect())
        })
        .collect()
}

fn points(report: &Value) -> impl Iterator<Item = &Value> {
    let series = report["series"].as_array().unwrap().iter();
    series.flat_map(|series| series["points"].as_array().unwrap())
}

/// The study as an object, with what must hold of any.
fn object(name: &str, dtype: &str, axis: &str) -> Value {
    let report = object_of_rows(name, dtype, axis, &[]);
    assert_eq!((&report["elements"], &report["rows"]), (&json!(20_000), &json!(1)));
    report
}

fn object_of_rows(name: &str, dtype: &str, axis: &str, options: &[&str]) -> Value {
    let report = study(name, &[&["--json"], options].concat()).json();
    assert_eq!((&report["study"], &report["dtype"]), (&json!(name), &json!(dtype)));
    assert_eq!(report["x_axis"], axis);
    assert!(report["best_gb_per_s"].as_f64().unwrap() > 0.0, "{report}");
    for point in points(&report) {
        if point["skipped"].is_null() {
            assert_eq!(point["ok"], true, "{point}");
            assert!(point["min_us"].as_f64() <= point["gpu_us"].as_f64(), "{point}");
        } else {
            assert_eq!(point["ok"], Value::Null, "{point}");
        }
    }
    report
}

fn reported(report: &Value, series: usize) -> Vec<(Value, Value, Value)> {
    let reported = report["series"][series]["reported"].as_array().unwrap().iter();
    reported.map(|r| (r["write_up"].clone(), r["x"].clone(), r["low"].clone())).collect()
}

#[test]
fn workgroup_sizes() {
    if !has_adapter() {
        return;
    }
    let report = object_of_rows("workgroup-size", "f32", "workgroup_size", &[]);
    let [(first, sizes), (second, others)] = &series(&report)[..] else { panic!("{report}") };
    assert_eq!((&**first, &**second), ("01 interleaved_modulo", "08 unroll_full"));
    assert_eq!(sizes, others);
    let all = [64, 128, 256, 512, 1024];
    assert!(all.starts_with(sizes) && sizes.len() >= 3, "{sizes:?}");
    for point in points(&report) {
        assert_eq!(point["workgroup_size"], point["x"]);
        // A row for each workgroup, of one element an invocation in level 01 and of 16 in level 08.
        let items = if point["level"] == "01" { 1 } else { 16 };
        let row_length = items * point["x"].as_u64().unwrap();
        let rows = 20_000 / row_length;
        assert_eq!(point["rows"], rows, "{point}");
        assert_eq!(point["elements"], rows * row_length, "{point}");
    }
    assert_eq!((&report["elements"], &report["rows"]), (&json!(19_968), &Value::Null));
    let k0 = [(128, 48.1), (256, 47.2), (512, 42.6), (1024, 23.7)];
    assert_eq!(reported(&report, 0), k0.map(|(x, y)| (json!("A"), json!(x), json!(y))));
}

#[test]
fn items_per_thread() {
    if !has_adapter() {
        return;
    }
    let report = object_of_rows("items-per-thread", "f32", "items_per_thread", &[]);
    let items: Vec<_> = (0..10).map(|log| 1 << log).collect();
    let expected =
        [("06 coarsened".to_owned(), items), ("06 coarsened, uncoalesced".to_owned(), vec![32])];
    assert_eq!(series(&report), expected);
    assert_eq!(report["series"][1]["points"][0]["form"], "uncoalesced");
    assert_eq!(reported(&report, 1), [(json!("A"), json!(32), json!(769.5))]);
    for point in points(&report) {
        let row_length = 128 * point["x"].as_u64().unwrap();
        assert_eq!(point["rows"], (20_000 / row_length).max(1), "{point}");
        assert_eq!((&point["workgroup_size"], &point["passes"]), (&json!(128), &json!(1)));
    }
}

#[test]
fn rows_of_another_number() {
    if !has_adapter() {
        return;
    }
    for (name, axis) in
        [("workgroup-size", "workgroup_size"), ("items-per-thread", "items_per_thread")]
    {
        for rows in [1, 50] {
            let options = ["--rows", &rows.to_string()];
            let report = object_of_rows(name, "f32", axis, &options);
            assert_eq!((&report["elements"], &report["rows"]), (&json!(20_000), &json!(rows)));
            for point in points(&report) {
                assert_eq!((&point["elements"], &point["rows"]), (&json!(20_000), &json!(rows)));
            }
        }
    }
}

#[test]
fn levels_by_size() {
    if !has_adapter() {
        return;
    }
    let report = object_of_rows("levels-by-size", "f32", "elements", &[]);
    let all = series(&report);
    assert_eq!(all.len(), 17);
    // Rows of a workgroup of 128: an element an invocation, and 16.
    assert_eq!((&all[3].0[..2], &all[3].1[..]), ("03", &[1152, 4992, 19_968][..]));
    assert_eq!((&all[9].0[..2], &all[9].1[..]), ("09", &[1250, 4096, 18_432][..]));
    assert_eq!(reported(&report, 3), [(json!("A"), json!(1 << 29), json!(48.5))]);
    let report = object_of_rows("levels-by-size", "f32", "elements", &["--rows", "1"]);
    for (index, (name, sizes)) in series(&report).iter().enumerate() {
        assert!(name.starts_with(&format!("{index:02} ")), "{name}");
        assert_eq!(sizes, &[1250, 5000, 20_000], "{name}");
    }
    assert_eq!(reported(&report, 3), [(json!("C"), json!(1 << 26), json!(19.6))]);
    // Level 00 has no more than 2^16 elements, however many the others have.
    let options = ["--rows", "1", "--elements", "2^18", "--repetitions", "1", "--json"];
    let report = run(["study", "levels-by-size"].iter().chain(&options)).json();
    let sizes: Vec<_> = [10, 12, 14, 16, 18].map(|log| 1 << log).into();
    assert_eq!(series(&report)[0].1, sizes[..4]);
    assert_eq!(series(&report)[1].1, sizes);
}

#[test]
fn strategies() {
    if !has_adapter() {
        return;
    }
    let report = object("strategy", "i32", "elements");
    let all = series(&report);
    let levels: Vec<_> = all.iter().map(|(name, _)| name[..2].to_owned()).collect();
    assert_eq!(levels, ["11", "12", "13", "14", "14", "14", "15", "15", "15"]);
    for (index, (name, sizes)) in all.iter().enumerate() {
        assert!(name.ends_with(["loads of 1", "loads of 2", "loads of 4"][index % 3]), "{name}");
        assert_eq!(sizes, &[1250, 5000, 20_000], "{name}");
    }
    for (index, form) in ["width_1", "width_2", "width_4"].iter().enumerate() {
        assert_eq!(report["series"][3 + index]["points"][0]["form"], *form);
    }
    let report = &report["series"][8]["reported"][0];
    let expected = json!({
        "write_up": "B", "hardware": "H100 (3350 GB/s), large sizes, i32", "unit": "GB/s",
        "x": null, "low": 3100.0, "high": 3200.0
    });
    assert_eq!(*report, expected);
}

#[test]
fn one_round() {
    if !has_adapter() {
        return;
    }
    let report = object("one-round", "f32", "elements");
    let all = series(&report);
    let kernels = ["01 mod", "02 idx", "03 seq", "07 unroll", "07 warp"];
    let sizes: &[u32] = if all.len() > 5 { &[256, 1024] } else { &[256] };
    let names = sizes
        .iter()
        .flat_map(|size| kernels.map(|kernel| format!("{kernel}, workgroups of {size}")));
    assert!(all.iter().map(|(name, _)| name.clone()).eq(names), "{all:?}");
    assert!(all.iter().all(|(_, sizes)| *sizes == [1250, 5000, 20_000]), "{all:?}");
    for point in points(&report).filter(|point| point["skipped"].is_null()) {
        assert_eq!(point["passes"], 1, "{point}");
    }
    assert_eq!(reported(&report, 4), [(json!("D"), json!(1 << 30), json!(27.343_75))]);
}

#[test]
fn steps() {
    if !has_adapter() {
        return;
    }
    let report = object("steps", "i32", "elements");
    let levels: Vec<_> = points(&report).map(|point| point["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["01", "02", "03", "05", "07", "08", "09"]);
    let points: Vec<_> = points(&report).collect();
    assert_eq!(points[0]["speed_up"], Value::Null);
    let rate = |index: usize| points[index]["gb_per_s"].as_f64().unwrap();
    let speed_up = points[2]["speed_up"].as_f64().unwrap();
    assert!((speed_up * rate(1) / rate(2) - 1.0).abs() < 1e-9, "{report}");
    let in_total = points[6]["speed_up_in_total"].as_f64().unwrap();
    assert!((in_total * rate(0) / rate(6) - 1.0).abs() < 1e-9, "{report}");
    assert_eq!(reported(&report, 3), [(json!("E"), Value::Null, json!(41.0))]);
}

#[test]
fn histograms() {
    if !has_adapter() {
        return;
    }
    let report = object("histogram", "u8", "data");
    let names = ["0 global_atomics", "1 workgroup_copy", "2 subgroup_copies", "histogram"];
    let expected = names.map(|name| (name.to_owned(), vec![0, 1, 2]));
    assert_eq!(series(&report), expected);
    let kinds = ["constant", "uniform", "picture"];
    for (place, point) in points(&report).enumerate() {
        assert_eq!(
            (&point["data"], &point["elements"]),
            (&json!(kinds[place % 3]), &json!(20_000))
        );
    }
    let figures = [42.0, 380.0, 520.0, 580.0];
    for (place, figure) in figures.into_iter().enumerate() {
        assert_eq!(reported(&report, place), [(json!("C"), Value::Null, json!(figure))]);
    }
    // A byte an element.
    let point = &report["series"][3]["points"][1];
    let rate = 20_000.0 / point["gpu_us"].as_f64().unwrap() / 1e3;
    assert!((point["gb_per_s"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9, "{point}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("histogram.svg");
    let table = study("histogram", &["--svg", text(&file)]).text();
    for part in ["constant", "uniform", "picture", "1 workgroup_copy", "520", "A100-80GB", "CUB"] {
        assert!(table.contains(part), "no {part} in {table}");
    }
    let image = std::fs::read_to_string(&file).unwrap();
    let image = roxmltree::Document::parse(&image).unwrap();
    let texts: Vec<_> = image.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for name in names {
        for kind in kinds {
            assert!(texts.contains(&&*format!("{name}, {kind}")), "{name}, {kind} in {texts:?}");
        }
    }
    let csv = study("histogram", &["--csv"]).text();
    assert!(csv.starts_with("study,series,x_axis,x,level,name,data,elements,"), "{csv}");
    assert_eq!(csv.lines().count(), 13);
}

#[test]
fn tables_have_the_figures_of_the_write_ups() {
    if !has_adapter() {
        return;
    }
    for (name, parts) in [
        (
            "workgroup-size",
            &["A % of peak", "48.1", "RTX 5070 Ti", "elements in rows of one workgroup each\n"][..],
        ),
        ("strategy", &["  B\n", "3100–3200", "H100", "at most 1024 workgroups"]),
        (
            "one-round",
            &["D, 2^30", "us per 2^20 elements", "72.5", "Tesla T4", "the host adds the partials"],
        ),
        ("steps", &["step 3: 05 first_add", "in total", "41", "Tesla T4"]),
    ] {
        let table = study(name, &[]).text();
        assert!(table.starts_with(&format!("{name}: ")), "{table}");
        for part in parts {
            assert!(table.contains(part), "no {part} in {table}");
        }
    }
}

#[test]
fn files_have_every_point() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("study.svg");
    let csv = study("items-per-thread", &["--csv", "--svg", text(&file)]).text();
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 12);
    assert!(lines[0].starts_with("study,series,x_axis,x,level,name,form,elements,"), "{csv}");
    assert!(lines[0].ends_with(",skipped,reported,reported_unit,reported_x,reported_by"), "{csv}");
    let start = "items-per-thread,06 coarsened,items_per_thread,16,06,coarsened,plain,18432,9,128,";
    assert!(lines[5].starts_with(start) && lines[5].ends_with(",93.9,% of peak,16,A"), "{csv}");
    assert!(lines[11].starts_with("items-per-thread,\"06 coarsened, uncoalesced\","), "{csv}");
    let image = std::fs::read_to_string(&file).unwrap();
    let image = roxmltree::Document::parse(&image).unwrap();
    let texts: Vec<_> = image.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for part in
        ["06 coarsened, uncoalesced", "elements per invocation", "read bandwidth (GB/s)", "512"]
    {
        assert!(texts.contains(&part), "no {part} in {texts:?}");
    }
}

#[test]
fn mistakes_are_refused() {
    for (options, part) in [
        (&["study"][..], "<NAME>"),
        (
            &["study", "levels"],
            "[possible values: workgroup-size, items-per-thread, levels-by-size, strategy, \
             one-round, steps, histogram]",
        ),
        (&["study", "steps", "--elements", "0"], "expected a whole number from 1 to"),
        (&["study", "steps", "--rows", "2"], "--rows is for workgroup-size, items-per-thread and"),
        (&["study", "items-per-thread", "--rows", "0"], "or 2^24, or workgroups"),
        (
            &["study", "items-per-thread", "--elements", "100", "--rows", "3"],
            "100 elements are not 3 rows of equal length",
        ),
        (&["study", "steps", "--csv", "--json"], "cannot be used with"),
        (
            &["study", "histogram", "--rows", "2"],
            "--rows is for workgroup-size, items-per-thread and",
        ),
        (&["study", "histogram", "--dtype", "f32"], "--dtype is not for histogram"),
    ] {
        let run = run(options);
        assert_eq!(run.status, Some(2), "{options:?}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}
