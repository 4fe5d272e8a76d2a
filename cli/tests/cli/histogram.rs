//! `histogram`: of numbers and images, printed, drawn and as JSON.

use crate::harness::{data, file, has_adapter, run, run_with_stdin, text};
use image::{ColorType, ImageFormat};
use serde_json::json;

#[test]
fn elements_are_counted_in_bins() {
    if !has_adapter() {
        return;
    }
    // The numbers k / 4 - 1 for k below 24.
    let input = data("f4.npy");
    let report = run(["histogram", text(&input), "--bins", "3", "--json"]).json();
    assert_eq!(report["channels"][0]["counts"], json!([8, 8, 8]));
    assert_eq!(report["edges"][0], json!(-1.0));
    assert_eq!((&report["elements"], &report["dtype"]), (&json!(24), &json!("f32")));
    let edges = ["histogram", text(&input), "--edges", "-0.5,0,4.75", "--json"];
    let channel = &run(edges).json()["channels"][0];
    assert_eq!(channel["counts"], json!([2, 20]));
    assert_eq!((&channel["below"], &channel["above"]), (&json!(2), &json!(0)));
    let printed = run(["histogram", text(&input), "--range", "-1", "3", "--bins", "4"]).text();
    let lines: Vec<_> = printed.lines().skip(2).collect();
    let bar = "█".repeat(48);
    assert_eq!(lines[0], format!("-1  4  {}▍", "█".repeat(38)), "{printed}");
    assert_eq!(lines[3..], [format!(" 2  5  {bar}").as_str(), " 3", "above: 7"], "{printed}");
}

#[test]
fn channels_of_raw_files_are_apart() {
    if !has_adapter() {
        return;
    }
    let arguments = ["histogram", "-", "--dtype", "u8", "--channels", "2", "--json"];
    let report = run_with_stdin(&arguments, &[1, 200, 1, 201]).json();
    assert_eq!(report["channels"][0]["counts"][1], json!(2));
    assert_eq!(report["channels"][1]["counts"][200], json!(1));
    assert_eq!(report["channels"][1]["name"], json!("channel 1"));
}

#[test]
fn images_have_a_histogram_for_each_channel() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pixels = [255, 0, 7, 255, 1, 7, 254, 0, 7, 255, 2, 8];
    let save = |name: &str, format| {
        let path = folder.path().join(name);
        image::save_buffer_with_format(&path, &pixels, 2, 2, ColorType::Rgb8, format).unwrap();
        path
    };
    // Known by its first bytes.
    let png = save("four pixels", ImageFormat::Png);
    let plot = folder.path().join("plot.svg");
    let report = run(["histogram", text(&png), "--json", "--svg", text(&plot)]).json();
    let channels = &report["channels"];
    assert_eq!((&channels[0]["name"], &channels[0]["counts"][255]), (&json!("red"), &json!(3)));
    assert_eq!((&channels[1]["name"], &channels[1]["counts"][0]), (&json!("green"), &json!(2)));
    assert_eq!((&channels[2]["name"], &channels[2]["counts"][7]), (&json!("blue"), &json!(3)));
    let drawn = std::fs::read_to_string(plot).unwrap();
    let drawn = roxmltree::Document::parse(&drawn).unwrap();
    assert_eq!(drawn.descendants().filter(|node| node.has_tag_name("title")).count(), 3);
    let jpeg = save("same.jpg", ImageFormat::Jpeg);
    let printed = run(["histogram", text(&jpeg)]).text();
    assert!(printed.contains("12 elements of u8") && printed.contains("\nblue\n"), "{printed}");
}

#[test]
fn mistakes_are_told() {
    let (_folder, broken) = file("broken.png", b"\x89PNG\r\n\x1a\nand no more");
    assert!(run(["histogram", text(&broken)]).error(1).contains("broken.png"));
    let input = data("i8-big-endian.npy");
    assert!(run(["histogram", text(&input)]).error(1).contains("histogram is not defined for i64"));
    if !has_adapter() {
        return;
    }
    let input = data("f4.npy");
    for (options, what) in [
        (&["--edges", "1,1"][..], "not larger than 1"),
        (&["--range", "2", "1"], "reversed"),
        (&["--channels", "5"], "no multiple of 5"),
    ] {
        let arguments = ["histogram", text(&input)].into_iter().chain(options.iter().copied());
        let message = run(arguments).error(2);
        assert!(message.contains(what), "{message}");
    }
}
