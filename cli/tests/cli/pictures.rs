//! `histogram` of images: large ones, interlaced ones, those of printers, and those that are cut off.

#[cfg(target_os = "linux")]
use crate::harness::run_limited;
use crate::harness::{data, file, has_adapter, run, text};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use serde_json::{Value, json};
use std::io::Write as _;

/// A PNG image of grey, 8 by 8 pixels: its rows, or its seven passes.
fn png(depth: u8, is_interlaced: bool, pixel: impl Fn(usize, usize) -> u16) -> Vec<u8> {
    // Where a pass begins and how far its pixels are apart, across and down.
    const PASSES: [[usize; 4]; 7] = [
        [0, 0, 8, 8],
        [4, 0, 8, 8],
        [0, 4, 4, 8],
        [2, 0, 4, 4],
        [0, 2, 2, 4],
        [1, 0, 2, 2],
        [0, 1, 1, 2],
    ];
    let passes = if is_interlaced { &PASSES[..] } else { &[[0, 0, 1, 1]] };
    let mut rows = Vec::new();
    for &[left, top, across, down] in passes {
        for y in (top..8).step_by(down) {
            rows.push(0);
            let pixels: Vec<_> = (left..8).step_by(across).map(|x| pixel(x, y)).collect();
            rows.extend(packed(depth, &pixels));
        }
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&rows).unwrap();
    let header = [0, 0, 0, 8, 0, 0, 0, 8, depth, 0, 0, 0, u8::from(is_interlaced)];
    let data = encoder.finish().unwrap();
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(*b"IHDR", &header),
        chunk(*b"IDAT", &data),
        chunk(*b"IEND", &[]),
    ]
    .concat()
}

/// The pixels of a row, side by side in bytes.
fn packed(depth: u8, pixels: &[u16]) -> Vec<u8> {
    if depth == 16 {
        return pixels.iter().flat_map(|pixel| pixel.to_be_bytes()).collect();
    }
    let in_a_byte = usize::from(8 / depth);
    let byte = |pixels: &[u16]| {
        let shifted = pixels.iter().enumerate().map(|(index, &pixel)| {
            u8::try_from(pixel).unwrap() << (8 - usize::from(depth) * (index + 1))
        });
        shifted.fold(0, |byte, pixel| byte | pixel)
    };
    pixels.chunks(in_a_byte).map(byte).collect()
}

fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(&[&name, data].concat());
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], &name, data, &crc.sum().to_be_bytes()].concat()
}

fn counts(bytes: &[u8], more: &[&str]) -> Value {
    let (_folder, path) = file("image.png", bytes);
    let report = run(["histogram", text(&path), "--json"].iter().chain(more)).json();
    report["channels"][0]["counts"].clone()
}

#[test]
fn interlaced_images_have_the_counts_of_others() {
    if !has_adapter() {
        return;
    }
    for depth in [1, 2, 4, 8, 16] {
        let values = 1_usize << depth;
        let pixel = |x: usize, y: usize| u16::try_from((x * x + 37 * y) % values).unwrap();
        let plain = counts(&png(depth, false, pixel), &[]);
        let mut expected = vec![0; 256];
        for (x, y) in (0..64).map(|index| (index % 8, index / 8)) {
            // Few bits are spread over all values of 8.
            let sample = usize::from(pixel(x, y)) * 255 / (values - 1).min(255);
            expected[if depth == 16 { usize::from(pixel(x, y) >> 8) } else { sample }] += 1;
        }
        assert_eq!(plain, json!(expected), "{depth} bits");
        for memory in ["1Mi", "0"] {
            let interlaced = counts(&png(depth, true, pixel), &["--memory", memory]);
            assert_eq!(interlaced, plain, "{depth} bits in {memory}");
        }
    }
}

/// In less memory than the image takes, the same.
#[test]
fn images_pass_through() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.png");
    let (width, height) = (701_u32, 1003);
    let samples: Vec<u8> =
        (0..width * height * 3).map(|i| (i % 2003 * (i % 2003) % 251).to_le_bytes()[0]).collect();
    image::save_buffer(&path, &samples, width, height, image::ColorType::Rgb8).unwrap();
    let mut expected = vec![vec![0_u64; 256]; 3];
    for (index, &sample) in samples.iter().enumerate() {
        expected[index % 3][usize::from(sample)] += 1;
    }
    for memory in ["256Mi", "1Mi", "10Ki", "0"] {
        let report = run(["histogram", text(&path), "--json", "--memory", memory]).json();
        for (channel, expected) in expected.iter().enumerate() {
            assert_eq!(report["channels"][channel]["counts"], json!(expected), "{memory}");
        }
        assert_eq!(report.get("streamed").is_some(), memory != "256Mi", "{memory}");
        assert_eq!(report["elements"], json!(samples.len()));
    }
}

#[test]
fn inks_are_said_to_be_converted() {
    if !has_adapter() {
        return;
    }
    let path = data("cmyk.jpg");
    let report = run(["histogram", text(&path), "--json"]).json();
    let inks = "the inks cyan, magenta, yellow and black";
    assert_eq!(report["converted_from"], inks);
    let names: Vec<_> = report["channels"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["red", "green", "blue"]);
    let bright = |channel: usize, from: usize, to: usize| -> u64 {
        let counts = report["channels"][channel]["counts"].as_array().unwrap();
        counts[from..to].iter().map(|count| count.as_u64().unwrap()).sum()
    };
    // Magenta and yellow are red.
    assert_eq!([bright(0, 250, 256), bright(1, 0, 6), bright(2, 0, 6)], [128, 128, 128]);
    let printed = run(["histogram", text(&path)]).text();
    assert!(
        printed.contains(&format!("\n{inks} are converted to red, green and blue\n")),
        "{printed}"
    );
    // As Pillow has them: 198, 46, 139.
    let stored_otherwise = run(["histogram", text(&data("ycck.jpg")), "--json"]).json();
    assert_eq!(stored_otherwise["converted_from"], inks);
    for (channel, level) in [(0, 198), (1, 46), (2, 139)] {
        let counts = stored_otherwise["channels"][channel]["counts"].as_array().unwrap();
        let near: u64 = counts[level - 3..level + 4].iter().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(near, 128, "{counts:?}");
    }
    let (_folder, other) = file("grey.png", &png(8, false, |x, y| u16::try_from(x * y).unwrap()));
    let report = run(["histogram", text(&other), "--json"]).json();
    assert!(report.get("converted_from").is_none(), "{report}");
}

#[test]
fn progressive_images_are_counted() {
    if !has_adapter() {
        return;
    }
    let report = run(["histogram", text(&data("progressive.jpg")), "--json"]).json();
    assert_eq!(report["elements"], 32 * 24 * 3);
    let counts = report["channels"][2]["counts"].as_array().unwrap();
    let near: u64 = counts[97..104].iter().map(|n| n.as_u64().unwrap()).sum();
    assert!(near > 32 * 24 / 2, "{counts:?}");
}

#[test]
fn images_that_are_cut_off_or_damaged_are_refused() {
    let whole = png(8, true, |x, y| u16::try_from(x * 31 % 7 + y).unwrap());
    let jpeg = std::fs::read(data("cmyk.jpg")).unwrap();
    for (name, bytes) in [
        ("cut.png", &whole[..whole.len() / 2]),
        ("head.png", &whole[..9]),
        ("head.jpg", &jpeg[..20]),
        ("cut.jpg", &jpeg[..200]),
    ] {
        if has_adapter() || name == "head.png" {
            let (_folder, path) = file(name, bytes);
            let error = run(["histogram", text(&path)]).error(1);
            assert!(error.starts_with(&format!("{}: ", text(&path))), "{error}");
        }
    }
    for name in ["cmyk.jpg", "ycck.jpg", "progressive.jpg"] {
        let whole = std::fs::read(data(name)).unwrap();
        let lengths = [25, 50, 75, 90, 99].map(|percent| whole.len() * percent / 100);
        for len in lengths.into_iter().chain([whole.len() - 1]).filter(|_| has_adapter()) {
            let (_folder, path) = file(name, &whole[..len]);
            let error = run(["histogram", text(&path)]).error(1);
            assert!(error.contains("the image ends early"), "{name}, {len} bytes: {error}");
        }
    }
    // In the header, which says what is to come, and behind the samples.
    for at in [20, whole.len() - 20] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        let (_folder, path) = file("damaged.png", &damaged);
        if at < 100 || has_adapter() {
            let error = run(["histogram", text(&path)]).error(1);
            let told = "the image is damaged, or of a kind that is not read (";
            assert!(error.starts_with(&format!("{}: {told}", text(&path))), "{error}");
            assert!(error.ends_with(')') && !error.contains("ChunkType"), "{error}");
        }
    }
    let mut damaged = jpeg;
    let tables = damaged.windows(2).position(|marker| marker == b"\xFF\xC4").unwrap();
    damaged[tables + 4] = 0x77;
    let (_folder, path) = file("damaged.jpg", &damaged);
    let error = run(["histogram", text(&path)]).error(1);
    assert!(error.contains("the image is damaged, or of a kind that is not read ("), "{error}");
}

/// Of which there is but the beginning.
#[test]
#[cfg(target_os = "linux")]
fn images_that_no_memory_has_room_for_are_refused_before_they_are_decoded() {
    if !has_adapter() {
        return;
    }
    let mut wide = png(16, false, |_, _| 0);
    // The width of the header, and its sum.
    wide[16..20].copy_from_slice(&(1_u32 << 30).to_be_bytes());
    let mut crc = Crc::new();
    crc.update(&wide[12..29]);
    wide[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    let mut large = std::fs::read(data("progressive.jpg")).unwrap();
    let frame = large.windows(2).position(|marker| marker == b"\xFF\xC2").unwrap();
    large[frame + 5..frame + 9].copy_from_slice(&[0xFF; 4]);
    let pixels = 65_535_u64 * 65_535;
    // A row of PNG samples is stored in two bytes each; JPEG samples are of three colours, with two bytes for a coefficient of each.
    for (name, bytes, needed) in [
        ("wide.png", wide, 6 * ((2 << 30) + 1) + 2 * (8 << 30)),
        ("large.jpg", large, 3 * pixels + 6 * pixels),
    ] {
        let (_folder, path) = file(name, &bytes);
        let error =
            run_limited("-v", 8 << 20, &["histogram", text(&path), "--memory", "64Gi"]).error(1);
        let told = format!("{}: {needed} bytes of memory are needed, and ", text(&path));
        assert!(error.starts_with(&told), "{error}");
        let error = run(["histogram", text(&path), "--memory", "1Mi"]).error(1);
        assert!(error.contains("more --memory") || error.contains("as much --memory"), "{error}");
    }
}
