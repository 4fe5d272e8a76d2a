//! `histogram`: of numbers and images, printed, drawn and as JSON.

use crate::harness::{data, file, has_adapter, run, run_with_stdin, text};
use image::{ColorType, ImageFormat};
use serde_json::{Value, json};

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
    // Between equal edges there is nothing, but in the last bin.
    let equal = ["histogram", text(&input), "--edges", "0,1,1,4.75,4.75", "--json"];
    assert_eq!(run(equal).json()["channels"][0]["counts"], json!([4, 0, 15, 1]));
    let printed = run(["histogram", text(&input), "--range", "-1", "3", "--bins", "4"]).text();
    let lines: Vec<_> = printed.lines().skip(2).collect();
    let bar = "█".repeat(48);
    assert_eq!(lines[0], format!("-1  4  {}▍", "█".repeat(38)), "{printed}");
    assert_eq!(lines[3..], [format!(" 2  5  {bar}").as_str(), " 3", "above: 7"], "{printed}");
}

/// NumPy's default types, with edges that no `f32` tells from the elements.
#[test]
fn elements_of_64_bits_are_counted() {
    if !has_adapter() {
        return;
    }
    let counts = |dtype: &str, bytes: &[u8], edges: &str| {
        let arguments = ["histogram", "-", "--dtype", dtype, "--edges", edges, "--json"];
        let report = run_with_stdin(&arguments, bytes).json();
        report["channels"][0].clone()
    };
    let doubles = [1e6, 1e6 + 1e-9, 1e6 - 1e-9, 1e300, f64::NAN].map(f64::to_le_bytes).concat();
    let found = counts("f64", &doubles, "0,1e6,2e6");
    assert_eq!(
        (&found["counts"], &found["above"], &found["nan"]),
        (&json!([1, 2]), &json!(1), &json!(1))
    );
    let far = 1_i64 << 53;
    let integers = [far, far + 1, far - 1, -far - 1].map(i64::to_le_bytes).concat();
    let found = counts("i64", &integers, "-9007199254740992,0,9007199254740992");
    assert_eq!((&found["counts"], &found["below"]), (&json!([0, 2]), &json!(1)));
    assert_eq!(found["above"], json!(1));
    // No f64 is the largest or the least of these, and all are counted.
    for ends in [[far + 1, 0], [i64::MIN + 1, i64::MAX - 1], [-far - 1, far + 1]] {
        let bytes = ends.map(i64::to_le_bytes).concat();
        let arguments = ["histogram", "-", "--dtype", "i64", "--bins", "2", "--json"];
        let report = run_with_stdin(&arguments, &bytes).json();
        assert_eq!(report["channels"][0]["counts"], json!([1, 1]), "{ends:?}");
    }
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
fn files_larger_than_the_memory_have_the_same_counts() {
    if !has_adapter() {
        return;
    }
    let floats: Vec<f32> = (0..30_000_u16).map(|i| f32::from(i % 977) / 7.0 - 50.0).collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    let (_folder, path) = file("floats.bin", &bytes);
    for more in [&[][..], &["--channels", "3"], &["--range", "0", "9", "--bins", "5"]] {
        let arguments = [&["histogram", text(&path), "--dtype", "f32", "--json"], more].concat();
        let whole = run(&arguments).json();
        assert!(whole.get("streamed").is_none(), "{whole}");
        for memory in ["0", "20Ki"] {
            let mut streamed = run([&arguments[..], &["--memory", memory]].concat()).json();
            let passage = streamed.as_object_mut().unwrap().remove("streamed");
            assert!(passage.unwrap()["seconds"].as_f64() > Some(0.0), "{more:?}");
            assert_eq!(streamed, whole, "{more:?} in {memory}");
        }
    }
    // What is read once has to be told its range.
    let arguments = ["histogram", "-", "--dtype", "f32", "--json", "--memory", "20Ki"];
    let error = run_with_stdin(&arguments, &bytes).error(2);
    assert!(error.contains("need --range or --edges"), "{error}");
    let report = run_with_stdin(&[&arguments[..], &["--edges", "-50,0,90"]].concat(), &bytes);
    let counts = report.json()["channels"][0]["counts"].clone();
    let below = floats.iter().filter(|&&float| float < 0.0).count();
    assert_eq!(counts, json!([below, floats.len() - below]));
}

/// On the GPU as a whole, and passing through.
#[test]
fn bins_reach_to_the_ends_of_what_is_not_nan() {
    if !has_adapter() {
        return;
    }
    let (nan, infinite) = (f32::NAN, f32::INFINITY);
    let reports = |floats: &[f32]| {
        let halves = floats.iter().flat_map(|&float| half::f16::from_f32(float).to_le_bytes());
        let bfloats = floats.iter().flat_map(|&float| half::bf16::from_f32(float).to_le_bytes());
        let single = floats.iter().flat_map(|float| float.to_le_bytes());
        let of_types =
            [("f32", single.collect()), ("f16", halves.collect()), ("bf16", bfloats.collect())];
        of_types.map(|(dtype, bytes): (_, Vec<u8>)| {
            let (_folder, path) = file("floats.bin", &bytes);
            ["1Mi", "0"].map(|memory| {
                let options = ["--dtype", dtype, "--bins", "2", "--memory", memory, "--json"];
                run(["histogram", text(&path)].into_iter().chain(options))
            })
        })
    };
    for report in reports(&[nan, 1.0, nan, -1.0, 3.0, 0.5, -nan]).into_iter().flatten() {
        let report = report.json();
        let channel = &report["channels"][0];
        assert_eq!(report["edges"], json!([-1.0, 1.0, 3.0]), "{report}");
        assert_eq!((&channel["counts"], &channel["nan"]), (&json!([2, 2]), &json!(3)), "{report}");
        assert_eq!((&channel["below"], &channel["above"]), (&json!(0), &json!(0)), "{report}");
    }
    for (floats, what) in [
        (&[nan][..], "elements that are all NaN"),
        (&[nan; 100], "elements that are all NaN"),
        (&[infinite, nan, 1.0], "infinite elements, here from 1.0 to inf,"),
        (&[1.0, -infinite], "infinite elements, here from -inf to 1.0,"),
        (&[infinite, nan], "infinite elements, here from inf to inf,"),
    ] {
        for report in reports(floats).into_iter().flatten() {
            let (error, what) = (report.error(2), format!("{what} need --range or --edges"));
            assert!(error.ends_with(&format!("floats.bin: {what}")), "{error}");
        }
    }
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

/// The channels' names of a picture of one colour, and each channel's range, bins and count of that colour.
fn of_one_colour(kind: ColorType, colour: &[u8]) -> (Vec<String>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    let pixels = colour.repeat(6);
    image::save_buffer_with_format(&path, &pixels, 3, 2, kind, ImageFormat::Png).unwrap();
    let report = run(["histogram", text(&path), "--json"]).json();
    let names = report["channels"].as_array().unwrap().iter();
    (names.map(|channel| channel["name"].as_str().unwrap().into()).collect(), report)
}

#[test]
fn images_have_the_channels_of_their_kind() {
    if !has_adapter() {
        return;
    }
    let words = |samples: &[u16]| samples.iter().flat_map(|s| s.to_ne_bytes()).collect::<Vec<_>>();
    let rgba = ["red", "green", "blue", "alpha"];
    for (kind, samples, names) in [
        (ColorType::L8, &[9_u16][..], &["grey"][..]),
        (ColorType::La8, &[9, 255], &["grey", "alpha"]),
        (ColorType::Rgba8, &[0, 1, 254, 128], &rgba),
        (ColorType::L16, &[300], &["grey"]),
        (ColorType::La16, &[65_535, 0], &["grey", "alpha"]),
        (ColorType::Rgb16, &[255, 256, 65_000], &rgba[..3]),
        (ColorType::Rgba16, &[1, 511, 512, 40_000], &rgba),
    ] {
        let is_wide = usize::from(kind.bytes_per_pixel()) > samples.len();
        let narrow: Vec<_> = samples.iter().map(|sample| sample.to_le_bytes()[0]).collect();
        let (found, report) = of_one_colour(kind, &if is_wide { words(samples) } else { narrow });
        assert_eq!(found, names, "{kind:?}");
        assert_eq!(report["dtype"], json!(if is_wide { "u16" } else { "u8" }));
        // 256 bins of all values there are.
        let width = if is_wide { 256 } else { 1 };
        assert_eq!(report["edges"][255], json!(f64::from(255 * width)), "{kind:?}");
        for (channel, sample) in samples.iter().enumerate() {
            let bin = usize::from(*sample) / usize::try_from(width).unwrap();
            let counts = &report["channels"][channel]["counts"];
            assert_eq!(counts[bin], json!(6), "{kind:?}, channel {channel}");
        }
    }
}

#[test]
fn narrow_integers_have_bins_of_all_their_values() {
    if !has_adapter() {
        return;
    }
    let report = |dtype: &str, bytes: &[u8]| {
        run_with_stdin(&["histogram", "-", "--dtype", dtype, "--json"], bytes).json()
    };
    let of_bytes = report("i8", &[0x80, 0xFF, 0, 0, 0x7F]);
    assert_eq!((&of_bytes["edges"][0], &of_bytes["edges"][256]), (&json!(-128.0), &json!(128.0)));
    let counts = &of_bytes["channels"][0]["counts"];
    let found = [0, 127, 128, 255].map(|bin| counts[bin].as_u64().unwrap());
    assert_eq!(found, [1, 1, 2, 1]);
    let of_words = report("u16", &[0xFF, 0, 0, 1, 0xFF, 0xFF]);
    assert_eq!((&of_words["edges"][1], &of_words["edges"][256]), (&json!(256.0), &json!(65_536.0)));
    let counts = &of_words["channels"][0]["counts"];
    assert_eq!([0, 1, 255].map(|bin| counts[bin].as_u64().unwrap()), [1, 1, 1]);
}

#[test]
fn numbers_are_drawn_whatever_their_size() {
    if !has_adapter() {
        return;
    }
    let values: Vec<_> = [-1.0_f32, 2.0, 3.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let (folder, input) = file("three", &values);
    let plot = folder.path().join("plot.svg");
    let options = ["--dtype", "f32", "--edges=-1e308,0,1e308", "--svg", text(&plot)];
    let printed = run(["histogram", text(&input)].into_iter().chain(options)).text();
    let lines: Vec<_> = printed.lines().skip(2).collect();
    assert!(lines[0].starts_with("-1e308  1  ") && lines[2] == " 1e308", "{printed}");
    let drawn = std::fs::read_to_string(plot).unwrap();
    let drawn = roxmltree::Document::parse(&drawn).unwrap();
    let paths = drawn.descendants().filter(|node| node.has_tag_name("path"));
    let paths: Vec<_> = paths.filter_map(|path| path.attribute("d")).collect();
    // One of three, and two: half as high.
    assert_eq!(paths, ["M40.0 432.0V248.0H480.0V64.0H920.0V432.0Z", "M40 432H920"]);
    let texts = drawn.descendants().filter(|node| node.has_tag_name("text"));
    let texts: Vec<_> = texts.filter_map(|node| node.text()).collect();
    assert_eq!(texts[2..], ["-1e308", "1e308"]);
}

/// No byte of a pipe is lost, and none that an image begins with makes it one.
#[cfg(unix)]
#[test]
fn pipes_are_counted_from_their_first_byte() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.extend(0..=255_u8);
    let mut expected = vec![0; 256];
    for byte in &bytes {
        expected[usize::from(*byte)] += 1;
    }
    let writer = std::thread::spawn({
        let (pipe, bytes) = (pipe.clone(), bytes.clone());
        move || std::fs::write(pipe, bytes)
    });
    let report = run(["histogram", text(&pipe), "--dtype", "u8", "--json"]).json();
    writer.join().unwrap().unwrap();
    assert_eq!(report["elements"], json!(bytes.len()));
    assert_eq!(report["channels"][0]["counts"], json!(expected));
    let (_folder, raw) = file("raw", &bytes);
    let arguments = ["histogram", text(&raw), "--format", "raw", "--dtype", "u8", "--json"];
    assert_eq!(run(arguments).json()["channels"][0]["counts"], json!(expected));
}

#[test]
fn mistakes_are_told() {
    let (_folder, broken) = file("broken.png", b"\x89PNG\r\n\x1a\nand no more");
    assert!(run(["histogram", text(&broken)]).error(1).contains("broken.png"));
    let of_image = run(["histogram", text(&broken), "--dtype", "u8"]).error(2);
    assert!(of_image.contains("no --dtype or --channels without --format"), "{of_image}");
    if !has_adapter() {
        return;
    }
    let input = data("f4.npy");
    for (options, what) in [
        (&["--edges", "1,2,1.5"][..], "1.5 is less than 2"),
        (&["--range", "0", "1e300"], "an end that is infinite as f32"),
        (&["--range", "2", "1"], "reversed"),
        (&["--channels", "5"], "no multiple of 5"),
    ] {
        // On the GPU, and passing through.
        for memory in [&[][..], &["--memory", "0"]] {
            let message = run([&["histogram", text(&input)], options, memory].concat()).error(2);
            assert!(message.contains(what), "{message}");
        }
    }
}
